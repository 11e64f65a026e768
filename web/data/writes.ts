// How a change reaches the server over a connection that comes and goes.
import { isPassing, Problem } from './api.ts'

/** How long a write waits for the connection, in milliseconds. */
const patienceMs = 60_000
const pauses = [300, 700, 1500, 2000]

/**
 * Sends a write, again and again while the connection is cut, with one key in all attempts: the
 * server does it once. `isOvertaken` is asked before each further attempt; the write ends unsent where
 * others changed the same. Throws the refusal, or after `patience` milliseconds what kept it.
 */
export async function sendPatiently<Answer>(
  send: (key: string) => Promise<Answer>,
  {
    key = newKey(),
    patience = patienceMs,
    isOvertaken = async () => false,
  }: { key?: string; patience?: number; isOvertaken?: () => Promise<boolean> } = {},
): Promise<Answer | undefined> {
  const until = performance.now() + patience
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(key)
    } catch (error) {
      if (!(isPassing(error) || isTwin(error)) || performance.now() >= until) throw error
      await pause(pauses[attempt] ?? 2000, until)
    }
    if (await isOvertaken()) return undefined
  }
}

/** The same write is being answered: a page that was left has sent it (web/data/leaving.ts). */
const isTwin = (error: unknown): boolean =>
  error instanceof Problem && error.status === 409 && error.retryAfter !== undefined

const pause = (milliseconds: number, until: number) =>
  new Promise((resolve) =>
    setTimeout(resolve, Math.max(0, Math.min(milliseconds, until - performance.now()))),
  )

/** Random letters; `crypto.randomUUID` is missing on plain HTTP. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
