import { Avatar, Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import styles from './user-table.module.css'
import type { User } from './users.ts'

/** Users with their role, group and status. The name opens the user, and so does the whole row. */
export function UserTable({
  label,
  users,
  me,
  addressOf,
  roleOf,
  groupOf,
}: {
  label: string
  users: User[]
  /** The id of the user who looks. */
  me: number
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
          <th scope="col" className={styles.email}>
            {words('email')}
          </th>
          <th scope="col" className={styles.role}>
            {words('role')}
          </th>
          <th scope="col" className={styles.group}>
            {words('group')}
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
                  <div className={styles.below}>{user.email}</div>
                  <div className={styles.below}>
                    {roleOf(user)} · {groupOf(user)}
                  </div>
                </div>
              </div>
            </td>
            <td className={styles.email}>{user.email}</td>
            <td className={styles.role}>{roleOf(user)}</td>
            <td className={styles.group}>{groupOf(user)}</td>
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
