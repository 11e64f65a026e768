// A bad client, in a process of its own: node bad-client.ts <url> <token> <attack> <seconds>. Prints
// how many answers of each status came, as JSON; `closed` are connections that the server closed
// while it was still sent to.
import http from 'node:http'
import { slowly } from '../moments.ts'
import { attacks } from './attacks.ts'

const [url = '', token = '', name, seconds] = process.argv.slice(2)
const { connections, perSecond, request, until } = attacks.find((each) => each.name === name)!
const answers: Record<string, number> = {}
const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
const { method, path, type, body } = request()
const end = performance.now() + Number(seconds) * 1000

await Promise.all(Array.from({ length: connections }, (_, index) => keepOn(index)))
agent.destroy()
console.log(JSON.stringify(answers))

/** A busy machine may take 20 s until the answer comes. */
function isAwaited(): boolean {
  return until !== undefined && !(until in answers) && performance.now() < end + 20_000
}

async function keepOn(index: number): Promise<void> {
  const interval = perSecond === undefined ? 0 : (connections / perSecond) * 1000
  let next = performance.now() + (interval * index) / connections
  while (performance.now() < end || isAwaited()) {
    const wait = next - performance.now()
    if (wait > 0) await slowly(wait)
    next += interval
    const status = await ask()
    answers[status] = (answers[status] ?? 0) + 1
  }
}

function ask(): Promise<string> {
  return new Promise((resolve) => {
    const sent = http.request(url + path, {
      method,
      agent,
      headers: {
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        ...(token !== '' && { authorization: `Bearer ${token}` }),
      },
    })
    sent.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve(['ECONNRESET', 'EPIPE'].includes(code ?? '') ? 'closed' : message),
    )
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)))
    })
    sent.end(body)
  })
}
