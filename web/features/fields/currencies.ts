import { useMemo } from 'react'
import { useLocale } from 'use-intl'

/** The currencies that the browser knows, by code and name. */
export function useCurrencies(): { value: string; label: string }[] {
  const locale = useLocale()
  return useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: 'currency' })
    return Intl.supportedValuesOf('currency').map((code) => ({
      value: code,
      label: `${code} · ${names.of(code) ?? code}`,
    }))
  }, [locale])
}
