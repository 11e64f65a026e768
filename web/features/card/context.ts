// Shared by the parts of a card: its store, what the user may do, and who else has it open.
import { createContext, useContext } from 'react'
import { useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { Other } from './presence.ts'
import type { CardStore } from './store.ts'
import type { Zones } from '../../crm/fields/field.ts'

export interface CardContext {
  store: CardStore
  bootstrap: Bootstrap
  zones: Zones
  /** False in the bin, and without the right. */
  mayEdit: boolean
  others: readonly Other[]
  /** Tells others which member the user edits. */
  edit: (member: string | null) => void
}

const Context = createContext<CardContext | undefined>(undefined)
export const CardProvider = Context.Provider

export function useOpenCard(): CardContext {
  const context = useContext(Context)
  if (!context) throw new Error('a part of a card stands outside of it')
  return context
}

/** The name of a user; undefined for one that the account does not have. */
export const userName = ({ users }: Pick<Bootstrap, 'users'>, id: number | undefined) =>
  users.find((user) => user.id === id)?.name

/** Answers a function that names who changed the record last, as far as the page knows. */
export function useLastEditor(): () => string {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  return () =>
    nameOfEditor(bootstrap, store.known('updated_by'), store.changedBy) ?? words('somebody')
}

/** The name of the first of these who is not the user of this page; of the user, where there is nobody else. */
export function nameOfEditor(
  bootstrap: Bootstrap,
  ...ids: (number | undefined)[]
): string | undefined {
  const known = ids.filter((id) => id !== undefined)
  return userName(bootstrap, known.find((id) => id !== bootstrap.me.id) ?? known[0])
}

/** The first letters of the first two words of a name. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32))
    .join('')
    .toUpperCase()
