// The texts of the application: one file per area and language (ICU MessageFormat), chosen by the
// user's language and loaded as one chunk, but for the areas of cards, of tables and of settings, which come with
// the first of them. English gives the keys their types; a test compares
// the other languages with it and with the sources.
import { use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { IntlProvider, useLocale, useMessages } from 'use-intl'
import { part, waitFor } from '../data/rest.ts'
import type { Language } from './languages.ts'
import type cardsEn from './cards/en.ts'
import type en from './en.ts'
import type listsEn from './lists/en.ts'
import type settingsEn from './settings/en.ts'

declare module 'use-intl' {
  interface AppConfig {
    Locale: Language
    Messages: typeof en & typeof cardsEn & typeof listsEn & typeof settingsEn
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
    void waitFor('words', texts[language]()).then(({ default: messages }) => {
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

type Load<Texts> = Record<Language, () => Promise<{ default: Texts }>>

/** Texts that come with the screens that need them: how they are fetched, and who gives them. */
function laterWords<Texts extends object>(load: Load<Texts>) {
  const fetched = new Map<Language, Promise<Texts>>()

  /** Fetches the texts, once. */
  function fetchWords(language: Language, fetch = load[language]): Promise<Texts> {
    const present = fetched.get(language)
    if (present) return present
    const coming = fetch().then(({ default: messages }) => {
      // React reads these, and does not suspend for what has come: it shows what has suspended after 300 ms at the
      // earliest.
      void Object.assign(coming, { status: 'fulfilled', value: messages })
      return messages
    })
    fetched.set(language, coming)
    // The next screen asks again.
    coming.catch(() => fetched.delete(language))
    return coming
  }

  /** Gives its children these texts too; suspends until they are there. */
  function LaterWords({ children }: { children: ReactNode }) {
    const language = useLocale()
    const usual = useMessages()
    const own = use(fetchWords(language, part('words', load[language])))
    const messages = useMemo(() => ({ ...usual, ...own }), [usual, own])
    return (
      <IntlProvider locale={language} messages={messages}>
        {children}
      </IntlProvider>
    )
  }
  return { fetchWords, LaterWords }
}

export const { fetchWords: fetchCardWords, LaterWords: CardWords } = laterWords<typeof cardsEn>({
  en: () => import('./cards/en.ts'),
  ru: () => import('./cards/ru.ts'),
  es: () => import('./cards/es.ts'),
  pt: () => import('./cards/pt.ts'),
})

export const { fetchWords: fetchListWords, LaterWords: ListWords } = laterWords<typeof listsEn>({
  en: () => import('./lists/en.ts'),
  ru: () => import('./lists/ru.ts'),
  es: () => import('./lists/es.ts'),
  pt: () => import('./lists/pt.ts'),
})

export const { LaterWords: SettingsWords } = laterWords<typeof settingsEn>({
  en: () => import('./settings/en.ts'),
  ru: () => import('./settings/ru.ts'),
  es: () => import('./settings/es.ts'),
  pt: () => import('./settings/pt.ts'),
})
