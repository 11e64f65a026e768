import { useRef, useState } from 'react'
import type { Rights, RightsPart } from './rights.ts'

export interface EditedRights {
  /** The rights with the changes that are on their way. */
  rights: Rights
  isSaving: boolean
  /** Throws the refusal of the server; the change is taken back then. */
  change: (part: RightsPart) => Promise<void>
}

/**
 * Rights that are saved as they change, one change after the other. `saved` may come a moment after
 * the answer to a change: until then the change still counts, so that the next one builds on it.
 */
export function useRightsDraft(
  saved: Rights,
  send: (part: RightsPart) => Promise<unknown>,
): EditedRights {
  const [waiting, setWaiting] = useState<RightsPart[]>([])
  const [answered, setAnswered] = useState<{ after: Rights; parts: RightsPart[] }>()
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const shown = useRef(saved)
  shown.current = saved
  const unseen = answered?.after === saved ? answered.parts : []
  return {
    rights: Object.assign({}, saved, ...unseen, ...waiting) as Rights,
    isSaving: waiting.length > 0,
    async change(part) {
      setWaiting((parts) => [...parts, part])
      const sent = last.current.then(async () => {
        await send(part)
        const after = shown.current
        setAnswered((old) => ({ after, parts: [...(old?.after === after ? old.parts : []), part] }))
      })
      last.current = sent.catch(() => undefined)
      try {
        await sent
      } finally {
        setWaiting((parts) => parts.filter((each) => each !== part))
      }
    },
  }
}
