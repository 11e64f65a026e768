// The entry of the application: its providers around its router.
import './ui/styles.ts'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { Problem } from './api.ts'
import { openLive } from './live.ts'
import { followNews } from './news.ts'
import { makeRouter } from './router.tsx'
import { isOutdated } from './shell/build.ts'
import { nonce } from './start.ts'
import { theme, variables } from './ui/theme.ts'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      // The browser's own idea of being offline is wrong on many networks; a question finds out.
      networkMode: 'always',
      // A refusal stays one; a server that restarts answers again within seconds.
      retry: (failures, error) =>
        failures < 3 && (!(error instanceof Problem) || error.status === 0 || error.status >= 502),
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
followNews(client)
void openLive()
const router = makeRouter(client)

createRoot(document.getElementById('root')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={client}>
      <Notifications position="bottom-right" limit={4} />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
)
