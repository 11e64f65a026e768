// Says refusals of the server in the user's language. The server's sentences are English and more exact
// than the text of a code, so English readers get them, and so do all where a code is unknown.
import { useLocale, useTranslations } from 'use-intl'
import type { Fault, Problem } from '../data/api.ts'

/** Texts of a code at one field, which say more than that of the code alone. */
const fieldTexts = [
  'destination_InvalidUrl',
  'email_NotUnique',
  'name_InvalidFormat',
  'password_NotSupportedChoice',
  'to_user_id_NotSupportedChoice',
] as const

/** The things that somebody may have deleted, by the member of a body that names them. */
const gone = {
  pipeline_id: 'stage',
  status_id: 'stage',
  loss_reason_id: 'reason',
  responsible_user_id: 'user',
  task_type_id: 'taskType',
  group_id: 'group',
  role_id: 'role',
  field_id: 'field',
  enum_id: 'choice',
} as const

/**
 * The thing that somebody has deleted while it stood on this page. The page offers only what exists, so a refusal of it
 * means that it is gone; the server names it by its number, which tells a reader nothing in any language.
 */
const goneIn = (field: string | undefined, code: Fault['code']) =>
  (code === 'NotSupportedChoice' || code === 'EntityNotFound') &&
  field !== undefined &&
  Object.hasOwn(gone, field)
    ? gone[field as keyof typeof gone]
    : undefined

const among = <Key extends string>(keys: readonly Key[], key: string): key is Key =>
  (keys as readonly string[]).includes(key)

/** Answers a function that says a fault in the user's language. */
export function useFaultText(): (fault: Fault) => string {
  const words = useTranslations('faults')
  const isEnglish = useLocale() === 'en'
  const textOf = (fault: Fault) => {
    const { code, path, detail } = fault
    // The name of the field: the last part of its path that is no place in a list.
    const field = path.split('.').findLast((part) => !/^\d+$/.test(part))
    const missing = goneIn(field, code)
    if (missing) return words(`gone.${missing}`)
    if (isEnglish) return detail
    const special = `${field}_${code}`
    if (among(fieldTexts, special)) return words(`at.${special}`)
    // A page that is older than the server may not know all codes.
    return words.has(code) ? words(code, 'limit' in fault ? { limit: fault.limit } : {}) : detail
  }
  return (fault) => (fault.about === undefined ? textOf(fault) : `${fault.about}: ${textOf(fault)}`)
}

/** The statuses whose sentence says nothing about the single case. */
const statusTexts = {
  403: 'forbidden',
  404: 'notFound',
  413: 'tooLarge',
  429: 'tooMany',
  500: 'server',
  502: 'busy',
  503: 'busy',
  504: 'busy',
} as const

/** Answers a function that says a refusal in the user's language. */
export function useProblemText(): (problem: Problem) => string {
  const words = useTranslations('faults')
  const isEnglish = useLocale() === 'en'
  const textOf = useFaultText()
  return ({ status, message, faults, retryAfter = 0 }) => {
    if (faults.length > 0) return [...new Set(faults.slice(0, 3).map(textOf))].join(' ')
    const text = statusTexts[status as keyof typeof statusTexts] as
      | (typeof statusTexts)[keyof typeof statusTexts]
      | undefined
    if (isEnglish || text === undefined) return message
    return words(`status.${text}`, { limit: Math.max(1, Math.ceil(retryAfter / 60)) })
  }
}
