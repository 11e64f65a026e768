// The pages of the window. Every page works without scripts. The only script hands the outcome to
// the window that opened this one.
import type { Kontor } from '../../../kontor.ts'
import type { Shown } from '../../integrations/integrations.ts'
import type { Place } from '../../sessions/sessions.ts'
import { Html, html, inScript } from './html.ts'
import type { WindowPage } from './html.ts'
import { hostOf } from '../../../http/addresses.ts'
import { asText } from './question.ts'
import type { WindowQuestion } from './question.ts'

/** The hidden fields of every form. */
interface Form {
  question: WindowQuestion
  csrf: string
}

const hidden = ({ question, csrf }: Form): Html =>
  html`<input type="hidden" name="question" value="${asText(question)}" /><input
      type="hidden"
      name="csrf"
      value="${csrf}"
    />`

interface SignInPage extends Form {
  integration: Shown
  status?: number
  email?: string
  /** The error of the previous attempt. */
  message?: string
  /** Whether the user signs in with a code as well. */
  asksForCode?: boolean
}

export function signInPage({
  integration,
  status = 200,
  email = '',
  message,
  asksForCode = false,
  ...form
}: SignInPage): WindowPage {
  const body = html` ${heading(integration, 'Sign in to Kontor', html`to allow or deny access for <strong>${integration.name}</strong>`)}
    ${message !== undefined && html`<p class="bad" role="alert">${message}</p>`}
    <form method="post" action="/oauth">
      ${hidden(form)}
      <label for="email">E-mail</label>
      <input
        type="email"
        id="email"
        name="email"
        value="${email}"
        maxlength="255"
        autocomplete="username"
        required
        ${email === '' && 'autofocus'}
      />
      <label for="password">Password</label>
      <input
        type="password"
        id="password"
        name="password"
        maxlength="1024"
        autocomplete="current-password"
        required
        ${email !== '' && 'autofocus'}
      />
      ${asksForCode && codeField}
      <div class="row"><button class="main" name="action" value="sign_in">Sign in</button></div>
    </form>`
  return { status, title: 'Sign in - Kontor', body }
}

const codeField = html`<label for="code">Code</label>
  <input
    type="text"
    id="code"
    name="code"
    maxlength="64"
    autocomplete="one-time-code"
    autocapitalize="none"
    spellcheck="false"
  />
  <p class="note">From your authenticator app, or a recovery code.</p>`

interface ConsentPage extends Form {
  kontor: Kontor
  integration: Shown
  /**
   * All accounts that the user is signed in to; `allowed`: those to which the user may grant
   * access.
   */
  places: Place[]
  allowed: Place[]
}

export function consentPage({
  kontor,
  integration,
  places,
  allowed,
  ...form
}: ConsentPage): WindowPage {
  const { name, description, scopes } = integration
  const body = html` ${heading(integration, name, 'asks for access to your account')}
    ${description !== '' && html`<p class="about">${description}</p>`}
    <form method="post" action="/oauth">
      ${hidden(form)}
      <input type="hidden" name="scopes" value="${scopes.join(' ')}" />
      <h2>It will be able to</h2>
      <ul>
        ${scopes.map((scope) => html`<li>${words[scope] ?? scope}</li>`)}
      </ul>
      ${choiceOf(kontor, allowed)} ${warning(allowed)}
      ${
        places.length > allowed.length &&
        html`<p class="note">In your other accounts, an administrator has to install it first.</p>`
      }
      <div class="row">
        <button name="action" value="deny">Deny</button>
        <button class="main" name="action" value="allow">Allow</button>
      </div>
    </form>
    ${whoIs(form, places)}`
  // Browsers apply form-action to the redirects after a form too, including those of the
  // integration's page.
  const formAction = integration.redirect_uri.startsWith('https:')
    ? "'self' https:"
    : "'self' https: http:"
  return { status: 200, title: `Access for ${name} - Kontor`, body, formAction }
}

/** Shown if the user may not grant access to any account of the session. */
export function forbiddenPage({
  integration,
  places,
  ...form
}: Form & { integration: Shown; places: Place[] }): WindowPage {
  const reason =
    places.some(({ is_admin }) => is_admin) && !integration.is_public
      ? 'It belongs to another account and is not open to others.'
      : 'An administrator of the account has to install it first.'
  const body = html` ${heading(integration, integration.name, 'asks for access to your account')}
    <p class="bad" role="alert">You cannot grant access to this integration. ${reason}</p>
    ${whoIs(form, places)}`
  return { status: 403, title: 'No access - Kontor', body }
}

export function errorPage(
  status: number,
  message: string,
  { again, reference }: { again?: string; reference: string },
): WindowPage {
  const body = html` <h1>${status === 403 ? 'That did not work' : 'This page cannot be shown'}</h1>
    <p role="alert">${message}</p>
    <p class="note">Status ${status}, request ${reference}</p>
    ${again !== undefined && html`<div class="row"><a class="button main" href="/oauth?${again}">Try again</a></div>`}`
  return { status, title: 'Kontor', body }
}

/**
 * Posts the outcome to the window that opened this one, and closes. Without an opener or scripts,
 * it redirects to `address`. The browser delivers the message only to a page of the origin
 * `target`.
 */
export function messagePage(message: object, target: string, address: string): WindowPage {
  const script = new Html(`
    const { message, target, address } = ${inScript({ message, target, address })}
    if (window.opener) {
      window.opener.postMessage(message, target)
      window.close()
    } else location.replace(address)
  `)
  const body = html` <h1>Done</h1>
    <p>You can close this window.</p>
    <noscript><a class="button main" href="${address}">Continue</a></noscript>`
  const head = html`<noscript><meta http-equiv="refresh" content="0; url=${address}" /></noscript>`
  return { status: 200, title: 'Done - Kontor', body, script, head, formAction: "'none'" }
}

const words: Record<string, string> = {
  crm: 'Read and change leads, contacts, companies, customers, tasks',
  files: 'Read and add files',
  files_delete: 'Delete files',
  notifications: 'Send notifications',
  push_notifications: 'Send push notifications',
}

function heading({ logo, name }: Shown, title: string, about: Html | string): Html {
  const sign = html`<div class="sign" aria-hidden="true">${firstLetter(name)}</div>`
  return html`<div class="head">
    ${logo === null ? sign : html`<img src="${logo}" alt="" />`}
    <div>
      <h1>${title}</h1>
      <div class="quiet">${about}</div>
    </div>
  </div>`
}

function firstLetter(name: string): string {
  return name.trim().match(/^./u)?.[0].toUpperCase() ?? '?'
}

function choiceOf(kontor: Kontor, allowed: Place[]): Html {
  const chosen = allowed.find(({ is_chosen }) => is_chosen) ?? allowed[0]!
  if (allowed.length === 1)
    return html`<input type="hidden" name="account" value="${chosen.account_id}" />
      <p>
        Account: <strong>${chosen.account_name}</strong>
        <span class="quiet">${hostOf(kontor, chosen)}</span>
      </p>`
  const choices = allowed.map(
    (place) =>
      html`<label class="choice">
        <input
          type="radio"
          name="account"
          value="${place.account_id}"
          ${place === chosen && 'checked'}
        />
        <span>${place.account_name} <small>${hostOf(kontor, place)}</small></span>
      </label>`,
  )
  return html`<fieldset>
    <legend>Account</legend>
    ${choices}
  </fieldset>`
}

function warning(allowed: Place[]): Html | undefined {
  if (!allowed.some(({ is_admin }) => is_admin)) return undefined
  const where =
    allowed.length === 1 ? 'As you are an administrator' : 'Where you are an administrator'
  return html`<p class="warn">${where}, it gets <strong>full access</strong>.</p>`
}

function whoIs(form: Form, [place]: Place[]): Html {
  return html`<form class="who" method="post" action="/oauth">
    ${hidden(form)}
    <span>${place!.user_name} (${place!.email})</span>
    <button class="link" name="action" value="sign_out">Use another account</button>
  </form>`
}
