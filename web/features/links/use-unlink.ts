import { useTranslations } from 'use-intl'
import { useOfferUndo } from '../../ui/undo.ts'
import { link, unlink } from './links.ts'
import type { ItemOfList, LinkTarget, ListName } from './links.ts'
import { useLinks } from './context.ts'

/** Answers a function that takes a row away at once, and offers to bring it back as it was. */
export function useUnlink<Name extends ListName>(
  list: Name,
): (item: ItemOfList<Name>, name: string, target: LinkTarget) => Promise<void> {
  const words = useTranslations('links')
  const offerUndo = useOfferUndo()
  const { owner, act } = useLinks()
  return async (item, name, target) => {
    const at = Date.now()
    const isDone = await act(
      list,
      (items) => items.filter(({ id }) => id !== item.id),
      () => unlink(owner, withoutTerms(target)),
    )
    if (!isDone) return
    const putBack = () =>
      act(
        list,
        (items) => (items.some(({ id }) => id === item.id) ? items : [...items, item]),
        () => link(owner, target),
      )
    offerUndo(words('unlinked', { name }), () => void putBack(), { at })
  }
}

/** To unlink, an element is named with its catalog, and a record with nothing more. */
const withoutTerms = ({ metadata, ...target }: LinkTarget): LinkTarget =>
  metadata?.catalog_id === undefined
    ? target
    : { ...target, metadata: { catalog_id: metadata.catalog_id } }
