import { Badge, Button, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Static } from 'typebox'
import type { OwnSession, OwnSessions } from '../../../server/features/people/sessions/schema.ts'
import { ask, endWithoutReads } from '../../data/api.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { RecordList, ListRow } from '../../ui/list.tsx'
import { DateTime, Moment } from '../../ui/moment.tsx'
import { Failure, Rows } from '../../ui/states.tsx'
import { say } from '../../ui/toasts.ts'
import { endHere } from './session.ts'

const path = '/web/v1/sessions'

/** The browsers in which the user is signed in, the latest first. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => {
    const { _embedded } = await ask<Static<typeof OwnSessions>>(path, { signal })
    return _embedded.sessions
  },
})

/** Where the user is signed in, and the ways out. */
export function SessionList() {
  const words = useTranslations('security')
  const client = useQueryClient()
  const query = useQuery(ownSessionsQuery)
  const [confirming, setConfirming] = useState<OwnSession>()
  const name = useName()
  const ending = useMutation({
    mutationFn: ({ id }: OwnSession) => ask<undefined>(`${path}/${id}`, { method: 'DELETE' }),
    onSuccess: (_, session) => {
      setConfirming(undefined)
      say(words('ended', { browser: name(session) }))
    },
    onSettled: () => client.invalidateQueries({ queryKey: ownSessionsQuery.queryKey }),
  })
  if (query.isPending) return <Rows number={3} />
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  const close = () => {
    setConfirming(undefined)
    ending.reset()
  }
  return (
    <>
      <RecordList label={words('sessions')}>
        {query.data.map((session) => (
          <ListRow
            key={session.id}
            name={name(session)}
            about={
              <>
                <span>{session.address ?? words('unknownAddress')}</span>
                <span>
                  {words.rich('signedInAt', { time: () => <DateTime at={session.created_at} /> })}
                </span>
              </>
            }
            side={
              session.is_current ? (
                <Badge color="success">{words('thisBrowser')}</Badge>
              ) : (
                <Text c="dimmed">
                  {words.rich('usedAt', { time: () => <Moment at={session.last_used_at} /> })}
                </Text>
              )
            }
            actions={
              !session.is_current && (
                <Button
                  variant="default"
                  aria-label={`${words('signOut')}: ${name(session)}`}
                  onClick={() => setConfirming(session)}
                >
                  {words('signOut')}
                </Button>
              )
            }
          />
        ))}
      </RecordList>
      <Confirm
        opened={confirming !== undefined}
        title={words('endAsk', { browser: confirming ? name(confirming) : '' })}
        text={words('endText')}
        action={words('signOut')}
        isPending={ending.isPending}
        error={ending.error}
        onConfirm={() => confirming && ending.mutate(confirming)}
        onClose={close}
      />
    </>
  )
}

/** Signs out of all browsers, this one too, after a question. */
export function SignOutEverywhere() {
  const words = useTranslations('security')
  const [isConfirming, setConfirming] = useState(false)
  const ending = useMutation({
    mutationFn: () => endWithoutReads(() => ask(path, { method: 'DELETE' })),
    onSuccess: endHere,
  })
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        {words('everywhere')}
      </Button>
      <Confirm
        opened={isConfirming}
        title={words('everywhereAsk')}
        text={words('everywhereText')}
        action={words('everywhere')}
        isPending={ending.isPending || ending.isSuccess}
        error={ending.error}
        onConfirm={() => ending.mutate()}
        onClose={() => setConfirming(false)}
      />
    </>
  )
}

/** "Firefox on Linux" in the language of the user. */
function useName() {
  const words = useTranslations('security')
  return ({ browser: said }: OwnSession): string => {
    if (said === null) return words('unknownBrowser')
    const [browser = said, system] = said.split(' on ')
    return system === undefined ? browser : words('browserOn', { browser, system })
  }
}
