import { ActionIcon, Avatar, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Code, LogOut, Settings } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { signOut, useSession } from '../features/session/session.ts'

/** The menu of the user: profile, the other accounts of the session, sign-out. */
export function UserMenu() {
  const words = useTranslations('shell')
  const { user } = useSession()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="transparent" size={32} aria-label={words('you')}>
          <Avatar name={user.name} size={28} color="accent" variant="light" radius="xl" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name}
          <br />
          {user.email}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings" leftSection={<Settings size={16} />}>
          {words('settings')}
        </Menu.Item>
        <Menu.Item component="a" href="/developers" leftSection={<Code size={16} />}>
          {words('developers')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} />} onClick={() => void signOut()}>
          {words('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
