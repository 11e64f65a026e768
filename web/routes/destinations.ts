import { useNavigate } from '@tanstack/react-router'
import {
  Bell,
  Bookmark,
  Building2,
  CircleUser,
  Code,
  House,
  Kanban,
  List,
  Package,
  ScrollText,
  Settings,
  Trash2,
  UserRound,
} from 'lucide-react'
import { useTranslations } from 'use-intl'
import { useBootstrap, useHasCustomers, useMayViewCatalogs } from '../crm/bootstrap.ts'
import { addressOfView, useViewsOfRights } from '../features/views/views.ts'
import type { Destination } from '../shell/command-menu.tsx'
import { pages, settingsAt } from './settings/pages.ts'

/** The pages that the user may go to by keys and from the command menu. */
export function useDestinations(): Destination[] {
  const words = useTranslations('shell')
  const texts = useTranslations('settings')
  const navigate = useNavigate()
  const { me } = useBootstrap()
  const viewTexts = useTranslations('views')
  const views = useViewsOfRights()
  const hasCustomers = useHasCustomers()
  const mayViewCatalogs = useMayViewCatalogs()
  const to = (address: string) => () => void navigate({ to: address })
  return [
    { title: words('home'), icon: House, keys: ['g', 'h'], run: to('/home') },
    { title: words('leads'), icon: Kanban, keys: ['g', 'l'], run: to('/leads') },
    { title: words('leadList'), icon: List, run: to('/leads/list') },
    { title: words('contacts'), icon: UserRound, keys: ['g', 'c'], run: to('/contacts') },
    { title: words('companies'), icon: Building2, keys: ['g', 'o'], run: to('/companies') },
    ...(hasCustomers
      ? [
          {
            title: words('customers'),
            icon: CircleUser,
            keys: ['g', 'u'],
            run: to('/customers'),
          },
        ]
      : []),
    ...(mayViewCatalogs
      ? [{ title: words('products'), icon: Package, keys: ['g', 'p'], run: to('/products') }]
      : []),
    { title: words('bin'), icon: Trash2, run: to('/bin') },
    { title: words('events'), icon: ScrollText, keys: ['g', 'e'], run: to('/events') },
    {
      title: words('notifications'),
      icon: Bell,
      keys: ['g', 'n'],
      run: to('/notifications'),
    },
    { title: words('settings'), icon: Settings, keys: ['g', 's'], run: to(settingsAt()) },
    ...pages
      .filter(({ isForAdmins }) => me.is_admin || !isForAdmins)
      .map(({ path }) => ({
        title: words('inSettings', { page: texts(`pages.${path}`) }),
        find: texts(`find.${path}`),
        icon: Settings,
        run: to(settingsAt(path)),
      })),
    ...views.map((view) => {
      const { to: path, search } = addressOfView(view)
      return {
        title: viewTexts('open', { name: view.name }),
        key: `view ${view.id}`,
        isLookedFor: true,
        icon: Bookmark,
        run: () => void navigate({ to: path, search: search as never }),
      }
    }),
    {
      title: words('developers'),
      icon: Code,
      // A page of the server.
      run: () => location.assign('/developers'),
    },
  ]
}
