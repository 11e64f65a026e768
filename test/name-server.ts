// A name server (RFC 1035, over UDP) for tests of look-ups. It knows the names it is told, answers
// others with "no such name", and is silent about names that have no answers.
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'

export interface NameServer {
  /** As `Resolver.setServers` takes it. */
  address: string
  /** The names asked for, one entry for each query of version 4 addresses. */
  queries: string[]
  /** Tells the addresses for the next queries of a name; the last stay. `[]` is silence. */
  know(name: string, ...answers: string[][]): void
  close(): Promise<void>
}

export async function openNameServer(): Promise<NameServer> {
  const known = new Map<string, string[][]>()
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve))
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    queries: [],
    know: (name, ...answers) => void known.set(name, answers),
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  }
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = queryOf(message)
    const answers = known.get(name)
    if (type === 1) server.queries.push(name)
    const next = answers && answers.length > 1 && type === 1 ? answers.shift() : answers?.[0]
    if (next?.length === 0) return
    const ofType = (next ?? []).filter((each) => isIPv6(each) === (type === 28))
    const header = Buffer.alloc(12)
    message.copy(header, 0, 0, 2)
    // An answer; recursion asked for and available; code 3 is "no such name".
    header.writeUInt16BE(next ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(ofType.length, 6)
    const records = ofType.map((each) => recordOf(type, each))
    socket.send(Buffer.concat([header, message.subarray(12, end), ...records]), port, address)
  })
  return server
}

function queryOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** A record whose name is that of the query, for no time at all. */
function recordOf(type: number, address: string): Buffer {
  const bytes = type === 1 ? address.split('.').map(Number) : wordsOf(address)
  const header = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length])
  return Buffer.concat([header, Buffer.from(bytes)])
}

/** The 16 bytes of a version 6 address. */
function wordsOf(address: string): number[] {
  const [left = '', right = ''] = address.split('::')
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => parseInt(word, 16))
  const gap = Array<number>(8 - words(left).length - words(right).length).fill(0)
  return [...words(left), ...gap, ...words(right)].flatMap((word) => [word >> 8, word & 255])
}
