// One live stream for all tabs of a browser: a browser opens about six connections to a host, and
// each stream takes one. Tabs that close say so; with the last one the stream ends.
import type { Heard, LiveState } from './live.ts'

const tabs = new Set<MessagePort>()
let source: EventSource | undefined
let state: LiveState = { kind: 'connecting' }
/** The id of the last event, from which a new stream continues. */
let last = ''

const tell = (heard: Heard) => {
  for (const tab of tabs) tab.postMessage(heard)
}

function become(next: LiveState): void {
  state = next
  tell({ kind: 'state', state })
}

function open(): void {
  source?.close()
  // The server repeats the changes since the last one that it sent, so a short cut loses none. The
  // browser names it only when it reconnects by itself.
  const opened = new EventSource(`/web/v1/stream${last === '' ? '' : `?cursor=${last}`}`)
  source = opened
  opened.addEventListener('ready', ({ lastEventId }) => {
    become({ kind: 'open' })
    last = lastEventId
  })
  for (const name of [
    'change',
    'reset',
    'notification',
    'typing',
    'views',
    'job',
    'presence',
  ] as const)
    opened.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId
      tell({ kind: 'news', name, data: JSON.parse(data) as Record<string, unknown> })
    })
  opened.addEventListener('error', () => {
    if (state.kind !== 'lost') become({ kind: 'lost', since: Date.now() })
    // The server refused the stream, and the browser does not try again by itself.
    if (opened.readyState === EventSource.CLOSED) setTimeout(() => tabs.size > 0 && open(), 5000)
  })
}

/** Adds a tab; `port` is its end of the channel. */
export function join(port: MessagePort): void {
  tabs.add(port)
  port.addEventListener('message', ({ data }: MessageEvent<'leave'>) => {
    if (data !== 'leave') return
    tabs.delete(port)
    if (tabs.size > 0) return
    source?.close()
    source = undefined
  })
  port.start()
  port.postMessage({ kind: 'state', state } satisfies Heard)
  if (!source) open()
}

addEventListener('connect', (event) => join((event as MessageEvent).ports[0]!))
