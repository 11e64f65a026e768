import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus, Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { groupsQuery } from '../../features/groups/groups.ts'
import { Invite } from '../../features/invitations/invite.tsx'
import { OpenInvitations } from '../../features/invitations/open-invitations.tsx'
import { rolesQuery } from '../../features/roles/roles.ts'
import { useSession } from '../../features/session/session.ts'
import { UserTable } from '../../features/users/user-table.tsx'
import { signInsQuery, usersQuery } from '../../features/users/users.ts'
import type { User } from '../../features/users/users.ts'
import { PageFrame } from '../../ui/page.tsx'
import { Empty, Failure, Rows } from '../../ui/states.tsx'
import { settingsAt } from './pages.ts'
import styles from './users.module.css'

/** The users of the account and the open invitations. */
export function Users() {
  const words = useTranslations('users')
  const [isInviting, setInviting] = useState(false)
  const [text, setText] = useState('')
  const { user: me } = useSession()
  const query = useQuery(usersQuery)
  const roles = useQuery(rolesQuery).data ?? []
  const groups = useQuery(groupsQuery).data ?? []
  const roleName = (id: number) => roles.find((role) => role.id === id)?.name
  const roleOf = ({ rights: { is_admin, is_free, role_id } }: User) =>
    is_admin
      ? words('admin')
      : is_free
        ? words('noAccess')
        : role_id === null
          ? words('ownRights')
          : (roleName(role_id) ?? '')
  const groupOf = ({ rights }: User) => groups.find(({ id }) => id === rights.group_id)?.name ?? ''
  const wanted = text.toLocaleLowerCase().split(/\s+/)
  const found = (query.data ?? []).filter((user) => {
    const all = [user.name, user.email, roleOf(user), groupOf(user)].join(' ').toLocaleLowerCase()
    return wanted.every((word) => all.includes(word))
  })
  const active = found.filter(({ rights }) => rights.is_active)
  const left = found.filter(({ rights }) => !rights.is_active)
  const signIns = useQuery(signInsQuery).data
  const table = {
    me: me.id,
    signIns,
    addressOf: ({ id }: User) => settingsAt('users', id),
    roleOf,
    groupOf,
  }
  return (
    <PageFrame
      title={words('title')}
      about={words('about')}
      actions={
        <Button leftSection={<Plus size={16} />} onClick={() => setInviting(true)}>
          {words('invite')}
        </Button>
      }
      isWide
    >
      {query.isPending ? (
        <Rows />
      ) : query.isError ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <>
          <TextInput
            type="search"
            className={styles.search}
            aria-label={words('search')}
            placeholder={words('search')}
            leftSection={<Search size={16} aria-hidden />}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || text === '') return
              event.preventDefault()
              setText('')
            }}
          />
          <p role="status" className={styles.status}>
            {found.length === 0 ? '' : words('number', { number: active.length })}
          </p>
          {found.length === 0 && <Empty title={words('none')} text={words('noneText')} />}
          {active.length > 0 && <UserTable label={words('title')} users={active} {...table} />}
          {left.length > 0 && (
            <details className={styles.left} open={text !== ''}>
              <summary>{words('left', { number: left.length })}</summary>
              <UserTable label={words('deactivated')} users={left} {...table} />
            </details>
          )}
          <div className={styles.invitations}>
            <OpenInvitations roleName={roleName} />
          </div>
        </>
      )}
      <Invite
        opened={isInviting}
        roles={roles.map(({ id, name }) => ({ value: String(id), label: name }))}
        groups={groups.map(({ id, name }) => ({ value: String(id), label: name }))}
        onClose={() => setInviting(false)}
      />
    </PageFrame>
  )
}
