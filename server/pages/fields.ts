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
  /** Whether the fault above the form is about this field. */
  isFaulty?: boolean
  hint?: string | undefined
  /** The fault of this field alone. */
  fault?: string | undefined
}

interface TextFieldOptions extends FieldOptions {
  /** The name of the field, also its id. */
  name: string
  label: string
  type?: 'text' | 'email'
  autocomplete: string
  maxLength: number
  isRequired?: boolean
}

export const textField = ({
  name,
  label,
  type = 'text',
  value = '',
  autocomplete,
  maxLength,
  isRequired = true,
  ...options
}: TextFieldOptions): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      type="${type}"
      id="${name}"
      name="${name}"
      value="${value}"
      maxlength="${maxLength}"
      autocomplete="${autocomplete}"
      ${autocomplete === 'one-time-code' && new Html('autocapitalize="none" spellcheck="false"')}
      ${isRequired && 'required'}
      ${stateOf(name, options)}
    />
    ${notesOf(name, options)}
  </div>`

/** A field of several lines that may stay empty. */
export const areaField = ({
  name,
  label,
  value = '',
  maxLength,
  ...options
}: FieldOptions & { name: string; label: string; maxLength: number }): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <textarea
      id="${name}"
      name="${name}"
      rows="2"
      maxlength="${maxLength}"
      spellcheck="false"
      autocomplete="off"
      ${stateOf(name, options)}
    >
${value}</textarea>
    ${notesOf(name, options)}
  </div>`

/** A password with a button that shows it, which `revealScript` makes visible. */
export const passwordField = (
  say: Say,
  {
    isNew = false,
    isRequired = true,
    label = say('fields.password'),
    ...options
  }: Omit<FieldOptions, 'value'> & { isNew?: boolean; isRequired?: boolean; label?: string } = {},
): Html =>
  html`<div class="field">
    <label for="password">${label}</label>
    <div class="reveal">
      <input
        type="password"
        id="password"
        name="password"
        ${isNew && new Html('minlength="8"')}
        maxlength="${isNew ? 200 : 1024}"
        autocomplete="${isNew ? 'new-password' : 'current-password'}"
        ${isRequired && 'required'}
        ${stateOf('password', options)}
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
    ${notesOf('password', options)}
  </div>`

interface SelectOptions {
  name: string
  label: string
  value: string
  /** The value and the text of each choice. */
  choices: readonly (readonly [string, string])[]
  fault?: string | undefined
}

export const selectField = ({ name, label, value, choices, ...options }: SelectOptions): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" ${stateOf(name, options)}>
      ${choices.map(([each, text]) => html`<option value="${each}" ${each === value && 'selected'}>${text}</option>`)}
    </select>
    ${notesOf(name, options)}
  </div>`

function stateOf(name: string, { isFirst, isFaulty, hint, fault }: FieldOptions): Html {
  const ids = [
    fault !== undefined && `${name}-fault`,
    isFaulty && faultId,
    hint !== undefined && fault === undefined && `${name}-hint`,
  ].filter((id) => typeof id === 'string')
  return html`${isFirst && 'autofocus '}${
    (isFaulty || fault !== undefined) && html`aria-invalid="true" `
  }${ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`}`
}

/** The fault takes the place of the hint, which says the same beforehand. */
const notesOf = (name: string, { hint, fault }: FieldOptions): Html =>
  html`${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}${
    hint !== undefined && fault === undefined && html`<p class="note" id="${name}-hint">${hint}</p>`
  }`

export const emailField = (say: Say, options: FieldOptions = {}): Html =>
  textField({
    name: 'email',
    label: say('fields.email'),
    type: 'email',
    autocomplete: 'username',
    maxLength: 255,
    ...options,
  })

/** A code of the authenticator app, or a recovery code. */
const codeField = (say: Say, options: FieldOptions): Html =>
  textField({
    name: 'code',
    label: say('fields.code'),
    autocomplete: 'one-time-code',
    maxLength: 64,
    hint: say('fields.codeHint'),
    ...options,
  })

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
