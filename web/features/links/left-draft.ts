// What is typed in the links of a card and not saved, however the card is left: kept in this browser as the
// drafts of fields are (web/data/kept-edits.ts), and offered when the card is opened again.
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { forgetEdit, keepEdit, readEdit } from '../../data/kept-edits.ts'
import { followEdit } from '../../data/leaving.ts'
import { useLinkScene } from './scene.ts'

interface LeftDraft<Draft> {
  draft: Draft
  /** The value that it began from. */
  base: unknown
  /** In milliseconds since 1970. */
  at: number
}

/** The draft of a part of the card's links that an earlier visit left; undefined without one. */
export function useLeftDraft<Draft>(member: string): LeftDraft<Draft> | undefined {
  const { head } = useLinkScene()
  const [left] = useState(() => readEdit(recordOf(head), member))
  return left?.draft === undefined ? undefined : (left as LeftDraft<Draft>)
}

/**
 * Follows a draft: `typed` is undefined while nothing is typed that could be lost. It is kept when its card or page is
 * left. `save` answers what the focus would send that leaves it, if it can be sent: whether the server has taken it.
 * Answers the function that ends the draft, saved or thrown away.
 */
export function useFollowedDraft(
  member: string,
  typed: { draft: unknown; base: unknown } | undefined,
  save: () => Promise<boolean> | undefined = () => undefined,
): () => void {
  const { head } = useLinkScene()
  const record = recordOf(head)
  const isOver = useRef(false)
  const end = useCallback(() => {
    isOver.current = true
    forgetEdit(record, member)
  }, [record, member])
  const keep = () => {
    if (typed && !isOver.current) keepEdit(record, member, { ...typed, at: Date.now() })
  }
  const leave = () => {
    keep()
    if (typed && !isOver.current) void save()?.then((isSaved) => isSaved && end())
  }
  const latest = useRef({ keep, leave })
  useLayoutEffect(() => {
    latest.current = { keep, leave }
  })
  const isTyped = typed !== undefined
  useLayoutEffect(() => {
    if (!isTyped) return undefined
    isOver.current = false
    const stop = followEdit({
      leave: () => latest.current.leave(),
      keep: () => latest.current.keep(),
    })
    return () => {
      stop()
      // The card is gone, and what was typed in it is not.
      latest.current.leave()
    }
  }, [isTyped])
  return end
}

const recordOf = ({ type, id }: { type: string; id: number }) => `${type} ${id}`
