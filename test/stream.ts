// The live stream of a user, as a browser hears it.
import { expect, onTestFinished } from 'vitest'
import type { TestUser } from './account.ts'
import type { Server } from './server.ts'

export interface HeardMessage {
  event: string
  data: Record<string, unknown>
}

/** Opens the stream of a user, until the test ends. */
export async function streamOf({ kontor }: Server, { token }: Pick<TestUser, 'token'>) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`${kontor.url}/web/v1/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  })
  const heard: HeardMessage[] = []
  void read(response, heard).catch(() => undefined)
  await expect.poll(() => heard[0]?.event).toBe('ready')
  const of = (event: string) => heard.filter((each) => each.event === event)
  return { of, count: (event: string) => of(event).length }
}

async function read(response: Response, heard: HeardMessage[]): Promise<void> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (event) heard.push({ event, data: JSON.parse(data!) as HeardMessage['data'] })
    }
  }
}
