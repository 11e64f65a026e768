// The texts of the application: one file per area and language (ICU MessageFormat), chosen by the
// user's language and loaded as one chunk. English gives the keys their types; a test compares the
// other languages with it and with the sources.
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { IntlProvider } from 'use-intl'
import type { Language } from './languages.ts'
import type en from './en.ts'

declare module 'use-intl' {
  interface AppConfig {
    Locale: Language
    Messages: typeof en
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
