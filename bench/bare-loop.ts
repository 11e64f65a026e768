// The floor of what Kontor sends: the same requests without database and order.
import http from 'node:http'

/** Posts a body `count` times, `atOnce` at once. Answers the requests per second. */
export async function bareLoop(
  url: string,
  body: string,
  { count, atOnce, type }: { count: number; atOnce: number; type: string },
): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce })
  let left = count
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const headers = { 'content-type': type }
      const sent = http.request(url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume()
        answer.on('end', resolve)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const begin = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await once()
    }),
  )
  agent.destroy()
  return count / ((performance.now() - begin) / 1000)
}
