import {
  emailField,
  faultOf,
  passwordField,
  revealScript,
  selectField,
  textField,
} from '../../../pages/fields.ts'
import type { HtmlPage } from '../../../pages/frame.ts'
import { Html, html } from '../../../pages/html.ts'
import { pageLanguages } from '../../../pages/language.ts'
import type { PageLanguage, Say, Speech, TextKey } from '../../../pages/language.ts'
import { currencyCodes } from '../../currencies/currencies.ts'
import type { SetupForm } from './routes.ts'

interface SetupQuestion {
  /** The values that a refused form sent. */
  sent: SetupForm
  asksForCode: boolean
  /** The names of the fields that are wrong. */
  faults?: Set<string>
  /** The minutes to wait after too many wrong codes. */
  minutes?: number
}

/** The currency that a language suggests. */
const currencies: Record<PageLanguage, string> = { en: 'USD', ru: 'RUB', es: 'EUR', pt: 'BRL' }
const timezones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]

export function setupPage(
  { language, say }: Speech,
  { sent, asksForCode, faults = new Set(), minutes }: SetupQuestion,
): HtmlPage {
  const faultAt = (name: string, key: TextKey) => (faults.has(name) ? say(key) : undefined)
  const texts = ['code', 'company', 'name', 'email', 'password']
  const first = texts.find((name) => faults.has(name)) ?? (asksForCode ? 'code' : 'company')
  const message =
    minutes === undefined
      ? faults.size > 0
        ? say('setup.faults')
        : undefined
      : say('signIn.tooMany', { minutes })
  const body = html`<h1>${say('setup.title')}</h1>
    <p class="quiet">${say('setup.about')}</p>
    ${faultOf(message)}
    <form method="post" action="/setup" class="steps">
      <fieldset class="step">
        <legend>${say('setup.account')}</legend>
        ${
          asksForCode &&
          textField({
            name: 'code',
            label: say('setup.code'),
            value: sent.code,
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
          value: sent.company,
          autocomplete: 'organization',
          maxLength: 255,
          isFirst: first === 'company',
          fault: faultAt('company', 'setup.companyFault'),
        })}
        <div class="pair">
          ${textField({
            name: 'name',
            label: say('fields.name'),
            value: sent.name,
            autocomplete: 'name',
            maxLength: 50,
            isFirst: first === 'name',
            fault: faultAt('name', 'fields.nameFault'),
          })}
          ${emailField(say, { value: sent.email, isFirst: first === 'email', fault: faultAt('email', 'setup.emailFault') })}
        </div>
        ${passwordField(say, {
          isNew: true,
          isFirst: first === 'password',
          hint: say('fields.passwordHint'),
          fault: faultAt('password', 'fields.passwordFault'),
        })}
        ${selectField({
          name: 'language',
          label: say('frame.languages'),
          value: sent.language ?? language,
          choices: Object.entries(pageLanguages),
          fault: faultAt('language', 'setup.choiceFault'),
        })}
        <div class="pair">
          ${selectField({
            name: 'timezone',
            label: say('setup.timezone'),
            value: sent.timezone ?? 'UTC',
            choices: timezones.map((name) => [name, name.replaceAll('_', ' ')]),
            fault: faultAt('timezone', 'setup.choiceFault'),
          })}
          ${selectField({
            name: 'currency',
            label: say('setup.currency'),
            value: sent.currency ?? currencies[language],
            choices: currencyChoices(language),
            fault: faultAt('currency', 'setup.choiceFault'),
          })}
        </div>
      </fieldset>
      <fieldset class="step">
        <legend>${say('setup.process')}</legend>
        ${choices('sales_process', sent.sales_process ?? 'simple', [
          ['simple', say('setup.simple'), say('setup.simpleAbout')],
          ['long', say('setup.long'), say('setup.longAbout')],
          ['empty', say('setup.empty'), say('setup.emptyAbout')],
        ])}
        <fieldset>
          <legend>${say('setup.buyers')}</legend>
          ${choices('customers', sent.customers ?? 'periodicity', [
            ['periodicity', say('setup.periodicity'), say('setup.periodicityAbout')],
            ['segments', say('setup.segments'), say('setup.segmentsAbout')],
            ['off', say('setup.off'), say('setup.offAbout')],
          ])}
        </fieldset>
      </fieldset>
      ${demoChoice(say, sent)}
      <button class="primary full">${say('setup.submit')}</button>
    </form>`
  // Nobody has chosen a zone before the first form arrives.
  const script =
    sent.timezone === undefined ? new Html(revealScript.text + zoneScript) : revealScript
  const status = minutes === undefined ? (faults.size > 0 ? 400 : 200) : 429
  return { status, title: say('setup.title'), body, script, isWide: true }
}

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

/** The box is set at first; an unset box sends nothing, so the rest of the form tells it apart. */
const demoChoice = (say: Say, { demo, company }: SetupForm): Html =>
  html`<fieldset class="step">
    <legend>${say('setup.data')}</legend>
    <div class="choices">
      <label class="choice"
        ><input
          type="checkbox"
          name="demo"
          value="on"
          ${(demo === 'on' || company === undefined) && 'checked'}
        />
        <span>${say('setup.demo')} <small>${say('setup.demoAbout')}</small></span></label
      >
    </div>
  </fieldset>`
