// Drafts in the links of a card. However the card is left, this browser keeps them as the drafts of fields
// (web/data/kept-edits.ts), and the card offers them when it is opened again.
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { forgetEdit, keepEdit, readEdit } from '../../data/kept-edits.ts'
import { followEdit } from '../../data/leaving.ts'
import { useLinks } from './context.ts'

interface LeftDraft<Draft> {
  draft: Draft
  /** The value that it began from. */
  base: unknown
  /** In milliseconds since 1970. */
  at: number
}

/** The draft of a part of the card's links that an earlier visit left; undefined without one. */
export function useLeftDraft<Draft>(member: string): LeftDraft<Draft> | undefined {
  const { owner } = useLinks()
  const [left] = useState(() => readEdit(recordOf(owner), member))
  return left?.draft === undefined ? undefined : (left as LeftDraft<Draft>)
}

/** How a part of a card is left: with its page, or taken from the page. */
export type Leaving = 'page' | 'part'

/**
 * Follows a draft: `typed` is undefined while nothing is typed that could be lost. It is kept when its card or page is
 * left. `save` answers what the focus would send that leaves it, if it can be sent: whether the server has taken it, or
 * the draft is for nothing. Answers the function that ends the draft, saved or thrown away.
 */
export function useFollowedDraft(
  member: string,
  typed: { draft: unknown; base: unknown } | undefined,
  save: (leaving: Leaving) => Promise<boolean> | undefined = () => undefined,
): () => void {
  const { owner } = useLinks()
  const record = recordOf(owner)
  const text = typed && JSON.stringify(typed.draft)
  /** The draft that has ended; what is typed after it is another one. */
  const ended = useRef<string>(undefined)
  const latest = useRef({
    text,
    keep: () => undefined as void,
    leave: (_: Leaving) => undefined as void,
  })
  const end = useCallback(() => {
    ended.current = latest.current.text
    forgetEdit(record, member)
  }, [record, member])
  const isOpen = () => typed !== undefined && text !== ended.current
  const keep = () => {
    if (isOpen()) keepEdit(record, member, { ...typed!, at: Date.now() })
  }
  const leave = (leaving: Leaving) => {
    if (!isOpen()) return
    keep()
    void save(leaving)?.then((isDone) => isDone && end())
  }
  useLayoutEffect(() => {
    latest.current = { text, keep, leave }
  })
  const wasTyped = useRef(false)
  const isTyped = typed !== undefined
  useLayoutEffect(() => {
    if (isTyped) {
      wasTyped.current = true
      return followEdit({
        leave: () => latest.current.leave('page'),
        keep: () => latest.current.keep(),
      })
    }
    // It was typed back to what stood there.
    if (wasTyped.current) forgetEdit(record, member)
    wasTyped.current = false
    return undefined
  }, [isTyped, record, member])
  // The card is gone, and what was typed in it is not.
  useLayoutEffect(() => () => latest.current.leave('part'), [])
  return end
}

const recordOf = ({ type, id }: { type: string; id: number }) => `${type} ${id}`
