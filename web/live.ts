// The live stream: news of the account as they happen, one stream per browser over all tabs.
import { useSyncExternalStore } from 'react'

export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** `since` is in milliseconds since 1970. */
  | { kind: 'lost'; since: number }

export interface News {
  /**
   * `change` of an entity, `reset` where too much was missed, a `notification`, somebody `typing`,
   * saved `views` that changed, a `job` of the user that has gone on, the `presence` of somebody at a
   * card.
   */
  name: 'change' | 'reset' | 'notification' | 'typing' | 'views' | 'job' | 'presence'
  data: Record<string, unknown>
}

export type Heard = { kind: 'state'; state: LiveState } | ({ kind: 'news' } & News)

let state: LiveState = { kind: 'connecting' }
const watchers = new Set<() => void>()
const listeners = new Set<(news: News) => void>()

function hear(heard: Heard): void {
  if (heard.kind === 'state') {
    state = heard.state
    for (const watcher of watchers) watcher()
  } else for (const listener of listeners) listener(heard)
}

/** Opens the stream of this tab; it stays open until the page is left. */
export async function openLive(): Promise<void> {
  const port = await portOf()
  port.addEventListener('message', ({ data }: MessageEvent<Heard>) => hear(data))
  port.start()
  addEventListener('pagehide', () => port.postMessage('leave'))
  // The page was kept by the browser and shown again: its port has left.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

/** A tab without SharedWorker has a stream of its own. */
async function portOf(): Promise<MessagePort> {
  if (typeof SharedWorker !== 'undefined')
    return new SharedWorker(new URL('./live.worker.ts', import.meta.url), {
      type: 'module',
      name: 'kontor-live',
    }).port
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

/** Whether the stream is open. */
export const useLiveState = (): LiveState =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => state,
  )
