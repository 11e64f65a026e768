// HTML pages rendered by the server. Every value in a page is escaped unless it is Html, so no user
// input becomes markup. The policy sent with a page allows only the style and the script with its
// nonce.
import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | undefined | false | Part[]

/** An HTML template. It escapes values, joins arrays, and drops `undefined` and `false`. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.reduce((whole, text, place) => whole + markup(parts[place - 1]) + text))
}

function markup(part: Part): string {
  if (part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(markup).join('')
  return part instanceof Html ? part.text : escape(String(part))
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** A value for use in a script: no text in it can end the script element. */
export function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export interface WindowPage {
  status: number
  title: string
  body: Html
  /** Runs when the page loads, if scripts are enabled. */
  script?: Html
  /** Added to the head, for browsers without scripts. */
  head?: Html
  /** The targets of the form, including redirects; by default this server only. */
  formAction?: string
}

export function sendWindowPage(reply: FastifyReply, style: string, page: WindowPage): FastifyReply {
  const nonce = randomBytes(18).toString('base64')
  const { status, title, body, script, head, formAction = "'self'" } = page
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(script ? [`script-src 'nonce-${nonce}'`] : []),
    'img-src data:',
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${head}
        <style nonce="${nonce}">
          ${new Html(style)}
        </style>
      </head>
      <body>
        <main>${body}</main>
        ${
          script &&
          html`<script nonce="${nonce}">
            ${script}
          </script>`
        }
      </body>
    </html>`
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .send(document.text)
}
