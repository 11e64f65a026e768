// Acts that wait for a change of mind, because the server takes none of them back: deletions and declines. The page
// shows them at once. Where it is left, they are done at once.
import type { OfferUndo } from './undo.ts'

const waiting = new Set<() => void>()
addEventListener('pagehide', () => {
  for (const now of waiting) now()
})

export interface LateAct {
  /** Says what was done. */
  text: string
  /** Milliseconds in which it can be taken back; 0: it is done at once, and nothing is offered. */
  delayMs: number
  /** Sends it. A page that is left ends its requests, but for those that are to be kept alive. */
  run: () => void
  offerUndo: OfferUndo
  takeBack: () => void
}

/** Does an act after a while. Answers the function that does it now, if it still waits. */
export function doLater({ text, delayMs, run, offerUndo, takeBack }: LateAct): () => void {
  if (delayMs === 0) {
    run()
    return () => undefined
  }
  const end = () => {
    clearTimeout(timer)
    waiting.delete(now)
    close()
  }
  const now = () => {
    if (!waiting.has(now)) return
    end()
    run()
  }
  const timer = setTimeout(now, delayMs)
  waiting.add(now)
  const close = offerUndo(
    text,
    () => {
      if (!waiting.has(now)) return
      end()
      takeBack()
    },
    { shownMs: delayMs },
  )
  return now
}
