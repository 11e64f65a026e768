import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newAccount, proof } from '../../../../test/account.ts'
import { callUninstallHooks, signatureOf } from './hook.ts'

const path = '/web/v1/integrations'

test('the signature is the one that integrations check', () => {
  const known = {
    client_id: '5f3a1c00-0000-4000-8000-0000000000cc',
    account_id: 424_242,
    client_secret: 'reference-client-secret',
  }
  expect(signatureOf(known)).toBe(
    '432ffcd8629fc096fe13b53da00394f3a8e0291c5cb1fa67d76d939b53bed447',
  )
})

const loopback = { privateHooks: 'loopback' } as const

test('disabling tells the hook, once, with a signature made with the secret', async () => {
  const { address, heard } = await hook()
  const account = await newAccount(loopback)
  const { client_id, client_secret } = (
    await account.api.post(path, { ...draft, uninstall_hook: `${address}/gone?a=1`, ...proof })
  ).body
  for (let time = 0; time < 2; time++)
    expect((await account.api.delete(`${path}/${client_id}/installation`)).status).toBe(204)
  await expect.poll(() => heard.length).toBe(1)
  const url = new URL(heard[0]!, address)
  expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
    '/gone',
    {
      a: '1',
      account_id: String(account.id),
      client_uuid: client_id,
      client_id,
      signature: signatureOf({
        client_id,
        account_id: account.id,
        client_secret,
      }),
    },
  ])
})

test('deleting tells it of every account that had let the integration in', async () => {
  const { address, heard } = await hook()
  const [mine, other, former] = [
    await newAccount(loopback),
    await newAccount(loopback),
    await newAccount(loopback),
  ]
  const made = await mine.api.post(path, {
    ...proof,
    ...draft,
    is_public: true,
    uninstall_hook: `${address}/gone`,
  })
  const at = `${path}/${made.body.client_id}`
  for (const { api } of [other, former]) await api.send('PUT', `${at}/installation`)
  await former.api.delete(`${at}/installation`)
  await expect.poll(() => heard.length).toBe(1)
  await mine.api.delete(at)
  await expect.poll(() => heard.length).toBe(3)
  const notified = heard.map((line) =>
    Number(new URL(line, address).searchParams.get('account_id')),
  )
  expect(new Set(notified)).toEqual(new Set([mine.id, other.id, former.id]))
})

test('a hook on this machine is not called where that is not allowed, and nothing else changes', async () => {
  const { address, heard } = await hook()
  const account = await newAccount({ privateHooks: 'none', logLevel: 'silent' })
  const { client_id } = (
    await account.api.post(path, { ...draft, uninstall_hook: `${address}/gone`, ...proof })
  ).body
  expect((await account.api.delete(`${path}/${client_id}/installation`)).status).toBe(204)
  expect((await account.api.get(`${path}/${client_id}`)).body.is_enabled).toBe(false)
  const [account_id, owner_id] = [account.id, account.id]
  const notice = { url: `${address}/gone`, owner_id, account_id, client_id, client_secret: 'x' }
  const warn = vi.fn()
  await callUninstallHooks(account.kontor, [notice], { warn })
  expect([heard, warn.mock.calls.length]).toEqual([[], 1])
})

const draft = { name: 'Mailer', redirect_uri: 'https://mailer.example/oauth' }

async function hook(): Promise<{ address: string; heard: string[] }> {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(request.url!)
    response.end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}
