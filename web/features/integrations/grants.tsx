import { Badge, Button } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { RecordList, ListRow } from '../../ui/list.tsx'
import { More } from '../../ui/more.tsx'
import { DateTime, Moment } from '../../ui/moment.tsx'
import { PageSection } from '../../ui/page.tsx'
import { Empty, Unloaded } from '../../ui/states.tsx'
import { grantsQuery, revokeGrant } from './integrations.ts'
import type { Grant } from './integrations.ts'

/** The users for whom the integration acts. */
export function Grants({ id }: { id: string }) {
  const words = useTranslations('integrations')
  const client = useQueryClient()
  const query = useInfiniteQuery(grantsQuery(id))
  const [confirmed, setConfirmed] = useState<Grant>()
  const revocation = useMutation({
    mutationFn: (grant: number) => revokeGrant(id, grant),
    onSuccess: () => {
      setConfirmed(undefined)
      return client.invalidateQueries({ queryKey: grantsQuery(id).queryKey })
    },
  })
  const grants = query.data
  return (
    <PageSection title={words('grants')} about={words('grantsAbout')}>
      {!grants ? (
        <Unloaded query={query} rows={3} />
      ) : grants.length === 0 ? (
        <Empty title={words('grantsEmpty')} text={words('grantsEmptyText')} />
      ) : (
        <RecordList label={words('grants')}>
          {grants.map((grant) => (
            <ListRow
              key={grant.id}
              name={grant.user_name}
              about={
                <>
                  <span>
                    {words.rich('grantedAt', { time: () => <DateTime at={grant.created_at} /> })}
                  </span>
                  <span>
                    {grant.last_used_at === null
                      ? words('neverUsed')
                      : words.rich('usedAt', {
                          time: () => <Moment at={grant.last_used_at ?? 0} />,
                        })}
                  </span>
                  {grant.expires_at !== null && (
                    <span>
                      {words.rich('expiresAt', {
                        time: () => <DateTime at={grant.expires_at ?? 0} />,
                      })}
                    </span>
                  )}
                  <span>{grant.scopes.join(', ')}</span>
                </>
              }
              side={
                <Badge color={grant.is_full_access ? 'warning' : 'gray'}>
                  {words(grant.is_full_access ? 'fullAccess' : 'userAccess')}
                </Badge>
              }
              actions={
                <Button
                  variant="default"
                  aria-label={`${words('revoke')}: ${grant.user_name}`}
                  onClick={() => setConfirmed(grant)}
                >
                  {words('revoke')}
                </Button>
              }
            />
          ))}
        </RecordList>
      )}
      <More query={query} />
      <Confirm
        opened={confirmed !== undefined}
        title={words('revokeAsk')}
        text={words('revokeText', { name: confirmed?.user_name ?? '' })}
        action={words('revoke')}
        isPending={revocation.isPending}
        error={revocation.error}
        onConfirm={() => confirmed && revocation.mutate(confirmed.id)}
        onClose={() => setConfirmed(undefined)}
      />
    </PageSection>
  )
}
