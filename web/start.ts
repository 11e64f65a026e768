// The part of the page that the server wrote: the data of its start and the nonce of its styles.
import type { Static } from 'typebox'
import type { Bootstrap } from '../server/features/bootstrap/schema.ts'
import type { Preferences } from '../server/features/profile/schema.ts'
import type { Session } from '../server/features/sessions/schema.ts'

interface Start {
  session: Static<typeof Session>
  preferences: Preferences
  bootstrap: Bootstrap
}

/** The nonce of the page's policy; empty in development, where there is no policy. */
export const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''

// The library that keeps the page from scrolling under a dialog looks for the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

/** The identity of the build that this page runs; `dev` in development. */
export const build = document.documentElement.dataset['build'] ?? 'dev'

const text = document.getElementById('start')?.textContent ?? ''
const start = text === '' ? undefined : (JSON.parse(text) as Start)

/** The data of the start (server/web/page.ts); undefined in development. */
export const startData = (): Start | undefined => start
