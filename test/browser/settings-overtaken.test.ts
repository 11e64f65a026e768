// Two administrators at one form of the settings: the later one is asked whose value stays, and what only the other
// one has changed stays as it is.
import { expect, test } from 'vitest'
import type { TestAccount } from '../account.ts'
import { addChannel } from '../channels.ts'
import { openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

interface Case {
  /** Of the record in `/web/v1` or `/api/v4`, whose PATCH changes its name. */
  make: (account: TestAccount) => Promise<{ api: string; page: string }>
  /** The button that opens the form of a list. */
  opener?: string
  /** A member that the form of the page leaves alone, and what the other administrator makes of it. */
  other?: Record<string, unknown>
}

const made = async ({ api }: TestAccount, path: string, body: object) =>
  (await api.post(path, body)).body

const cases: Record<string, Case> = {
  'a group': {
    make: async (account) => {
      const { id } = await made(account, '/web/v1/groups', { name: 'Begun' })
      return { api: `/web/v1/groups/${id}`, page: '/settings/groups' }
    },
    opener: 'Rename “Begun”',
  },
  'a role': {
    make: async (account) => {
      const roles = (await made(account, '/api/v4/roles', [{ name: 'Begun', rights: {} }]))
        ._embedded.roles
      return { api: `/api/v4/roles/${roles[0].id}`, page: `/settings/roles/${roles[0].id}` }
    },
    opener: 'Rename',
  },
  'a user': {
    make: async (account) => {
      const { id } = await account.addUser({ rights: {} })
      return { api: `/web/v1/users/${id}`, page: `/settings/users/${id}` }
    },
    other: { lang: 'ru' },
  },
  'an integration': {
    make: async (account) => {
      const id = account.integration.client_id
      return {
        api: `/web/v1/integrations/${id}`,
        page: `/settings/integrations/${id}?tab=settings`,
      }
    },
    other: { description: 'Told by a colleague' },
  },
  'a channel': {
    make: async (account) => {
      const { id } = await addChannel(account, { name: 'Begun' })
      return { api: `/web/v1/channels/${id}`, page: `/settings/channels/${id}?tab=settings` }
    },
  },
  'a task type': {
    make: async (account) => {
      const draft = { name: 'Begun', color: '98cbff' }
      const { id } = await made(account, '/web/v1/task-types', draft)
      return { api: `/web/v1/task-types/${id}`, page: '/settings/task-types' }
    },
    opener: 'Edit “Begun”',
    other: { icon_id: 3 },
  },
}

test('the later one of two administrators is asked whose name stays', async () => {
  const { page, account, faults } = await openApplication(browser(), '/home')
  const { api } = account
  const read = async (path: string): Promise<Record<string, unknown>> => {
    if (path.includes('/users/')) return (await api.get(path.replace('/web/v1', '/api/v4'))).body
    if (!/\/(?:groups|task-types)\//.test(path)) return (await api.get(path)).body
    const [list, id] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)]
    const [all] = Object.values((await api.get(list)).body._embedded) as { id: number }[][]
    return { ...all!.find((each) => String(each.id) === id) }
  }
  for (const [name, { make, opener, other = {} }] of Object.entries(cases)) {
    const { api: path, page: at } = await make(account)
    await page.goto(`${account.kontor.url}${at}`)
    if (opener) await page.getByRole('button', { name: opener, exact: true }).click()
    const field = page.getByRole('textbox', { name: 'Name', exact: true })
    await field.fill('Mine')
    expect((await api.patch(path, { name: 'Theirs', ...other })).status, name).toBeLessThan(300)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    await page.getByText('Somebody has changed the name to “Theirs” meanwhile.').waitFor()
    expect((await read(path))['name'], name).toBe('Theirs')
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await expect.poll(() => field.inputValue(), { message: name }).toBe('Theirs')
    // A name that the user has seen is no change of others any more.
    await field.fill('Ours')
    await save.click()
    await expect
      .poll(async () => await read(path), { message: name })
      .toMatchObject({ name: 'Ours', ...other })
    await rest(page)
  }
  expect(faults).toEqual([])
}, 60_000)

test('keeping one’s own sends it at once, and Escape leaves the dialog with nothing sent', async () => {
  const { page, account, faults } = await openApplication(browser(), '/home')
  const { api: path, page: at } = await cases['a group']!.make(account)
  const names = async () =>
    (await account.api.get('/web/v1/groups')).body._embedded.groups.map(
      (group: { name: string }) => group.name,
    ) as string[]
  await page.goto(`${account.kontor.url}${at}`)
  const dialog = page.getByRole('dialog')
  const field = dialog.getByRole('textbox', { name: 'Name' })
  await page.getByRole('button', { name: 'Rename “Begun”' }).click()
  await field.fill('Mine')
  await account.api.patch(path, { name: 'Theirs' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(names).toContain('Mine')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Rename “Mine”' }).click()
  await field.fill('Mine again')
  await account.api.patch(path, { name: 'Theirs' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Somebody has changed the name').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Theirs').waitFor()
  await rest(page)
  expect(await names()).toContain('Theirs')
  expect(faults).toEqual([])
})
