import { Avatar, Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { Moment } from '../../ui/moment.tsx'
import styles from './user-table.module.css'
import type { User, UserSignIn } from './users.ts'

/**
 * Users with their role, group, last visit, second factor and status. The name opens the user, and so
 * does the whole row.
 */
export function UserTable({
  label,
  users,
  me,
  signIns,
  addressOf,
  roleOf,
  groupOf,
}: {
  label: string
  users: User[]
  /** The id of the user who looks. */
  me: number
  /** By the id of the user; undefined until they are loaded. */
  signIns: ReadonlyMap<number, UserSignIn> | undefined
  addressOf: (user: User) => string
  roleOf: (user: User) => string
  groupOf: (user: User) => string
}) {
  const words = useTranslations('users')
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col" className={styles.personColumn}>
            {words('person')}
          </th>
          <th scope="col" className={styles.role}>
            {words('role')}
          </th>
          <th scope="col" className={styles.group}>
            {words('group')}
          </th>
          <th scope="col" className={styles.seen}>
            {words('lastSeen')}
          </th>
          <th scope="col" className={styles.factor}>
            {words('factor')}
          </th>
          <th scope="col" className={styles.statusColumn}>
            {words('status')}
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id} className={styles.row}>
            <td>
              <div className={styles.person}>
                <Avatar
                  name={user.name}
                  size={28}
                  color={user.rights.is_active ? 'accent' : 'gray'}
                  radius="xl"
                  aria-hidden
                />
                <div>
                  <Link to={addressOf(user)} className={styles.name}>
                    {user.name}
                  </Link>
                  <div className={styles.email}>{user.email}</div>
                  <div className={styles.below}>
                    {roleOf(user)} · {groupOf(user)}
                  </div>
                </div>
              </div>
            </td>
            <td className={styles.role}>{roleOf(user)}</td>
            <td className={styles.group}>{groupOf(user)}</td>
            <td className={styles.seen}>
              {user.id === me ? (
                <Moment at={Date.now() / 1000} />
              ) : (
                <Seen signIn={signIns?.get(user.id)} />
              )}
            </td>
            <td className={styles.factor}>
              <Factor signIn={signIns?.get(user.id)} />
            </td>
            <td>
              {!user.rights.is_active ? (
                <Badge color="gray">{words('deactivated')}</Badge>
              ) : user.id === me ? (
                <Badge color="accent">{words('you')}</Badge>
              ) : (
                <Badge color="success">{words('active')}</Badge>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** An hour may pass before a use of a session is written down. */
function Seen({ signIn }: { signIn: UserSignIn | undefined }) {
  const words = useTranslations('users')
  if (!signIn) return undefined
  if (signIn.last_seen_at === null) return <span className={styles.none}>{words('signedOut')}</span>
  return <Moment at={signIn.last_seen_at} />
}

function Factor({ signIn }: { signIn: UserSignIn | undefined }) {
  const words = useTranslations('users')
  if (!signIn) return undefined
  if (!signIn.has_second_factor) return <span className={styles.none}>{words('factorOff')}</span>
  return (
    <span className={styles.on}>
      <ShieldCheck size={16} aria-hidden />
      {words('factorOn')}
    </span>
  )
}
