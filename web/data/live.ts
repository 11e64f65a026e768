// The live stream: news of the account as they happen, one stream per browser over all tabs.
import { useSyncExternalStore } from 'react'
import { startData } from './start.ts'

export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** `since` is in milliseconds since 1970. */
  | { kind: 'lost'; since: number }

export interface News {
  /**
   * `change` of an entity, `reset` where too much was missed, a `notification`, somebody `typing`,
   * saved `views` that changed, the `vocabulary` of the account that did, a `job` of the user that has
   * gone on, the `presence` of somebody at a card.
   */
  name: 'change' | 'reset' | 'notification' | 'typing' | 'views' | 'vocabulary' | 'job' | 'presence'
  data: Record<string, unknown>
}

export type Heard = { kind: 'state'; state: LiveState } | ({ kind: 'news' } & News)

/** The words of a tab to the stream. */
export type TabMessage =
  | {
      kind: 'join'
      /** The position from which the data of the page's start is to be kept fresh. */
      cursor: number | undefined
      /** A time before the page was asked for, in milliseconds since 1970. */
      since: number
    }
  | { kind: 'leave' }

let state: LiveState = { kind: 'connecting' }
const watchers = new Set<() => void>()
const listeners = new Set<(news: News) => void>()
const returners = new Set<() => void>()

function hear(heard: Heard): void {
  if (heard.kind === 'state') {
    const isBack = state.kind === 'lost' && heard.state.kind === 'open'
    state = heard.state
    for (const watcher of watchers) watcher()
    if (isBack) comeBack()
  } else for (const listener of listeners) listener(heard)
}

const comeBack = () => {
  for (const returner of returners) returner()
}
// A cut that is shorter than the stream needs to notice fails other requests all the same.
addEventListener('online', comeBack)

/** A stream that could not be loaded is tried again after so many milliseconds. */
const retryMs = 2000

/** Opens the stream of this tab; it stays open until the page is left. */
export async function openStream(): Promise<void> {
  let hasHeard = false
  const lose = () => {
    // The code of the stream was not answered: the server is gone, or there is no network.
    if (hasHeard) return
    if (state.kind !== 'lost') hear({ kind: 'state', state: { kind: 'lost', since: Date.now() } })
    removeEventListener('pagehide', leave)
    setTimeout(() => void openStream(), retryMs)
  }
  const port = await portOf(lose)
  const say = (said: TabMessage) => port.postMessage(said)
  const leave = () => say({ kind: 'leave' })
  port.addEventListener('message', ({ data }: MessageEvent<Heard>) => {
    hasHeard = true
    hear(data)
  })
  port.start()
  say({ kind: 'join', cursor: startData()?.bootstrap.cursor, since: performance.timeOrigin - 1000 })
  addEventListener('pagehide', leave)
}

// The page was kept by the browser and shown again: its port has left.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())

/** A tab without SharedWorker has a stream of its own. `lose` is called where there is none. */
async function portOf(lose: () => void): Promise<MessagePort> {
  if (typeof SharedWorker !== 'undefined') {
    const worker = new SharedWorker(new URL('./live.worker.ts', import.meta.url), {
      type: 'module',
      name: 'kontor-live',
    })
    worker.addEventListener('error', lose)
    return worker.port
  }
  const { join } = await import('./live.worker.ts')
  const { port1, port2 } = new MessageChannel()
  join(port2)
  return port1
}

/** Calls `listener` with all news. Answers a function that stops it. */
export function onNews(listener: (news: News) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Calls `then` when the network or the stream is back after a cut. Answers a function that stops it. */
export function onReturn(then: () => void): () => void {
  returners.add(then)
  return () => returners.delete(then)
}

/** Whether the stream is open. */
export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => state,
  )
