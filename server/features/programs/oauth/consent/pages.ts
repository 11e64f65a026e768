// The pages of the window. Every page works without scripts. Scripts hold a click on Allow back that
// was meant for another page, and hand the outcome to the window that opened this one.
import type { Kontor } from '../../../../kontor.ts'
import type { Shown } from '../../integrations/integrations.ts'
import type { SignedInAccount, RefusedSignIn } from '../../../people/sessions/sessions.ts'
import { faultOf, faultOfSignIn, revealScript, signInFields } from '../../../../pages/fields.ts'
import type { HtmlPage } from '../../../../pages/frame.ts'
import { Html, html, inScript } from '../../../../pages/html.ts'
import type { Say, TextKey } from '../../../../pages/language.ts'
import { hostOf } from '../../../../http/addresses.ts'
import { asText } from './parameters.ts'
import type { ConsentParameters } from './parameters.ts'

/** The hidden fields of every form. */
interface Form {
  say: Say
  parameters: ConsentParameters
  csrf: string
}

const hidden = ({ parameters, csrf }: Pick<Form, 'parameters' | 'csrf'>): Html =>
  html`<input type="hidden" name="question" value="${asText(parameters)}" /><input
      type="hidden"
      name="csrf"
      value="${csrf}"
    />`

interface SignInPage extends Form {
  integration: Shown
  /** The attempt before. */
  refused?: RefusedSignIn
  /** The status and the fault without an attempt. */
  status?: number
  email?: string
  fault?: string
}

export function signInPage({
  integration,
  refused,
  status = refused?.status ?? 200,
  email,
  fault,
  ...form
}: SignInPage): HtmlPage {
  const { say } = form
  const about = say('window.signInFor', { name: integration.name })
  const body = html` ${heading(integration, say('window.signInTitle'), about, false)}
    ${faultOf(fault ?? faultOfSignIn(say, refused))}
    <form method="post" action="/oauth">
      ${hidden(form)} ${signInFields(say, refused, { email, isFaulty: fault !== undefined })}
      <div class="row">
        <button class="primary" name="action" value="sign_in">${say('signIn.submit')}</button>
      </div>
    </form>`
  return { status, title: say('signIn.title'), body, script: revealScript }
}

interface ConsentPage extends Form {
  kontor: Kontor
  integration: Shown
  /**
   * All accounts that the user is signed in to; `allowed`: those to which the user may grant
   * access.
   */
  accounts: SignedInAccount[]
  allowed: SignedInAccount[]
}

/** All that an integration asks for, as the form says what its user has agreed to. */
export const requestedBy = ({ scopes, manages_people }: Shown): string =>
  [...scopes, ...(manages_people ? ['manages_people'] : [])].join(' ')

export function consentPage({
  kontor,
  integration,
  accounts,
  allowed,
  ...form
}: ConsentPage): HtmlPage {
  const { say } = form
  const { name, description, manages_people, scopes, redirect_uri } = integration
  const body = html` ${heading(integration, name, say('window.asks'))}
    ${description !== '' && html`<p class="about">${description}</p>`}
    <form method="post" action="/oauth">
      ${hidden(form)}
      <input type="hidden" name="scopes" value="${requestedBy(integration)}" />
      <div>
        <h2>${say('window.abilities')}</h2>
        <ul class="list">
          ${scopes.map((scope) => html`<li>${scopeWords[scope] ? say(scopeWords[scope]) : scope}</li>`)}
          ${manages_people && html`<li>${say('window.managesPeople')}</li>`}
        </ul>
      </div>
      ${choiceOf(kontor, say, allowed)}
      <dl class="facts">
        ${allowed.length === 1 && accountFact(kontor, say, allowed[0]!)}
        <dt>${say('window.returnsTo')}</dt>
        <dd>${new URL(redirect_uri).origin}</dd>
      </dl>
      ${warning(say, allowed)}
      ${accounts.length > allowed.length && html`<p class="note">${say('window.otherAccounts')}</p>`}
      <div class="row">
        <button name="action" value="deny" id="deny">${say('window.deny')}</button>
        <button class="primary" name="action" value="allow" id="allow">
          ${say('window.allow')}
        </button>
      </div>
    </form>
    ${whoIs(form, accounts)}`
  // Browsers apply form-action to the redirects after a form too, including those of the
  // integration's page.
  const formAction = redirect_uri.startsWith('https:') ? "'self' https:" : "'self' https: http:"
  const script = consentScript(say('window.confirmDeny'))
  return { title: say('window.title', { name }), body, formAction, script }
}

/**
 * A page behind may bring this window to the front under a click that is on its way, so Allow takes
 * none for 500 ms. Escape denies, once the person has confirmed it.
 */
const consentScript = (parameters: string): Html =>
  new Html(`
    const allow = document.getElementById('allow'), deny = document.getElementById('deny')
    let timer
    const hold = () => {
      allow.setAttribute('aria-disabled', 'true')
      clearTimeout(timer)
      timer = setTimeout(() => allow.removeAttribute('aria-disabled'), 500)
    }
    hold()
    addEventListener('focus', hold)
    allow.addEventListener('click', (event) => {
      if (allow.hasAttribute('aria-disabled')) event.preventDefault()
    })
    addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' && confirm(${inScript(parameters)})) deny.click()
    })
  `)

/** Shown if the user may not grant access to any account of the session. */
export function forbiddenPage({
  integration,
  accounts,
  ...form
}: Form & { integration: Shown; accounts: SignedInAccount[] }): HtmlPage {
  const { say } = form
  const reason =
    accounts.some(({ is_admin }) => is_admin) && !integration.is_public
      ? say('window.belongsElsewhere')
      : say('window.installFirst')
  const body = html` ${heading(integration, integration.name, say('window.asks'))}
    <p class="bad" role="alert">${say('window.forbidden')} ${reason}</p>
    ${whoIs(form, accounts)}`
  return { status: 403, title: say('window.forbiddenTitle'), body }
}

/**
 * Posts the outcome to the window that opened this one, and closes. Without an opener or scripts,
 * it redirects to `address`. The browser delivers the message only to a page of the origin
 * `target`.
 */
export function messagePage(say: Say, message: object, target: string, address: string): HtmlPage {
  const script = new Html(`
    const { message, target, address } = ${inScript({ message, target, address })}
    if (window.opener) {
      window.opener.postMessage(message, target)
      window.close()
    } else location.replace(address)
  `)
  const body = html` <h1>${say('window.doneTitle')}</h1>
    <p>${say('window.done')}</p>
    <noscript><a class="button primary" href="${address}">${say('window.continue')}</a></noscript>`
  const refresh = html`<noscript
    ><meta http-equiv="refresh" content="0; url=${address}"
  /></noscript>`
  return { title: say('window.doneTitle'), body, script, head: refresh, formAction: "'none'" }
}

const scopeWords: Record<string, TextKey> = {
  crm: 'window.scopeCrm',
  files: 'window.scopeFiles',
  files_delete: 'window.scopeFilesDelete',
  notifications: 'window.scopeNotifications',
  push_notifications: 'window.scopePush',
}

/** `isFirst`: the page begins at its heading, so that a decision begins with what is asked. */
function heading({ logo, name }: Shown, title: string, about: string, isFirst = true): Html {
  const sign = html`<div class="sign" aria-hidden="true">${firstLetter(name)}</div>`
  return html`<div class="head">
    ${logo === null ? sign : html`<img src="${logo}" alt="" />`}
    <div>
      <h1 tabindex="-1" ${isFirst && 'autofocus'}>${title}</h1>
      <p class="quiet">${about}</p>
    </div>
  </div>`
}

function firstLetter(name: string): string {
  return name.trim().match(/^./u)?.[0].toUpperCase() ?? '?'
}

function choiceOf(kontor: Kontor, say: Say, allowed: SignedInAccount[]): Html {
  const chosen = allowed.find(({ is_chosen }) => is_chosen) ?? allowed[0]!
  if (allowed.length === 1)
    return html`<input type="hidden" name="account" value="${chosen.account_id}" />`
  const choices = allowed.map(
    (each) =>
      html`<label class="choice">
        <input
          type="radio"
          name="account"
          value="${each.account_id}"
          ${each === chosen && 'checked'}
        />
        <span>${each.account_name} <small>${hostOf(kontor, each)}</small></span>
      </label>`,
  )
  return html`<fieldset>
    <legend>${say('window.account')}</legend>
    <div class="choices">${choices}</div>
  </fieldset>`
}

const accountFact = (kontor: Kontor, say: Say, account: SignedInAccount): Html =>
  html`<dt>${say('window.account')}</dt>
    <dd>
      <strong>${account.account_name}</strong> <span class="quiet">${hostOf(kontor, account)}</span>
    </dd>`

function warning(say: Say, allowed: SignedInAccount[]): Html | undefined {
  if (!allowed.some(({ is_admin }) => is_admin)) return undefined
  const text = allowed.length === 1 ? 'window.fullAccess' : 'window.fullAccessSomewhere'
  return html`<p class="warn">${say(text)}</p>`
}

function whoIs(form: Form, [account]: SignedInAccount[]): Html {
  return html`<form class="who" method="post" action="/oauth">
    ${hidden(form)}
    <span>${account!.user_name} (${account!.email})</span>
    <button class="link" name="action" value="sign_out">${form.say('window.useAnother')}</button>
  </form>`
}
