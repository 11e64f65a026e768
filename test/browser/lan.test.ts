// On plain HTTP under a name of the local network, which is no secure context: browsers give such a page no clipboard, no locks and no random identifiers.
// Signing in, the live stream and the copy buttons work all the same.
import { expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../account.ts'
import { client } from '../client.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults, watch } from './application.ts'
import { useBrowser } from './chromium.ts'
import { seedScreens, show } from './screens.ts'

const browser = useBrowser()

test('signing in, news of others and copying work on http://kontor.lan', async () => {
  // A server of its own, whose public address is the name.
  const account = await newAccount({ host: '127.0.0.1' })
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse' }
  await account.addUser({ name: 'Ann Lee', is_admin: true, ...credentials })
  const screens = await seedScreens(account.api)
  const here = { url: account.address }
  const { port } = new URL(account.address)
  account.kontor.url = `http://kontor.lan:${port}`
  const context = await browser().newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults = watch(page)
  await page.goto(`${account.kontor.url}/login`)
  expect(await page.evaluate('isSecureContext')).toBe(false)
  expect(await page.evaluate('typeof navigator.clipboard')).toBe('undefined')
  await page.getByLabel('E-mail').fill(credentials.email)
  await page.getByLabel('Password').fill(credentials.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/leads/p/*')

  await addRecord(client(here, account.admin.token), 'leads', {
    name: 'Came over the local network',
  })
  await page.getByRole('link', { name: 'Came over the local network' }).waitFor()

  await show(
    page,
    screens.find(({ name }) => name === 'settings-webhook')!,
  )
  const address = page.getByRole('textbox', { name: 'Address' })
  await page.getByRole('main').getByRole('button', { name: /^Copy/ }).first().click()
  await page.getByText('Selected: press Ctrl C').first().waitFor()
  const selected = await page.evaluate<string>(
    'document.activeElement.value?.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd) ?? String(getSelection())',
  )
  expect(selected).toBe(await address.first().inputValue())
  expect(await accessibilityFaults(page)).toEqual([])
  expect(faults).toEqual([])
})
