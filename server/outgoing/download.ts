// Downloads from addresses that others typed in, such as media of chat channels. They are guarded like
// webhooks (guarded.ts): the addresses of a name are checked at the connection, and those of every
// redirect again. Names are looked up on sockets (names.ts), because look-ups on the threads of
// Node.js would hold up the reading and writing of files.
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { causeOf } from './attempt.ts'
import { openNames } from '../http/names.ts'
import { http } from '../http/node-http.ts'
import { guarded, portOf, refusalOf } from './guarded.ts'
import type { Permit } from './guarded.ts'

/** Why there is no file. `mayPass`: a later attempt may find one. The words are stored and shown. */
export class DownloadFault extends Error {
  override name = 'DownloadFault'
  readonly mayPass: boolean
  constructor(message: string, mayPass: boolean) {
    super(message)
    this.mayPass = mayPass
  }
}

export interface Download {
  /** Undefined if the answer does not say it. */
  type: string | undefined
  /** Of the part, where only one is answered. */
  size: number | undefined
  /** The Content-Range of the part; undefined for a whole file. */
  part: string | undefined
  /** Throws a DownloadFault where the answer breaks off. */
  bytes: AsyncIterable<Buffer>
  /** Ends the connection. */
  close(): void
}

export interface Downloads {
  /**
   * The answer to a GET, its redirects followed. `signal` bounds the answer with its bytes. `range` asks
   * for a part, as the header of that name says it; the answer may be whole. Throws a DownloadFault.
   */
  get(address: string, permit: Permit, signal: AbortSignal, range?: string): Promise<Download>
  close(): void
}

const mostRedirects = 3
/** Milliseconds for the look-up of a name. */
const namesMs = 10_000

export function openDownloads(): Downloads {
  const names = openNames({ timeoutMs: namesMs })

  function request(
    url: URL,
    permit: Permit,
    signal: AbortSignal,
    range?: string,
  ): Promise<IncomingMessage> {
    if (refusalOf(url, permit)) throw new DownloadFault('private address', false)
    const leaving: (() => void)[] = []
    const lookup: LookupFunction = (host, options, done) => {
      const { addresses, leave } = names.lookUp(host)
      leaving.push(leave)
      guarded(permit, portOf(url), () => addresses)(host, options, done)
    }
    const headers = {
      'user-agent': 'Kontor',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(range !== undefined && { range }),
    }
    const send = url.protocol === 'https:' ? https.request : http.request
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const sent = send(url, { headers, signal, lookup, agent: false }, resolve)
      sent.on('error', (error) => reject(faultOf(error, url, signal)))
      sent.on('upgrade', (_response, socket) => {
        socket.destroy()
        reject(new DownloadFault('not http', false))
      })
      sent.end()
    })
    return answered.finally(() => {
      for (const leave of leaving) leave()
    })
  }

  return {
    async get(address, permit, signal, range) {
      let url = urlOf(address)
      for (let redirects = 0; ; redirects++) {
        const response = await request(url, permit, signal, range)
        const { statusCode: status = 0, headers } = response
        const isPart = status === 206 && range !== undefined
        if (status === 200 || isPart) return downloadOf(response, url, signal)
        response.destroy()
        if (!redirections.has(status) || headers.location === undefined)
          throw new DownloadFault(`status ${status}`, status >= 500 || status === 429)
        if (redirects === mostRedirects) throw new DownloadFault('too many redirects', false)
        url = urlOf(headers.location, url)
      }
    },
    close: () => names.close(),
  }
}

const redirections = new Set([301, 302, 303, 307, 308])

function urlOf(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new DownloadFault('bad address', false)
}

function downloadOf(response: IncomingMessage, url: URL, signal: AbortSignal): Download {
  const { headers, statusCode } = response
  const close = () => void response.destroy()
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    close()
    throw new DownloadFault('compressed', false)
  }
  const size = Number(headers['content-length'] ?? Number.NaN)
  async function* read(): AsyncGenerator<Buffer> {
    try {
      for await (const part of response) yield part as Buffer
    } catch (error) {
      throw faultOf(error as Error, url, signal)
    }
  }
  return {
    type: headers['content-type'],
    size: Number.isSafeInteger(size) ? size : undefined,
    part: statusCode === 206 ? headers['content-range'] : undefined,
    bytes: read(),
    close,
  }
}

/** Refused addresses and bad addresses stay so; everything else on the way may pass. */
function faultOf(error: NodeJS.ErrnoException, url: URL, { aborted, reason }: AbortSignal) {
  if (aborted)
    return new DownloadFault(
      (reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : 'aborted',
      true,
    )
  if (error.code?.startsWith('HPE_')) return new DownloadFault('not http', true)
  const [cause] = causeOf(error, url)
  return new DownloadFault(cause, cause !== 'private address')
}
