// Messages of clients that the user has read: their end was on screen for a moment, in a tab that can
// be seen. The server is told of the latest one of each chat, and counts those before it as read.
import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { ask } from '../../data/api.ts'
import type { MessageItem } from './rows.ts'

/** Milliseconds on screen after which a message counts as read. */
const momentMs = 1000

interface Read {
  id: number
  /** Milliseconds since 1970. */
  at: number
}

/** The latest message of each chat that the server was told of. */
const reported = new Map<number, Read>()
/** The latest of each that it is about to be told of. */
const waiting = new Map<number, Read>()

const isAfter = (one: Read, other: Read | undefined) =>
  !other || one.at > other.at || (one.at === other.at && one.id > other.id)

/** Answers the ref of the element at the end of a message. */
export function useReading({ at, message }: MessageItem): RefObject<HTMLElement | null> {
  const end = useRef<HTMLElement>(null)
  const { id, is_outgoing, chat_id } = message
  useEffect(() => {
    if (is_outgoing || chat_id === undefined) return undefined
    let isOnScreen = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (
        isOnScreen &&
        document.visibilityState === 'visible' &&
        isAfter({ id, at }, reported.get(chat_id))
      )
        timer = setTimeout(() => note(chat_id, { id, at }), momentMs)
    }
    const watcher = new IntersectionObserver((entries) => {
      isOnScreen = entries.at(-1)!.isIntersecting
      look()
    })
    watcher.observe(end.current!)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      watcher.disconnect()
      document.removeEventListener('visibilitychange', look)
    }
  }, [id, at, is_outgoing, chat_id])
  return end
}

/** Messages that were read together are told together. */
function note(chatId: number, read: Read): void {
  if (waiting.size === 0) setTimeout(reportRead)
  if (isAfter(read, waiting.get(chatId))) waiting.set(chatId, read)
}

function reportRead(): void {
  for (const [chatId, read] of waiting) {
    const before = reported.get(chatId)
    if (!isAfter(read, before)) continue
    reported.set(chatId, read)
    ask(`/web/v1/chats/${chatId}/read`, { method: 'POST', body: { up_to: read.id } }).catch(() => {
      // It is told again when the message is next on screen.
      if (reported.get(chatId) !== read) return
      if (before) reported.set(chatId, before)
      else reported.delete(chatId)
    })
  }
  waiting.clear()
}
