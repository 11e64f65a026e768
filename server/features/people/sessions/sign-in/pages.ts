// The pages of the sign-in.
import { faultOf, faultOfSignIn, revealScript, signInFields } from '../../../../pages/fields.ts'
import type { HtmlPage } from '../../../../pages/frame.ts'
import { html } from '../../../../pages/html.ts'
import type { Say } from '../../../../pages/language.ts'
import type { RefusedSignIn } from '../sessions.ts'

interface SignInAbout {
  say: Say
  company: string | undefined
  /** The local address that follows. */
  next: string
  /** Whether the user has just set a new password. */
  isChanged: boolean
}

export function loginPage(
  { say, company, next, isChanged }: SignInAbout,
  refused: RefusedSignIn | undefined,
): HtmlPage {
  const isCode = refused?.pair !== undefined
  const title = say(isCode ? 'signIn.codeTitle' : 'signIn.title')
  const body = html`<h1>${title}</h1>
    ${isChanged && !refused && html`<p class="good" role="status">${say('signIn.changed')}</p>`}
    ${faultOf(faultOfSignIn(say, refused))}
    <form method="post" action="${withNext('/login', next)}">
      ${signInFields(say, refused)}
      <button class="primary full">${say('signIn.submit')}</button>
    </form>
    <p class="aside">
      ${
        isCode
          ? html`<a href="${withNext('/login', next)}">${say('signIn.back')}</a>`
          : html`<a href="${withNext('/login/forgot', next)}">${say('signIn.forgot')}</a>`
      }
    </p>`
  return { status: refused?.status ?? 200, title, company, body, script: revealScript }
}

export function forgotPage({ say, company, next }: SignInAbout): HtmlPage {
  const body = html`<h1>${say('forgot.title')}</h1>
    <p>${say('forgot.ask')}</p>
    <p class="quiet">${say('forgot.administrator')}</p>
    <p><a class="button full" href="${withNext('/login', next)}">${say('signIn.back')}</a></p>`
  return { title: say('forgot.title'), company, body }
}

const withNext = (path: string, next: string): string =>
  next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
