// The page of the web application: what the build made, with a nonce of its own for each answer, the
// user's language and look on the root, and the data of the start as text that no browser runs.
import { randomBytes } from 'node:crypto'

export interface PageData {
  language: string
  /** `light` or `dark`; undefined where the system chooses. */
  theme?: string | undefined
  density?: string | undefined
  /** True: also where the browser does not ask for it. */
  hasReducedMotion?: boolean
  /** The build, which an open tab compares with its own. */
  build: string
  /** Links of the head, as HTML. */
  links: string
  /** The data that the application would otherwise ask for first, as JSON. */
  start: string
}

export interface WebPage {
  text: string
  headers: Record<string, string>
}

/** Makes the answers of a page from the HTML of the build. */
export function pageMaker(template: string): (data: PageData) => WebPage {
  const [beginning, tail, ...more] = template.split(/(?<=<script id="start"[^>]*>)(?=<\/script>)/)
  if (
    tail === undefined ||
    more.length > 0 ||
    !/^<!doctype html>\s*<html lang="en">.*<\/head>/is.test(template)
  )
    throw new Error('web/index.html lacks its places for the root and for the data of the start')
  return ({ start, links, ...about }) => {
    const nonce = randomBytes(18).toString('base64')
    const withNonce = (text: string) => text.replaceAll('__NONCE__', nonce)
    const page = withNonce(beginning!)
      .replace('<html lang="en">', rootOf(about))
      .replace('</head>', () => `${links}</head>`)
    return {
      text: page + inElement(start) + withNonce(tail),
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyOf(nonce),
        'referrer-policy': 'same-origin',
        'x-frame-options': 'DENY',
      },
    }
  }
}

function rootOf({
  language,
  theme,
  density,
  hasReducedMotion,
  build,
}: Omit<PageData, 'start' | 'links'>): string {
  const attributes = {
    lang: language,
    ...(theme && { 'data-mantine-color-scheme': theme }),
    ...(density && { 'data-density': density }),
    ...(hasReducedMotion && { 'data-motion': 'reduced' }),
    'data-build': build,
    // Until the application has shown its first screen (web/data/rest.ts).
    'data-busy': 'start',
  }
  // All values are of closed sets; anything else must not end the attribute.
  const texts = Object.entries(attributes).map(
    ([name, value]) => `${name}="${value.replaceAll(/[^\w-]/g, '')}"`,
  )
  return `<html ${texts.join(' ')}>`
}

/** JSON for the inside of a script element: no text in it can end the element. */
const inElement = (json: string): string =>
  json.replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const policyOf = (nonce: string): string =>
  [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
