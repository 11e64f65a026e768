import type { ServerResponse } from 'node:http'
import { tooManyRequests } from '../../../http/problem.ts'
import type { EntityDeclaration } from '../../../changes/entity.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { accessChannel } from '../../../access/remembered.ts'
import { openLive } from './live.ts'

/** Proxies take a stream for dead after a longer silence. */
const heartbeatMs = 15_000
/**
 * Bytes that may wait for a slow reader before it is disconnected. The reader returns with the id
 * of its last message and misses nothing.
 */
const maxBuffered = 256 * 1024
/** Streams of one user: enough for many tabs. */
const mostStreams = 50

const StreamQuery = Type.Object(
  { cursor: Type.Optional(Type.Integer({ minimum: 0 })) },
  { additionalProperties: true },
)

/**
 * The live stream: Server-Sent Events `ready`, `change`, `reset`, `notification`, `typing`, `presence`,
 * `views`, `vocabulary` and `job`; resumed by Last-Event-ID or `cursor`.
 */
export function liveRoutes(
  app: App,
  kontor: Kontor,
  entities: ReadonlyMap<string, EntityDeclaration>,
): void {
  const live = openLive(kontor, entities, app.log)
  app.gauge('kontor_live_listeners', 'Open live streams', () => live.listeners())
  const open = new Set<{ end(): void; check(): Promise<void>; userId: number }>()
  const heartbeat = setInterval(
    () => void Promise.all([...open].map((stream) => stream.check())),
    heartbeatMs,
  ).unref()
  // A user who loses access, or some rights, must not go on listening with the old ones.
  const silence = kontor.signals.on(
    accessChannel,
    () => void Promise.all([...open].map((stream) => stream.check())),
  )

  app.addHook('preClose', async () => {
    clearInterval(heartbeat)
    silence()
    for (const stream of open) stream.end()
    await live.close()
  })

  app.get(
    '/web/v1/stream',
    {
      config: { access: 'user' },
      schema: { summary: 'Stream changes as they happen', querystring: StreamQuery },
    },
    async (request, reply) => {
      const { actor, query } = request
      if ([...open].filter(({ userId }) => userId === actor.userId).length >= mostStreams)
        throw tooManyRequests(10)
      const cursor = cursorOf(request.headers['last-event-id'], query.cursor)
      reply.hijack()
      const out = reply.raw
      const listener = { actor, write: (text: string) => send(out, text) }
      let leave: () => void = () => undefined
      const stream = {
        userId: actor.userId,
        end: () => out.end(),
        async check() {
          try {
            listener.actor = await app.findActor(request)
            if (!send(out, ': still here\n\n')) leave()
          } catch {
            out.end()
          }
        },
      }
      open.add(stream)
      out.on('close', () => {
        open.delete(stream)
        leave()
      })
      out.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream',
        'x-accel-buffering': 'no',
        connection: 'keep-alive',
      })
      out.write('retry: 2000\n\n')
      try {
        leave = await live.listen(listener, cursor)
        if (out.destroyed) leave()
      } catch (error) {
        // The response has begun, so it can only end; the browser reconnects.
        request.log.warn({ err: error }, 'a live stream could not begin')
        out.end()
      }
    },
  )
}

/**
 * The journal id that a returning browser continues from: the id of its last message, or `cursor`.
 * Anything else counts as a new browser.
 */
function cursorOf(
  lastEventId: string | string[] | undefined,
  cursor: number | undefined,
): number | undefined {
  if (typeof lastEventId !== 'string' || !/^\d{1,15}$/.test(lastEventId)) return cursor
  return Number(lastEventId)
}

/** Writes, unless too much is waiting already: then the stream ends between two messages. */
function send(out: ServerResponse, text: string): boolean {
  if (out.writableEnded || out.destroyed) return false
  if (out.writableLength > maxBuffered) {
    out.end()
    return false
  }
  out.write(text)
  return true
}
