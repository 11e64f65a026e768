// One live stream for all tabs of a browser: a browser opens about six connections to a host, and
// each stream takes one. Tabs that close say so; with the last one the stream ends.
import type { Heard, LiveState, News, TabMessage } from './live.ts'

const tabs = new Set<MessagePort>()
let source: EventSource | undefined
let state: LiveState = { kind: 'connecting' }
/** The id of the last event, from which a new stream continues. */
let last = ''
/**
 * The news since the position `begun` and the time `forgotten`, with the times when they came: for
 * tabs whose pages were on their way then.
 */
let latest: { at: number; news: News }[] = []
let begun = 0
let forgotten = 0
/** At least so many of the latest news stay. */
const mostLatest = 500

const broadcast = (heard: Heard) => {
  for (const tab of tabs) tab.postMessage(heard)
}

function become(next: LiveState): void {
  state = next
  broadcast({ kind: 'state', state })
}

function open(): void {
  source?.close()
  // The server repeats the changes since the last one that it sent, so a short cut loses none. The
  // browser names it only when it reconnects by itself.
  const opened = new EventSource(`/web/v1/stream${last === '' ? '' : `?cursor=${last}`}`)
  source = opened
  opened.addEventListener('ready', ({ lastEventId }) => {
    const wasLost = state.kind === 'lost'
    become({ kind: 'open' })
    last = lastEventId
    // Of the vocabulary the server repeats nothing.
    if (wasLost) broadcast({ kind: 'news', name: 'vocabulary', data: { kinds: ['all'] } })
  })
  for (const name of [
    'change',
    'reset',
    'notification',
    'typing',
    'views',
    'vocabulary',
    'job',
    'presence',
  ] as const)
    opened.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId
      const news = { name, data: JSON.parse(data) as Record<string, unknown> }
      remember(news)
      broadcast({ kind: 'news', ...news })
    })
  opened.addEventListener('error', () => {
    if (state.kind !== 'lost') become({ kind: 'lost', since: Date.now() })
    // The server refused the stream, and the browser does not try again by itself.
    if (opened.readyState === EventSource.CLOSED) setTimeout(() => tabs.size > 0 && open(), 5000)
  })
}

function remember(news: News): void {
  latest.push({ at: Date.now(), news })
  if (latest.length < 2 * mostLatest) return
  forgotten = latest[mostLatest - 1]!.at
  latest = latest.slice(mostLatest)
}

/** Adds a tab; `port` is its end of the channel. */
export function join(port: MessagePort): void {
  port.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'join') welcome(port, data)
    else {
      tabs.delete(port)
      if (tabs.size > 0) return
      source?.close()
      source = undefined
    }
  })
  port.start()
}

/** A tab hears all that has happened since its page was asked for, whoever opened the stream. */
function welcome(
  port: MessagePort,
  { cursor, since }: Extract<TabMessage, { kind: 'join' }>,
): void {
  tabs.add(port)
  const post = (heard: Heard) => port.postMessage(heard)
  if (!source) {
    latest = []
    forgotten = 0
    begun = cursor ?? 0
    last = String(cursor ?? '')
    state = { kind: 'connecting' }
    open()
  } else if (since <= forgotten || (cursor ?? begun) < begun)
    post({ kind: 'news', name: 'reset', data: {} })
  else for (const { at, news } of latest) if (at >= since) post({ kind: 'news', ...news })
  post({ kind: 'state', state })
}

addEventListener('connect', (event) => join((event as MessageEvent).ports[0]!))
