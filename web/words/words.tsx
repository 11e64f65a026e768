// The texts of the application: one file per area and language (ICU MessageFormat), chosen by the
// user's language and loaded as one chunk, but for the areas of cards, which are the largest and come
// with the first card. English gives the keys their types; a test compares the
// other languages with it and with the sources.
import { use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { IntlProvider, useLocale, useMessages } from 'use-intl'
import type { Language } from './languages.ts'
import type cardsEn from './cards/en.ts'
import type en from './en.ts'

declare module 'use-intl' {
  interface AppConfig {
    Locale: Language
    Messages: typeof en & typeof cardsEn
  }
}

const texts: Record<Language, () => Promise<{ default: typeof en }>> = {
  en: () => import('./en.ts'),
  ru: () => import('./ru.ts'),
  es: () => import('./es.ts'),
  pt: () => import('./pt.ts'),
}

/** Gives its children texts, dates and numbers in a language; shows nothing until they are loaded. */
export function Words({
  language,
  timeZone,
  children,
}: {
  language: Language
  timeZone: string
  children: ReactNode
}) {
  const [loaded, setLoaded] = useState<{ language: Language; messages: typeof en }>()
  useEffect(() => {
    let isWanted = true
    void texts[language]().then(({ default: messages }) => {
      if (isWanted) setLoaded({ language, messages })
    })
    return () => {
      isWanted = false
    }
  }, [language])
  useEffect(() => {
    if (loaded) document.documentElement.lang = loaded.language
  }, [loaded])
  if (!loaded) return undefined
  return (
    <IntlProvider locale={loaded.language} messages={loaded.messages} timeZone={timeZone}>
      {children}
    </IntlProvider>
  )
}

type CardTexts = typeof cardsEn

const cardTexts: Record<Language, () => Promise<{ default: CardTexts }>> = {
  en: () => import('./cards/en.ts'),
  ru: () => import('./cards/ru.ts'),
  es: () => import('./cards/es.ts'),
  pt: () => import('./cards/pt.ts'),
}

const fetched = new Map<Language, Promise<CardTexts>>()

/** Fetches the texts of cards, once. */
export function fetchCardWords(language: Language): Promise<CardTexts> {
  const present = fetched.get(language)
  if (present) return present
  const coming = cardTexts[language]().then(({ default: messages }) => messages)
  fetched.set(language, coming)
  // The next card asks again.
  coming.catch(() => fetched.delete(language))
  return coming
}

/** Gives its children the texts of cards too; suspends until they are there. */
export function CardWords({ children }: { children: ReactNode }) {
  const language = useLocale()
  const usual = useMessages()
  const own = use(fetchCardWords(language))
  const messages = useMemo(() => ({ ...usual, ...own }), [usual, own])
  return (
    <IntlProvider locale={language} messages={messages}>
      {children}
    </IntlProvider>
  )
}
