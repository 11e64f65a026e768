// The pages of the sign-in.
import {
  codeField,
  emailField,
  faultOf,
  passwordField,
  revealScript,
} from '../../../pages/fields.ts'
import type { Page } from '../../../pages/frame.ts'
import { html } from '../../../pages/html.ts'
import type { Say } from '../../../pages/language.ts'

export interface SignInPage {
  say: Say
  company: string | undefined
  /** The local address that follows. */
  next: string
  status?: number
  email?: string
  /** Why the attempt before was refused. */
  fault?: string | undefined
  /** Whether the user signs in with a code as well. */
  asksForCode?: boolean
}

export function loginPage({
  say,
  company,
  next,
  status = 200,
  email = '',
  fault,
  asksForCode = false,
}: SignInPage): Page {
  const isFaulty = fault !== undefined
  const body = html`<h1>${say('signIn.title')}</h1>
    ${faultOf(fault)}
    <form method="post" action="${addressWithNext('/login', next)}">
      ${emailField(say, { value: email, isFirst: email === '', isFaulty })}
      ${passwordField(say, { isFirst: email !== '', isFaulty })}
      ${asksForCode && codeField(say, { isFaulty })}
      <button class="primary full">${say('signIn.submit')}</button>
    </form>
    <p class="aside">
      <a href="${addressWithNext('/login/forgot', next)}">${say('signIn.forgot')}</a>
    </p>`
  return { status, title: say('signIn.title'), company, body, script: revealScript }
}

export function forgotPage({
  say,
  company,
  next,
}: Pick<SignInPage, 'say' | 'company' | 'next'>): Page {
  const body = html`<h1>${say('forgot.title')}</h1>
    <p>${say('forgot.ask')}</p>
    <p class="quiet">${say('forgot.administrator')}</p>
    <p>
      <a class="button full" href="${addressWithNext('/login', next)}">${say('forgot.back')}</a>
    </p>`
  return { title: say('forgot.title'), company, body }
}

function addressWithNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
}
