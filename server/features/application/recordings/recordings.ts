// Plays the recordings of calls from where the telephone system keeps them, through this server: the
// browser speaks with nobody else, and learns no address. The addresses are other people's, so they
// pass the door that knows who wrote them (outgoing/door.ts), and of the answer only sound is passed on,
// in a form that no browser runs (docs/decisions/0075-recordings.md).
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DownloadFault, openDownloads } from '../../../outgoing/download.ts'
import type { Download } from '../../../outgoing/download.ts'
import { notFound, Problem, tooManyRequests, unavailable } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import type { AddressAuthor } from '../../../outgoing/door.ts'

/** Milliseconds for the head of the answer, and for the answer with its bytes. */
const [headersMs, wholeMs] = [10_000, 600_000]
/** Recordings that play at once: for one user, and in this process. */
const [mostOfUser, maxConcurrent] = [4, 64]

export interface Player {
  /** Answers a recording, or the part of it that is asked for. Throws 404, or 503 if it may be had later. */
  play(
    request: FastifyRequest,
    reply: FastifyReply,
    address: string,
    role: AddressAuthor['role'],
  ): Promise<FastifyReply>
  close(): void
}

export function openPlayer({ config, door }: Pick<Kontor, 'config' | 'door'>): Player {
  const { fileMaxBytes } = config
  const downloads = openDownloads()
  /** The recordings that play, with their users. */
  const playing = new Map<Playing, number>()

  return {
    async play({ actor, headers, method }, reply, address, role) {
      const own = [...playing.values()].filter((userId) => userId === actor.userId)
      if (own.length >= mostOfUser || playing.size >= maxConcurrent) throw tooManyRequests(2)
      const one = begin()
      playing.set(one, actor.userId)
      // The browser may leave at any time, and mostly does when it has enough.
      reply.raw.on('close', () => end(one))
      try {
        const permit = await door.permit({ accountId: actor.accountId, role })
        const range = requestedRange(headers.range)
        const found = await downloads.get(address, permit, one.signal, range)
        clearTimeout(one.timer)
        one.download = found
        const type = typeOf(found.type, address)
        if ((found.size ?? 0) > fileMaxBytes) throw new DownloadFault('too large', false)
        setHeaders(reply, found, type)
        if (method !== 'HEAD') return await reply.send(Readable.from(bounded(found, fileMaxBytes)))
        end(one)
        return await reply.send(Readable.from([]))
      } catch (error) {
        end(one)
        if (!(error instanceof DownloadFault)) throw error
        if (error.message === 'status 416') throw new Problem(416, 'There is no such part')
        const detail = `The recording cannot be played: ${error.message}`
        throw error.mayPass ? unavailable(detail, 10) : notFound(detail)
      }
    },
    close() {
      for (const one of playing.keys()) end(one)
      downloads.close()
    },
  }

  function begin(): Playing {
    const stop = new AbortController()
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(wholeMs)])
    const timer = setTimeout(
      () => stop.abort(new DOMException('no answer in time', 'TimeoutError')),
      headersMs,
    )
    return { stop, signal, timer, download: undefined }
  }

  function end(one: Playing): void {
    if (!playing.delete(one)) return
    clearTimeout(one.timer)
    one.download?.close()
    one.stop.abort()
  }
}

interface Playing {
  stop: AbortController
  signal: AbortSignal
  timer: NodeJS.Timeout
  download: Download | undefined
}

/** One range is passed on; anything else is answered whole. */
const requestedRange = (header: string | undefined): string | undefined =>
  /^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/.test(header ?? '') ? header : undefined

async function* bounded({ bytes }: Download, most: number): AsyncGenerator<Buffer> {
  let length = 0
  for await (const part of bytes) {
    length += part.length
    // The answer has begun: all that is left is to break it off.
    if (length > most) throw new DownloadFault('too large', false)
    yield part
  }
}

/** By the ending of an address whose server does not say what it sends. */
const types: Record<string, string> = {
  aac: 'audio/aac',
  amr: 'audio/amr',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'audio/webm',
}

/** The media type to play; throws a DownloadFault for an answer that is no sound, such as a page. */
function typeOf(header: string | undefined, address: string): string {
  const type = (header ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (/^audio\/[\w.+-]{1,60}$/.test(type)) return type
  if (!['application/octet-stream', 'binary/octet-stream'].includes(type))
    throw new DownloadFault('not a sound', false)
  const ending = /\.(\w{1,5})$/.exec(new URL(address).pathname)?.[1]?.toLowerCase() ?? ''
  return types[ending] ?? 'audio/mpeg'
}

function setHeaders(reply: FastifyReply, { size, part }: Download, type: string): void {
  const isPart = part !== undefined && /^bytes \d{1,15}-\d{1,15}\/(?:\d{1,15}|\*)$/.test(part)
  reply.headers({
    'content-type': type,
    'content-disposition': 'inline; filename="recording"',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'accept-ranges': 'bytes',
  })
  if (size !== undefined) reply.header('content-length', size)
  if (isPart) reply.code(206).header('content-range', part)
  else if (part !== undefined) throw new DownloadFault('not http', false)
}
