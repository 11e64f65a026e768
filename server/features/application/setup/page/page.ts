import {
  areaField,
  emailField,
  faultOf,
  passwordField,
  revealScript,
  selectField,
  textField,
} from '../../../../pages/fields.ts'
import type { HtmlPage } from '../../../../pages/frame.ts'
import { Html, html } from '../../../../pages/html.ts'
import { pageLanguages } from '../../../../pages/language.ts'
import type { PageLanguage, Say, Speech, TextKey } from '../../../../pages/language.ts'
import { currencyCodes } from '../../../definitions/currencies/currencies.ts'
import { fieldsOfProcess, stagesOfProcess } from '../processes.ts'
import { salesProcesses } from '../schema.ts'
import type { SalesProcess } from '../schema.ts'
import type { AccountAnswers } from '../setup.ts'
import type { SetupDraft } from './draft.ts'
import type { SetupForm } from './routes.ts'

export const lastStep = 3
export type Step = 1 | 2 | 3

/** The parts of a step beside its own questions. */
export interface StepState {
  /** The values that a refused form sent. */
  sent: SetupForm
  /** The answers of the steps before. */
  draft: SetupDraft | undefined
  asksForCode: boolean
  /** The names of the fields that are wrong. */
  faults?: Set<string>
  /** The e-mail that cannot be invited. */
  wrongEmail?: string | undefined
  /** The minutes to wait after too many wrong codes. */
  minutes?: number
}

/** The currency that a language suggests. */
const currencies: Record<PageLanguage, string> = { en: 'USD', ru: 'RUB', es: 'EUR', pt: 'BRL' }
const timezones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
const titles: Record<Step, TextKey> = { 1: 'setup.account', 2: 'setup.process', 3: 'setup.data' }

/** A step of the setup. */
export function stepPage(speech: Speech, step: Step, state: StepState): HtmlPage {
  const { say } = speech
  const { faults = new Set(), minutes } = state
  const stepOf = { 1: accountStep, 2: processStep, 3: dataStep }[step]
  const message =
    minutes === undefined
      ? faults.size > 0
        ? say('setup.faults')
        : undefined
      : say('signIn.tooMany', { minutes })
  const body = html`${progress(say, step)}
    <h1>${say(titles[step])}</h1>
    ${faultOf(message)}
    <form method="post" action="/setup" class="steps">
      <input type="hidden" name="step" value="${step}" />
      ${stepOf(speech, state)}
      <div class="ends">
        ${step > 1 && html`<a class="button" href="/setup?step=${step - 1}">${say('setup.back')}</a>`}
        <button class="primary">
          ${say(step === lastStep ? 'setup.submit' : 'setup.continue')}
        </button>
      </div>
    </form>`
  // Nobody has chosen a zone before the first answers arrive.
  const isNew = step === 1 && state.sent.timezone === undefined && !state.draft
  const script = isNew ? new Html(revealScript.text + zoneScript) : revealScript
  const status = minutes === undefined ? (faults.size > 0 ? 400 : 200) : 429
  return { status, title: say('setup.title'), body, script, isWide: true }
}

/** The names of the steps, the present one marked. */
const progress = (say: Say, present: Step): Html =>
  html`<ol class="progress" aria-label="${say('setup.title')}">
    ${([1, 2, 3] as const).map(
      (step) =>
        html`<li
          ${step < present && html`class="done"`}
          ${step === present && html`aria-current="step"`}
        >
          <span>${say('setup.step', { step, last: lastStep })}</span> ${say(titles[step])}
        </li>`,
    )}
  </ol>`

function accountStep(
  { language, say }: Speech,
  { sent, draft, asksForCode, faults = new Set() }: StepState,
): Html {
  const kept = { ...draft?.account, ...sent }
  const faultAt = (name: string, key: TextKey) => (faults.has(name) ? say(key) : undefined)
  const texts = ['code', 'company', 'name', 'email', 'password']
  const first = texts.find((name) => faults.has(name)) ?? (asksForCode ? 'code' : 'company')
  const isKept = draft !== undefined && !faults.has('password')
  return html`${
      asksForCode &&
      textField({
        name: 'code',
        label: say('setup.code'),
        value: kept.code,
        autocomplete: 'off',
        maxLength: 100,
        isFirst: first === 'code',
        hint: say('setup.codeHint'),
        fault: faultAt('code', 'setup.codeFault'),
      })
    }
    ${textField({
      name: 'company',
      label: say('setup.company'),
      value: kept.company,
      autocomplete: 'organization',
      maxLength: 255,
      isFirst: first === 'company',
      fault: faultAt('company', 'setup.companyFault'),
    })}
    ${selectField({
      name: 'language',
      label: say('frame.languages'),
      value: kept.language ?? language,
      choices: Object.entries(pageLanguages),
      fault: faultAt('language', 'setup.choiceFault'),
    })}
    <div class="pair">
      ${selectField({
        name: 'timezone',
        label: say('setup.timezone'),
        value: kept.timezone ?? 'UTC',
        choices: timezones.map((name) => [name, name.replaceAll('_', ' ')]),
        fault: faultAt('timezone', 'setup.choiceFault'),
      })}
      ${selectField({
        name: 'currency',
        label: say('setup.currency'),
        value: kept.currency ?? currencies[language],
        choices: currencyChoices(language),
        fault: faultAt('currency', 'setup.choiceFault'),
      })}
    </div>
    <div class="pair">
      ${textField({
        name: 'name',
        label: say('fields.name'),
        value: kept.name,
        autocomplete: 'name',
        maxLength: 50,
        isFirst: first === 'name',
        fault: faultAt('name', 'fields.nameFault'),
      })}
      ${emailField(say, { value: kept.email, isFirst: first === 'email', fault: faultAt('email', 'setup.emailFault') })}
    </div>
    ${passwordField(say, {
      isNew: true,
      isRequired: !isKept,
      isFirst: first === 'password',
      hint: say(isKept ? 'setup.passwordKept' : 'fields.passwordHint'),
      fault: faultAt('password', 'fields.passwordFault'),
    })}`
}

function processStep({ say }: Speech, { sent, draft }: StepState): Html {
  const chosen = sent.sales_process ?? draft?.process?.sales_process ?? 'simple'
  return html`<fieldset class="processes" aria-label="${say('setup.process')}">
      <div class="choices">
        ${salesProcesses.map((process) => processChoice(say, process, draft!.account, chosen === process))}
      </div>
    </fieldset>
    <fieldset>
      <legend>${say('setup.buyers')}</legend>
      ${choices('customers', sent.customers ?? draft?.process?.customers ?? 'periodicity', [
        ['periodicity', say('setup.periodicity'), say('setup.periodicityAbout')],
        ['segments', say('setup.segments'), say('setup.segmentsAbout')],
        ['off', say('setup.off'), say('setup.offAbout')],
      ])}
    </fieldset>`
}

/** A process with its stages and fields, named in the language of the account, as they will be made. */
function processChoice(
  say: Say,
  process: SalesProcess,
  { language, currency }: AccountAnswers,
  isChosen: boolean,
): Html {
  const fields = fieldsOfProcess(process, language, currency).map(({ draft }) => draft.name)
  return html`<label class="choice">
    <input
      type="radio"
      name="sales_process"
      value="${process}"
      ${isChosen && 'checked'}
      aria-labelledby="${process}-name"
      aria-describedby="${process}-about"
    />
    <span>
      <span id="${process}-name">${say(processNames[process])}</span>
      <span id="${process}-about">
        <span class="stages" lang="${language}">
          ${stagesOfProcess(process, language).map(
            ({ name, color }) =>
              html`<span
                ><svg viewBox="0 0 8 8" aria-hidden="true">
                  <circle cx="4" cy="4" r="3.5" fill="${color}" /></svg
                >${name}</span
              > `,
          )}
        </span>
        ${
          fields.length > 0 &&
          html`<small
            >${say('setup.fields')} <span lang="${language}">${fields.join(', ')}</span></small
          >`
        }
      </span>
    </span>
  </label>`
}

const processNames = {
  simple: 'setup.simple',
  long: 'setup.long',
  shop: 'setup.shop',
  services: 'setup.services',
  builder: 'setup.builder',
  empty: 'setup.empty',
} as const

/** The box is set at first; an unset box sends nothing, so the number of the step tells it apart. */
const dataStep = ({ say }: Speech, { sent, wrongEmail }: StepState): Html =>
  html`<div class="choices">
      <label class="choice"
        ><input
          type="checkbox"
          name="demo"
          value="on"
          ${(sent.demo === 'on' || sent.step === undefined) && 'checked'}
        />
        <span>${say('setup.demo')} <small>${say('setup.demoAbout')}</small></span></label
      >
    </div>
    ${areaField({
      name: 'invite',
      label: say('setup.invite'),
      value: sent.invite,
      maxLength: mostText,
      isFirst: wrongEmail !== undefined,
      hint: say('setup.inviteAbout'),
      fault: wrongEmail === undefined ? undefined : say('setup.inviteFault', { email: wrongEmail }),
    })}
    <p class="note">${say('setup.api')}</p>`

/** Of 50 e-mails. */
export const mostText = 13_000

/** The links of the people who were invited; nobody sees them again. */
export function linksPage({ say }: Speech, links: { email: string; url: string }[]): HtmlPage {
  const body = html`<h1 tabindex="-1" autofocus>${say('setup.invitedTitle')}</h1>
    <p class="quiet">${say('setup.invitedAbout')}</p>
    ${links.map(
      ({ email, url }, index) =>
        html`<div class="field">
          <label for="link-${index}">${email}</label>
          <input id="link-${index}" value="${url}" readonly />
        </div>`,
    )}
    <div class="ends"><a class="button primary" href="/">${say('setup.submit')}</a></div>`
  return { title: say('setup.title'), body, script: selectScript, isWide: true }
}

const selectScript = new Html(`
  for (const link of document.querySelectorAll('input[readonly]'))
    link.addEventListener('focus', () => link.select())
`)

const zoneScript = `
  const zones = document.getElementById('timezone')
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if ([...zones.options].some(({ value }) => value === zone)) zones.value = zone
`

function currencyChoices(language: PageLanguage): [string, string][] {
  const names = new Intl.DisplayNames(language, { type: 'currency' })
  return currencyCodes.map((code) => [code, `${code} · ${names.of(code)}`])
}

const choices = (
  name: string,
  chosen: string,
  each: [value: string, text: string, about: string][],
): Html =>
  html`<div class="choices">
    ${each.map(
      ([value, text, about]) =>
        html`<label class="choice"
          ><input type="radio" name="${name}" value="${value}" ${value === chosen && 'checked'} />
          <span>${text} <small>${about}</small></span></label
        >`,
    )}
  </div>`
