// The addresses of the application, one line for each screen. A screen is a file of its own, loaded
// when it is first visited or about to be.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { RouteComponent } from '@tanstack/react-router'
import { bootstrapQuery, mayView } from './crm/bootstrap.ts'
import { preferencesQuery } from './crm/preferences.ts'
import { recordTypes } from './crm/records.ts'
import { NotFound } from './routes/not-found.tsx'
import { Root } from './routes/root.tsx'
import { pages } from './routes/settings/pages.ts'
import { part, wait } from './data/rest.ts'
import { parseSearch, stringifySearch } from './data/search.ts'
import { Failure } from './ui/states.tsx'
import { Waiting } from './ui/waiting.tsx'

interface Context {
  client: QueryClient
}

const root = createRootRouteWithContext<Context>()({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
})

const screen = <const Path extends string>(
  path: Path,
  load: () => Promise<Record<string, React.ComponentType>>,
  name: string,
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(part(path, load), name),
    wrapInSuspense: false,
  })

/** Whether something is at an address. Records and settings say themselves what does not exist there. */
const isRoom = (path: string): boolean =>
  /^\/(?:home|events|products|notifications|settings|leads|contacts|companies|customers|bin)(?:\/|$)/.test(
    path,
  ) || recordTypes.some((type) => new RegExp(`^/${type}/\\d+$`).test(path))

/** The start page of the user; a user who may see no leads has no board to start with. */
const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad({ context: { client } }) {
    const [{ start_page }, bootstrap] = await Promise.all([
      client.ensureQueryData(preferencesQuery),
      client.ensureQueryData(bootstrapQuery),
    ])
    const [path = '', query = ''] = start_page.split('?')
    const isMissing = !isRoom(path) || (path.startsWith('/leads') && !mayView(bootstrap, 'leads'))
    if (isMissing) throw redirect({ to: '/home', replace: true })
    throw redirect({ to: path, search: parseSearch(query) as never, replace: true })
  },
})

const frame = part('settings', () => import('./routes/settings/settings.tsx'))
const settings = createRoute({
  getParentRoute: () => root,
  path: 'settings',
  component: lazyRouteComponent(frame, 'SettingsScreen'),
  wrapInSuspense: false,
})
const settingsScreen = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => settings, path, component, wrapInSuspense: false })

const customerBoard = () => import('./routes/customers-board.tsx')
const card = async () => ({ CardScreen: (await import('./routes/card.tsx')).CardScreen })

const screens = [
  start,
  screen('/home', () => import('./routes/home.tsx'), 'Home'),
  screen('/leads', () => import('./routes/board.tsx'), 'LastBoard'),
  screen('/leads/p/$pipelineId', () => import('./routes/board.tsx'), 'BoardScreen'),
  screen('/leads/list', () => import('./routes/list.tsx'), 'LeadList'),
  screen('/contacts', () => import('./routes/list.tsx'), 'ContactList'),
  screen('/companies', () => import('./routes/list.tsx'), 'CompanyList'),
  screen('/customers', () => import('./routes/list.tsx'), 'CustomerList'),
  screen('/bin', () => import('./routes/list.tsx'), 'Bin'),
  screen('/bin/$type', () => import('./routes/list.tsx'), 'BinOfType'),
  screen('/customers/board', customerBoard, 'CustomerBoardScreen'),
  screen('/events', () => import('./routes/events.tsx'), 'EventLog'),
  screen('/products', () => import('./routes/products.tsx'), 'ProductRoom'),
  screen('/products/$catalogId', () => import('./routes/products.tsx'), 'ProductRoom'),
  screen('/notifications', () => import('./routes/notifications.tsx'), 'Notifications'),
  screen('/$type/$id', card, 'CardScreen'),
  ...(hasGallery
    ? [screen('/developers/ui', () => import('./routes/gallery.tsx'), 'Gallery')]
    : []),
  settings.addChildren([
    settingsScreen('/', lazyRouteComponent(frame, 'FirstPage')),
    ...pages.flatMap(({ path, screen: all, oneScreen }) => [
      settingsScreen(path, all),
      ...(oneScreen ? [settingsScreen(`${path}/$id`, oneScreen)] : []),
    ]),
  ]),
]

export function makeRouter(client: QueryClient) {
  const router = createRouter({
    routeTree: root.addChildren(screens),
    context: { client },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPreloadDelay: 60,
    scrollRestoration: true,
    // The frame of the screens waits for what a first screen lacks. It is not shown for a later one: the
    // old screen stays until the new one is there.
    defaultPendingComponent: Waiting,
    defaultPendingMs: Infinity,
  })
  let done = () => {}
  router.subscribe('onBeforeLoad', () => {
    done()
    done = wait('a screen')
  })
  router.subscribe('onResolved', () => done())
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
