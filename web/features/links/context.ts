// Shared by the sections of a card's links: the card as it is shown, with what the user has just done
// to its links over the server's lists, the words of the account, and how to act.
import { createContext, useContext, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { RecordCard } from '../../../server/features/application/cards/schema.ts'
import type { RecordType } from '../../../server/records/description.ts'
import { makeTurns } from '../../data/turns.ts'
import { useRefusalText } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import type { ItemOfList, ListName, Lists, LinkedRecord } from './links.ts'

type Change<Name extends ListName> = (items: ItemOfList<Name>[]) => ItemOfList<Name>[]

interface Pending {
  list: ListName
  change: (items: never[]) => object[]
}

export interface LinksContext {
  owner: LinkedRecord
  lists: Lists
  vocabulary: Bootstrap
  mayEdit: boolean
  open: (type: RecordType, id: number) => void
  /** The name of the user who changed a link of the record, or else one of the records that it shows, last. */
  changedBy: (isLink: boolean) => string | undefined
  /**
   * Shows a change at once and writes it, after the changes before it. A refusal takes it back and is said; false then.
   */
  act: <Name extends ListName>(
    list: Name,
    change: Change<Name>,
    write: () => Promise<unknown>,
  ) => Promise<boolean>
  /** Something was written that no list shows before the card is read again; ends when it is. */
  changed: () => Promise<void>
}

const Context = createContext<LinksContext | undefined>(undefined)
export const LinksProvider = Context.Provider

export function useLinks(): LinksContext {
  const context = useContext(Context)
  if (!context) throw new Error('a section of links stands outside of a card')
  return context
}

/** The lists of a card with the changes that no answer has shown yet. */
export function useShownLists(
  card: RecordCard,
  changed: () => Promise<void>,
): Pick<LinksContext, 'lists' | 'act'> {
  const words = useTranslations('links')
  const refusalText = useRefusalText()
  const [pending, setPending] = useState<Pending[]>([])
  const [turns] = useState(() => makeTurns())
  const lists = { ...card } as Lists
  for (const { list, change } of pending) {
    const { items, is_more } = lists[list]
    lists[list] = { items: change(items as never), is_more } as never
  }
  return {
    lists,
    act: async (list, change, write) => {
      const own: Pending = { list, change }
      const end = () => setPending((all) => all.filter((each) => each !== own))
      setPending((all) => [...all, own])
      try {
        await turns.take(write)
      } catch (error) {
        end()
        warn(words('failed'), refusalText(error))
        return false
      }
      // A card that was asked for before the write does not hold it, whenever it comes.
      void changed().then(end)
      return true
    },
  }
}

/**
 * Says what another made of a link, or of a linked record, meanwhile; `value` is empty where it is gone. News of a
 * link may come later than the lists that show it, which know their author themselves.
 */
export function useTheirText(of: 'link' | 'record'): (value: string) => string {
  const words = useTranslations('card')
  const { changedBy } = useLinks()
  return (value) => {
    const who = changedBy(of === 'link') ?? words('somebody')
    return value === '' ? words('theyCleared', { who }) : words('theirs', { who, value })
  }
}
