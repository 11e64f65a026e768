// One kept-alive connection with one request at a time, over a plain socket.
import net from 'node:net'
import type { Call, User } from './scenarios.ts'

export function format({ method, path, body }: Call, { token }: User, port: number): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const type =
    text && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n${type}\r\n${text}`,
  )
}

export interface Client {
  ask(request: Buffer): Promise<Answer>
  close(): void
}

/** The server answered with another status than 200. */
export class Refused extends Error {}

interface Answer {
  time: number
  body: Buffer
}

export async function open(port: number): Promise<Client> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let finish = (_answer: Buffer | Error) => undefined as void
  let chunks: Buffer[] = []
  let missing = Infinity
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (missing === Infinity) missing = missingOf(Buffer.concat(chunks)) ?? Infinity
    else missing -= chunk.length
    if (missing > 0) return
    const answer = Buffer.concat(chunks)
    chunks = []
    missing = Infinity
    finish(
      answer.toString('latin1', 9, 12) === '200'
        ? answer
        : new Refused(`an answer was not 200: ${answer.toString().slice(0, 1000)}`),
    )
  })
  socket
    .on('error', (error) => finish(error))
    .on('close', () => finish(new Error('the server closed a connection')))
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const start = performance.now()
        finish = (answer) => {
          if (answer instanceof Error) reject(answer)
          else
            resolve({
              time: performance.now() - start,
              body: answer.subarray(answer.indexOf('\r\n\r\n') + 4),
            })
        }
        if (socket.destroyed) finish(new Error('the server has closed a connection'))
        else socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

/** The bytes that an answer still lacks; undefined while its head is incomplete. */
function missingOf(answer: Buffer): number | undefined {
  const headerEnd = answer.indexOf('\r\n\r\n')
  if (headerEnd === -1) return undefined
  const [, length] =
    /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, headerEnd)) ?? []
  return headerEnd + 4 + Number(length ?? 0) - answer.length
}
