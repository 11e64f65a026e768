// What the server wrote into the page: the data of its start and the nonce of its styles.

/** The nonce of the page's policy; empty in development, where there is no policy. */
export const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''

/** The identity of the build that this page runs; `dev` in development. */
export const build = document.documentElement.dataset['build'] ?? 'dev'

/** The data that the server wrote into the page (server/web/page.ts); undefined in development. */
export function startData(): unknown {
  const text = document.getElementById('start')?.textContent ?? ''
  return text === '' ? undefined : JSON.parse(text)
}
