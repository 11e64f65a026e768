// The language of the pages that the server writes. Their reader may not be signed in, so the browser
// says it: by the link that the reader chose once, else by the languages it accepts.
import type { FastifyRequest } from 'fastify'
import { createTranslator } from 'use-intl/core'
import { readCookie, setCookie } from '../http/cookies.ts'
import type { Kontor } from '../kontor.ts'
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }
import ru from './words/ru.json' with { type: 'json' }

const words = { en, ru, es, pt }
export type PageLanguage = keyof typeof words
/** The languages of the pages, each under its own name. */
export const pageLanguages: Record<PageLanguage, string> = {
  en: 'English',
  ru: 'Русский',
  es: 'Español',
  pt: 'Português',
}

/** A name of a text in `words`. */
export type TextKey = Parameters<ReturnType<typeof translator>>[0]
/** Answers a text with its values filled in. */
export type Say = (key: TextKey, values?: Record<string, string | number>) => string

/** How a page speaks with its reader. */
export interface Speech {
  language: PageLanguage
  say: Say
  /** The address of the page, which the links to the other languages repeat. */
  address: string
  /** A `Set-Cookie` header that remembers the language just chosen. */
  cookie?: string
}

const languageCookie = 'kontor_language'
const yearSeconds = 365 * 86_400
const translator = (language: PageLanguage) =>
  createTranslator({ locale: language, messages: words[language], timeZone: 'UTC' })
const known = new Map<PageLanguage, Say>()

/** The texts of a language. */
export function sayIn(language: PageLanguage): Say {
  const say = known.get(language) ?? translator(language)
  known.set(language, say)
  return say
}

/** The speech for a request: `?lang=` decides, then the cookie, then `Accept-Language`. */
export function speechFor(kontor: Pick<Kontor, 'url'>, request: FastifyRequest): Speech {
  const { headers, query, url } = request
  const requested = (query as { lang?: unknown } | undefined)?.lang
  const kept = readCookie(headers.cookie, languageCookie)
  const chosen = isPageLanguage(requested) ? requested : undefined
  const language =
    chosen ?? (isPageLanguage(kept) ? kept : acceptedOf(headers['accept-language'] ?? ''))
  const about = { language, say: sayIn(language), address: url }
  if (chosen === undefined || chosen === kept) return about
  return {
    ...about,
    cookie: setCookie(kontor, languageCookie, chosen, { maxAge: yearSeconds }),
  }
}

const isPageLanguage = (value: unknown): value is PageLanguage =>
  typeof value === 'string' && Object.hasOwn(words, value)

/** The language with the highest weight in an `Accept-Language` header that the pages have. */
export function acceptedOf(header: string): PageLanguage {
  const wanted = header
    .slice(0, 1000)
    .split(',')
    .map((each) => {
      const [tag = '', ...parameters] = each
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return { name: tag.split('-')[0]!, weight: weight ? Number(weight.slice(2)) : 1 }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  return wanted.map(({ name }) => name).find(isPageLanguage) ?? 'en'
}

/** An address with another `lang`. */
export function addressIn(language: PageLanguage, address: string): string {
  const [path = '/', query = ''] = address.split('?', 2)
  const kept = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('lang='))
  return `${path}?${[...kept, `lang=${language}`].join('&')}`
}
