import { useRef, useState } from 'react'
import type { Rights, RightsPart } from './rights.ts'

export interface RightsDraft {
  /** The rights with the changes that are on their way. */
  rights: Rights
  isSaving: boolean
  /** Throws the refusal of the server; the change is taken back then. */
  change: (part: RightsPart) => Promise<void>
}

/** Rights that are saved as they change, one change after the other. */
export function useRightsDraft(
  saved: Rights,
  send: (part: RightsPart) => Promise<unknown>,
): RightsDraft {
  const [waiting, setWaiting] = useState<RightsPart[]>([])
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return {
    rights: Object.assign({}, saved, ...waiting) as Rights,
    isSaving: waiting.length > 0,
    async change(part) {
      setWaiting((parts) => [...parts, part])
      const sent = last.current.then(() => send(part))
      last.current = sent.catch(() => undefined)
      try {
        await sent
      } finally {
        setWaiting((parts) => parts.filter((each) => each !== part))
      }
    },
  }
}
