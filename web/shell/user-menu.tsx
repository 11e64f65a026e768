import { ActionIcon, Avatar, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import {
  Building2,
  CircleUser,
  Code,
  LogOut,
  Package,
  ScrollText,
  Settings,
  Trash2,
} from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useBootstrap, useHasCustomers, useMayViewCatalogs } from '../crm/bootstrap.ts'
import { signOut, useSession } from '../features/session/session.ts'
import { useIsNarrow } from '../ui/narrow.ts'
import { useRefusalText } from '../ui/states.tsx'
import { warn } from '../ui/toasts.ts'

/** The menu of the user: settings, the other accounts of the session, sign-out. */
export function UserMenu() {
  const words = useTranslations('shell')
  const { me, account } = useBootstrap()
  const { accounts } = useSession()
  const refusalText = useRefusalText()
  const isNarrow = useIsNarrow()
  const hasCustomers = useHasCustomers()
  const mayViewCatalogs = useMayViewCatalogs()
  const leave = () =>
    signOut().catch((error: unknown) => void warn(words('signOut'), refusalText(error)))
  const others = accounts.filter(({ id }) => id !== account.id)
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="transparent" size={32} radius={16} aria-label={words('you')}>
          <Avatar name={me.name} size={28} color="accent" variant="light" radius={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.name}
          <br />
          {me.email}
        </Menu.Label>
        <Menu.Divider />
        {isNarrow && hasCustomers && (
          <Menu.Item component={Link} to="/customers" leftSection={<CircleUser size={16} />}>
            {words('customers')}
          </Menu.Item>
        )}
        {isNarrow && mayViewCatalogs && (
          <Menu.Item component={Link} to="/products" leftSection={<Package size={16} />}>
            {words('products')}
          </Menu.Item>
        )}
        {isNarrow && (
          <Menu.Item component={Link} to="/events" leftSection={<ScrollText size={16} />}>
            {words('events')}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to="/settings" leftSection={<Settings size={16} />}>
          {words('settings')}
        </Menu.Item>
        <Menu.Item component="a" href="/developers" leftSection={<Code size={16} />}>
          {words('developers')}
        </Menu.Item>
        <Menu.Item component={Link} to="/bin" leftSection={<Trash2 size={16} />}>
          {words('bin')}
        </Menu.Item>
        {others.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Label>{words('switchAccount')}</Menu.Label>
            {others.map(({ id, name, subdomain }) => (
              <Menu.Item
                key={id}
                component="a"
                href={addressOf(subdomain, account.subdomain)}
                leftSection={<Building2 size={16} />}
              >
                {name}
              </Menu.Item>
            ))}
          </>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} />} onClick={() => void leave()}>
          {words('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The address of another account: the subdomain takes the place of this account's, or comes first. */
function addressOf(subdomain: string, own: string): string {
  const { protocol, host } = location
  const bare = host.startsWith(`${own}.`) ? host.slice(own.length + 1) : host
  return `${protocol}//${subdomain}.${bare}/`
}
