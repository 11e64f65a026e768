// The entry of the application: its providers around its router.
import './ui/styles.ts'
import { MantineProvider } from '@mantine/core'
import type { MantineColorScheme } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { preferencesAtStart } from './crm/preferences.ts'
import { followChanges } from './crm/stale.ts'
import { isPassing, Problem } from './data/api.ts'
import { forgetAllKept } from './data/kept.ts'
import { followLeaving } from './data/leaving.ts'
import { openStream } from './data/live.ts'
import { askAgainOnReturn } from './data/news.ts'
import { nonce } from './data/start.ts'
import { followTabs } from './data/tabs.ts'
import { makeRouter } from './router.tsx'
import { isOutdated } from './shell/build.ts'
import { followChoices } from './ui/choices.ts'
import { leaveComposing } from './ui/composing.ts'
import { followFocus } from './ui/focus.ts'
import { followPresses } from './ui/press.ts'
import { theme as look, variables } from './ui/theme.ts'
import { RestMark } from './ui/waiting.tsx'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      // The browser's own idea of being offline is wrong on many networks; a question finds out.
      networkMode: 'always',
      // A refusal stays one; a server that restarts answers again within seconds.
      retry: (failures, error) => failures < 3 && (!(error instanceof Problem) || isPassing(error)),
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always' },
  },
})
// A screen of an older build that is not served any more: the page becomes one of the present build.
addEventListener('vite:preloadError', (event) => {
  event.preventDefault()
  void isOutdated().then((isSo) => isSo && location.reload())
})
// A file that misses its field would be opened by the browser in place of the application.
for (const name of ['dragover', 'drop'] as const)
  addEventListener(name, (event) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  })
leaveComposing()
followFocus()
followPresses()
followChoices()
followLeaving()
forgetAllKept('others')
followChanges(client)
askAgainOnReturn(client)
followTabs(client)
void openStream()
const router = makeRouter(client)

/** The server keeps the theme among the preferences; the browser keeps none. */
const kept = {
  get: (value: MantineColorScheme) => value,
  set: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => undefined,
}
const theme = preferencesAtStart()?.theme ?? 'system'

createRoot(document.getElementById('root')!).render(
  <MantineProvider
    theme={look}
    cssVariablesResolver={variables}
    defaultColorScheme={theme === 'system' ? 'auto' : theme}
    colorSchemeManager={kept}
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={client}>
      <Notifications position="bottom-right" limit={4} />
      <RouterProvider router={router} />
      <RestMark />
    </QueryClientProvider>
  </MantineProvider>,
)
