// The part of the page that the server wrote: the data of its start and the nonce of its styles.

/** The data of the start, as far as this folder needs it. The rooms that show it know its whole shape. */
interface Start {
  session: { account: { id: number }; user: { id: number } }
  preferences: object
  /** `cursor` is the place in the live stream up to which the page is fresh. */
  bootstrap: { cursor: number }
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
