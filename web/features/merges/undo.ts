import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { Problem } from '../../data/api.ts'
import { useRefusalText } from '../../ui/states.tsx'
import { say, warn } from '../../ui/toasts.ts'
import { undoMerge } from './merges.ts'

/** The codes of refusals that have a text of their own. */
const codes = [
  'AlreadyUndone',
  'Expired',
  'SurvivorGone',
  'RecordGone',
  'LaterMerge',
  'NoRoom',
  'LinksLimit',
  'ElementsLimit',
  'NamingLimit',
] as const

/** Answers a function that says in the user's language why a merge or an undo was refused. */
export function useMergeRefusal(): (error: unknown) => string {
  const words = useTranslations('merges')
  const refusalText = useRefusalText()
  return (error) => {
    const known = codes.find((code) => error instanceof Problem && error.code === code)
    if (known) return words(`refused.${known}`)
    return error instanceof Problem && error.status === 404 ? words('gone') : refusalText(error)
  }
}

/** Answers a function that undoes a merge, says how that went, and has the queries asked anew. */
export function useUndoMerge(): (id: number) => Promise<void> {
  const words = useTranslations('merges')
  const textOf = useMergeRefusal()
  const client = useQueryClient()
  return async (id) => {
    try {
      await undoMerge(id)
      say(words('undone'))
    } catch (error) {
      warn(words('undoFailed'), textOf(error))
      throw error
    } finally {
      for (const noun of ['contacts', 'companies', 'duplicates', 'merges'])
        void client.invalidateQueries({ queryKey: [noun] })
    }
  }
}
