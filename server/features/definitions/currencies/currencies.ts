/** The codes of ISO 4217 that prices and money fields may have, in the order of the alphabet. */
export const currencyCodes: readonly string[] = Intl.supportedValuesOf('currency')
