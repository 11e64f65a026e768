import { useEffect } from 'react'
import { onNews } from '../../data/live.ts'
import type { LogStore } from './log-store.ts'

/** Looks at the log are so far apart, in milliseconds, however many changes come. */
const pauseMs = 1000

/** Looks for newer events when the live stream tells of changes; a hidden page looks when it is shown. */
export function useLiveLog(store: LogStore, isLive: boolean): void {
  useEffect(() => (isLive ? follow(store) : undefined), [store, isLive])
}

/** Follows the changes of the account. Answers a function that stops it. */
function follow(store: LogStore): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  let isLooking = false
  let isOver = false
  const soon = () => {
    if (isWanted && !isLooking && !isOver) timer ??= setTimeout(() => void look(), pauseMs)
  }
  const want = () => {
    isWanted = true
    soon()
  }
  const look = async () => {
    timer = undefined
    const { kind } = store.state()
    if (document.hidden || kind === 'failed') return
    // What comes while the first page is on its way may not be in it.
    if (kind === 'loading') return soon()
    isWanted = false
    isLooking = true
    // The next change tries again.
    await store.look().catch(() => undefined)
    isLooking = false
    soon()
  }
  const unhear = onNews(({ name }) => {
    if (name === 'change' || name === 'reset') want()
  })
  document.addEventListener('visibilitychange', soon)
  // Others may have changed something while nobody followed.
  if (store.state().kind === 'ready') want()
  return () => {
    isOver = true
    unhear()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', soon)
  }
}
