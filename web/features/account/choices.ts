// The choices of the page of the account, named in the language of the user.

interface NamedChoice {
  value: string
  label: string
}

/** The currencies of ISO 4217 with their signs; `present` is one of them in any case. */
export function currencyChoices(language: string, present: string): NamedChoice[] {
  const names = new Intl.DisplayNames(language, { type: 'currency' })
  const codes = new Set([...Intl.supportedValuesOf('currency'), present])
  return [...codes].toSorted().map((code) => {
    const sign = signOf(language, code)
    const name = names.of(code) ?? code
    return { value: code, label: `${code} · ${name}${sign === code ? '' : ` · ${sign}`}` }
  })
}

const signOf = (language: string, currency: string): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency

/** The time zones with their names and what they are ahead of UTC now, by their addresses. */
export function zoneChoices(language: string, present: string): NamedChoice[] {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', present])
  return [...zones].toSorted().map((zone) => ({ value: zone, label: zoneText(language, zone) }))
}

export function zoneText(language: string, timeZone: string): string {
  const part = (timeZoneName: 'long' | 'shortOffset') =>
    new Intl.DateTimeFormat(language, { timeZone, timeZoneName })
      .formatToParts(Date.now())
      .find(({ type }) => type === 'timeZoneName')?.value
  const [name, offset] = [part('long'), part('shortOffset')]
  return [...new Set([timeZone.replaceAll('_', ' '), offset, name])].join(' · ')
}

/** The name of a day of the week: 0 for Sunday to 6 for Saturday. */
export const dayName = (language: string, day: number): string =>
  // 4 January 1970 was a Sunday.
  new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(
    Date.UTC(1970, 0, 4 + day),
  )
