import { Badge, Button, Modal } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Confirm } from '../../ui/confirm.tsx'
import { RecordList, ListRow } from '../../ui/list.tsx'
import { Moment } from '../../ui/moment.tsx'
import { PageSection } from '../../ui/page.tsx'
import { ProofDialog } from '../../ui/proof.tsx'
import { Failure } from '../../ui/states.tsx'
import { Links } from './invite.tsx'
import { invitationsQuery, renewInvitation, revokeInvitation } from './invitations.ts'
import type { Invitation, Shown } from './invitations.ts'

/** The invitations that nobody has accepted yet; nothing if there are none. */
export function OpenInvitations({ roleName }: { roleName: (id: number) => string | undefined }) {
  const words = useTranslations('users')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const query = useQuery(invitationsQuery)
  const [leaving, setLeaving] = useState<Invitation>()
  const [renewing, setRenewing] = useState<Invitation>()
  const [renewed, setRenewed] = useState<Shown>()
  const revoke = useMutation({
    mutationFn: revokeInvitation,
    onSuccess: () => setLeaving(undefined),
    onSettled: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  })
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  if (!query.data || query.data.length === 0) return undefined
  return (
    <PageSection title={words('invitations')}>
      <RecordList label={words('invitations')}>
        {query.data.map((each) => (
          <ListRow
            key={each.id}
            name={each.email}
            about={
              <>
                <span>
                  {each.is_admin
                    ? words('admin')
                    : (each.role_id !== null && roleName(each.role_id)) || words('noRole')}
                </span>
                <span>
                  {words.rich('invitedUntil', { time: () => <Moment at={each.expires_at} /> })}
                </span>
              </>
            }
            side={<Badge color="warning">{words('waiting')}</Badge>}
            actions={
              <>
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={words('newLinkOf', { email: each.email })}
                  onClick={() => setRenewing(each)}
                >
                  {words('newLink')}
                </Button>
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={words('revokeOf', { email: each.email })}
                  onClick={() => {
                    revoke.reset()
                    setLeaving(each)
                  }}
                >
                  {words('revoke')}
                </Button>
              </>
            }
          />
        ))}
      </RecordList>
      <ProofDialog
        opened={renewing !== undefined}
        title={words('newLinkOf', { email: renewing?.email ?? '' })}
        text={words('newLinkText')}
        action={words('makeLink', { number: 1 })}
        send={(proof) => renewInvitation(renewing!.id, proof)}
        onDone={(made) => {
          setRenewing(undefined)
          setRenewed(made)
          void client.invalidateQueries({ queryKey: ['invitations'] })
        }}
        onClose={() => setRenewing(undefined)}
      />
      <Modal
        opened={renewed !== undefined}
        onClose={() => setRenewed(undefined)}
        title={words('newLinkOf', { email: renewed?.email ?? '' })}
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': shared('close') }}
      >
        {renewed && <Links made={[renewed]} onClose={() => setRenewed(undefined)} />}
      </Modal>
      <Confirm
        opened={leaving !== undefined}
        title={words('revokeOf', { email: leaving?.email ?? '' })}
        text={words('revokeText')}
        action={words('revoke')}
        isPending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => leaving && revoke.mutate(leaving.id)}
        onClose={() => setLeaving(undefined)}
      />
    </PageSection>
  )
}
