// The fields that several pages have.
import { Html, html } from './html.ts'
import type { Say } from './language.ts'

/** The id of the paragraph that says why a form was refused; fields point to it. */
const faultId = 'fault'

/** Says above a form why it was refused. */
export const faultOf = (fault: string | undefined): Html | undefined =>
  fault === undefined ? undefined : html`<p class="bad" role="alert" id="${faultId}">${fault}</p>`

interface FieldOptions {
  value?: string | undefined
  /** Whether the page begins here. */
  isFirst?: boolean
  /** Whether the fault of the page is about this field. */
  isFaulty?: boolean
}

const emailField = (
  say: Say,
  { value = '', isFirst = false, isFaulty = false }: FieldOptions = {},
): Html =>
  html`<div class="field">
    <label for="email">${say('fields.email')}</label>
    <input
      type="email"
      id="email"
      name="email"
      value="${value}"
      maxlength="255"
      autocomplete="username"
      required
      ${isFirst && 'autofocus'}
      ${isFaulty && html`aria-invalid="true" aria-describedby="${faultId}"`}
    />
  </div>`

/** A password with a button that shows it, which `revealScript` makes visible. */
export const passwordField = (
  say: Say,
  {
    isNew = false,
    isFirst = false,
    isFaulty = false,
  }: Omit<FieldOptions, 'value'> & { isNew?: boolean } = {},
): Html =>
  html`<div class="field">
    <label for="password">${say(isNew ? 'fields.newPassword' : 'fields.password')}</label>
    <div class="reveal">
      <input
        type="password"
        id="password"
        name="password"
        ${isNew && 'minlength="8"'}
        maxlength="${isNew ? 200 : 1024}"
        autocomplete="${isNew ? 'new-password' : 'current-password'}"
        required
        ${isFirst && 'autofocus'}
        ${describedBy(isNew && 'password-hint', isFaulty && faultId)}
        ${isFaulty && html`aria-invalid="true"`}
      />
      <button
        type="button"
        id="reveal"
        aria-controls="password"
        aria-pressed="false"
        aria-label="${say('fields.reveal')}"
        title="${say('fields.reveal')}"
        hidden
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12Z" />
          <circle cx="12" cy="12" r="3" />
          <path class="struck" d="m4 4 16 16" />
        </svg>
      </button>
    </div>
    ${isNew && html`<p class="note" id="password-hint">${say('fields.passwordHint')}</p>`}
  </div>`

/** A code of the authenticator app, or a recovery code. */
const codeField = (say: Say, { isFirst = false, isFaulty = false }: FieldOptions): Html =>
  html`<div class="field">
    <label for="code">${say('fields.code')}</label>
    <input
      type="text"
      id="code"
      name="code"
      maxlength="64"
      autocomplete="one-time-code"
      autocapitalize="none"
      spellcheck="false"
      required
      ${isFirst && 'autofocus'}
      ${describedBy('code-hint', isFaulty && faultId)}
      ${isFaulty && html`aria-invalid="true"`}
    />
    <p class="note" id="code-hint">${say('fields.codeHint')}</p>
  </div>`

/** Why a sign-in was refused, as far as a page depends on it. */
interface Refused {
  reason: 'wrong-pair' | 'code-needed' | 'wrong-code' | 'too-many' | 'too-late'
  minutes: number
  email: string
  pair: string | undefined
}

/** The sentence for a refused sign-in; none where only the code is still to come. */
export function faultOfSignIn(say: Say, refused: Refused | undefined): string | undefined {
  if (!refused) return undefined
  const { reason, minutes } = refused
  const faults = {
    'wrong-pair': say('signIn.wrongPair'),
    'code-needed': undefined,
    'wrong-code': say('signIn.wrongCode'),
    'too-many': say('signIn.tooMany', { minutes }),
    'too-late': say('signIn.tooLate'),
  }
  return faults[reason]
}

/** E-mail and password, or the code alone once both were right. */
export function signInFields(
  say: Say,
  refused: Refused | undefined,
  {
    email = refused?.email ?? '',
    isFaulty = refused !== undefined,
  }: { email?: string | undefined; isFaulty?: boolean } = {},
): Html {
  if (refused?.pair !== undefined)
    return html`<p class="quiet">${email}</p>
      <input type="hidden" name="pair" value="${refused.pair}" />
      ${codeField(say, { isFirst: true, isFaulty: refused.reason !== 'code-needed' })}`
  return html`${emailField(say, { value: email, isFirst: email === '', isFaulty })}
  ${passwordField(say, { isFirst: email !== '', isFaulty })}`
}

const describedBy = (...ids: (string | false)[]): Html | undefined => {
  const named = ids.filter((id) => id !== false)
  return named.length > 0 ? html`aria-describedby="${named.join(' ')}"` : undefined
}

/** Shows the button of `passwordField`, which switches between dots and letters. */
export const revealScript = new Html(`
  const reveal = document.getElementById('reveal'), secret = document.getElementById('password')
  if (reveal) {
    reveal.hidden = false
    reveal.onclick = () => {
      const isShown = secret.type === 'password'
      secret.type = isShown ? 'text' : 'password'
      reveal.setAttribute('aria-pressed', isShown)
      secret.focus()
    }
    // A browser offers to keep a password only from a field that hides it.
    secret.form.addEventListener('submit', () => (secret.type = 'password'))
  }
`)
