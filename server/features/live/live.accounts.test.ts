// What a browser that comes back has missed is what happened in its own account.
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addLead } from '../../../test/leads.ts'

/** Opens the stream as a browser does; answers its text so far, and what closes it. */
async function stream({ kontor, admin }: TestAccount, headers: Record<string, string> = {}) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const response = await fetch(`${kontor.url}/web/v1/stream`, {
    headers: { authorization: `Bearer ${admin.token}`, ...headers },
    signal: stop.signal,
  })
  let text = ''
  const reading = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
  }
  void reading().catch(() => undefined)
  await expect.poll(() => text).toContain('event: ready')
  return { text: () => text, close: () => stop.abort() }
}

const leadsIn = (text: string) =>
  [...text.matchAll(/"entity_type":"leads","entity_id":(\d+)/g)].map(([, id]) => Number(id))

test('a browser that comes back is told nothing of other accounts', async () => {
  const [mine, other] = [await newAccount(), await newAccount()]
  const first = await stream(mine)
  const [, last] = /event: ready\nid: (\d+)/.exec(first.text())!
  first.close()
  await addLead(other.api)
  const id = await addLead(mine.api)
  await addLead(other.api)
  const { text } = await stream(mine, { 'last-event-id': last! })
  await expect.poll(() => leadsIn(text())).toContain(id)
  await pause(100)
  expect(new Set(leadsIn(text()))).toEqual(new Set([id]))
})
