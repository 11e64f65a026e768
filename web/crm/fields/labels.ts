import { useTranslations } from 'use-intl'

const codes = ['WORK', 'WORKDD', 'MOB', 'FAX', 'HOME', 'OTHER', 'PRIV'] as const

/** The label of a phone or an e-mail in the user's language. */
export function useLabelText(): (code: string) => string {
  const words = useTranslations('card')
  return (code) => {
    const known = codes.find((each) => each === code)
    return known ? words(`labels.${known}`) : code
  }
}
