// The frame of the pages that the server writes: head, style, the mark, the languages. The policy
// sent with a page allows only the style and the script with its nonce. Every page works without
// scripts.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asProblem, internal, Problem } from '../http/problem.ts'
import type { Fault } from '../http/problem.ts'
import { Html, html } from './html.ts'
import { addressIn, pageLanguages, sayIn } from './language.ts'
import type { PageLanguage, Speech, TextKey } from './language.ts'

export interface HtmlPage {
  status?: number
  title: string
  body: Html
  /** The name over the page: that of the account, where it is known. */
  company?: string | undefined
  /** Runs when the page has loaded, if scripts are enabled. */
  script?: Html | undefined
  /** Added to the head, for browsers without scripts. */
  head?: Html
  /** The targets of the form, including redirects; by default this server only. */
  formAction?: string
  /** Which pages learn this page's address: by default those of this server. */
  referrer?: 'no-referrer' | 'same-origin'
  isWide?: boolean
}

const read = (...names: string[]): string =>
  readFileSync(path.join(import.meta.dirname, ...names), 'utf8').replaceAll(/\/\*[^]*?\*\/\s*/g, '')
const style = new Html(read('../../web/ui/tokens.css') + read('pages.css'))

const mark = html`<svg viewBox="0 0 32 32" aria-hidden="true" class="mark">
  <rect width="32" height="32" rx="8" />
  <path d="M9 8v16M23 8 13.5 16 23 24" />
</svg>`

export function sendHtmlPage(reply: FastifyReply, speech: Speech, page: HtmlPage): FastifyReply {
  const nonce = randomBytes(18).toString('base64')
  const { status = 200, title, body, company, script, head } = page
  const { formAction = "'self'", referrer = 'same-origin', isWide = false } = page
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(script ? [`script-src 'nonce-${nonce}'`] : []),
    "img-src 'self' data:",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  const name = company ?? 'Kontor'
  const document = html`<!doctype html>
    <html lang="${speech.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        <link rel="icon" href="/mark.svg" type="image/svg+xml" />
        ${head}
        <style nonce="${nonce}">
          ${style}
        </style>
      </head>
      <body${isWide && html` class="wide"`}>
        <header>${mark}<span>${name}</span></header>
        <main>${body}</main>
        <footer>${languageLinks(speech)}</footer>
        ${
          script &&
          html`<script nonce="${nonce}">
            ${script}
          </script>`
        }
      </body>
    </html>`
  if (speech.cookie) reply.header('set-cookie', speech.cookie)
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'content-language': speech.language,
      'x-frame-options': 'DENY',
      'referrer-policy': referrer,
      'cache-control': 'no-store',
      vary: 'accept-language, cookie',
    })
    .send(document.text)
}

function languageLinks({ language, address, say }: Speech): Html {
  const links = Object.entries(pageLanguages).map(([each, name]) =>
    each === language
      ? html`<li><span aria-current="true">${name}</span></li>`
      : html`<li>
          <a href="${addressIn(each as PageLanguage, address)}" lang="${each}" hreflang="${each}"
            >${name}</a
          >
        </li>`,
  )
  return html`<nav aria-label="${say('frame.languages')}">
    <ul>
      ${links}
    </ul>
  </nav>`
}

/** A problem with a text for people, which a page shows in its language. */
export class PageProblem extends Problem {
  readonly key: TextKey
  readonly title: TextKey | undefined
  constructor(status: number, key: TextKey, title?: TextKey) {
    super(status, sayIn('en')(key))
    this.key = key
    this.title = title
  }
}

/** The faults of a 400 problem by the names of their fields; undefined for any other error. */
export function faultsByField(error: unknown): Map<string, Fault> | undefined {
  if (!(error instanceof Problem) || error.status !== 400) return undefined
  const items = error.body()['validation-errors']
  return items && new Map(items.flatMap(({ errors }) => errors.map((each) => [each.path, each])))
}

/** Sends an error as a page, because people read it. `again`: the address to begin anew at. */
export function sendFailure(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { speech, again, ...around }: { speech: Speech; again?: string | undefined } & Partial<HtmlPage>,
): FastifyReply {
  const problem = asProblem(error)
  if (!problem)
    request.log.error(
      { err: error, reqId: request.id, path: request.routeOptions.url },
      'a request failed',
    )
  const { status, headers, message } = problem ?? internal()
  const { say } = speech
  const own = problem instanceof PageProblem ? problem : undefined
  const text = own?.key ?? reasons[status] ?? (status < 500 ? 'failure.request' : 'failure.server')
  const title = say(own?.title ?? (status === 403 ? 'failure.refused' : 'failure.title'))
  const body = html`<h1>${title}</h1>
    <p role="alert">${say(text)}</p>
    ${!own && html`<p class="note" lang="en">${message}</p>`}
    <p class="note">${say('failure.reference', { status: String(status), id: request.id })}</p>
    ${again !== undefined && html`<div class="row"><a class="button primary" href="${again}">${say('failure.again')}</a></div>`}`
  return sendHtmlPage(reply.headers(headers), speech, { status, title, body, ...around })
}

const reasons: Record<number, TextKey> = {
  403: 'failure.foreign',
  404: 'failure.absent',
  429: 'failure.often',
  503: 'failure.busy',
}
