/** The languages of the interface, each under its own name. */
export const languages = { en: 'English', ru: 'Русский', es: 'Español', pt: 'Português' } as const
export type Language = keyof typeof languages

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)
