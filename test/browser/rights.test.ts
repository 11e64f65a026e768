// Every screen as an administrator, a user with a few rights and a user with none: nothing on the
// console, no failed request, and either its content or who can grant the right.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addRecord } from '../records.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

type Seen = 'content' | 'refused'
type Role = 'admin' | 'limited' | 'none'

/** Makes what an address names, and answers its id. `owner` is the limited user. */
type Make = (account: TestAccount, owner: number) => Promise<number | string>

const record =
  (kind: 'leads' | 'contacts' | 'companies' | 'customers'): Make =>
  ({ api }, owner) =>
    addRecord(api, kind, { name: 'Theirs', responsible_user_id: owner })

const made =
  (path: string, body: object, idIn: (answer: Record<string, never>) => unknown): Make =>
  async ({ api }) =>
    idIn((await api.post(path, body)).body) as number | string

const role: Make = made(
  '/api/v4/roles',
  [{ name: 'Seller', rights: {} }],
  (body) => Reflect.get(body['_embedded'] ?? {}, 'roles')[0].id,
)
const integration: Make = ({ integration: { client_id } }) => Promise.resolve(client_id)
const webhook: Make = made(
  '/api/v4/webhooks',
  { destination: 'https://example.com/hook', settings: ['add_lead'] },
  ({ id }) => id,
)
const pipeline: Make = async ({ api }) =>
  (await api.get('/web/v1/bootstrap')).body.pipelines[0].id as number
const catalog: Make = made(
  '/api/v4/catalogs',
  [{ name: 'Rooms' }],
  (body) => Reflect.get(body['_embedded'] ?? {}, 'catalogs')[0].id,
)
const channel: Make = made('/web/v1/channels', { name: 'Bridge' }, ({ id }) => id)

/** Each address, what makes the record that it names, and what the three roles see there. */
const screens: [address: string, make: Make | undefined, ...seen: [Seen, Seen, Seen]][] = [
  ['/', undefined, 'content', 'content', 'refused'],
  ['/home', undefined, 'content', 'content', 'refused'],
  ['/bin', undefined, 'content', 'content', 'refused'],
  ['/bin/$type', () => Promise.resolve('contacts'), 'content', 'content', 'refused'],
  ['/events', undefined, 'content', 'content', 'content'],
  ['/products', undefined, 'content', 'refused', 'refused'],
  ['/products/$catalogId', catalog, 'content', 'refused', 'refused'],
  ['/notifications', undefined, 'content', 'content', 'content'],
  ['/leads', undefined, 'content', 'content', 'refused'],
  ['/leads/p/$pipelineId', pipeline, 'content', 'content', 'refused'],
  ['/leads/list', undefined, 'content', 'content', 'refused'],
  ['/contacts', undefined, 'content', 'content', 'refused'],
  ['/companies', undefined, 'content', 'content', 'refused'],
  ['/customers', undefined, 'content', 'content', 'refused'],
  ['/customers/board', undefined, 'content', 'content', 'refused'],
  ['/leads/$id', record('leads'), 'content', 'content', 'refused'],
  ['/contacts/$id', record('contacts'), 'content', 'content', 'refused'],
  ['/companies/$id', record('companies'), 'content', 'content', 'refused'],
  ['/customers/$id', record('customers'), 'content', 'content', 'refused'],
  ['/settings', undefined, 'content', 'content', 'content'],
  ['/settings/profile', undefined, 'content', 'content', 'content'],
  ['/settings/preferences', undefined, 'content', 'content', 'content'],
  ['/settings/security', undefined, 'content', 'content', 'content'],
  ['/settings/general', undefined, 'content', 'refused', 'refused'],
  ['/settings/customers', undefined, 'content', 'refused', 'refused'],
  ['/settings/users', undefined, 'content', 'refused', 'refused'],
  [
    '/settings/users/$id',
    (_account, owner) => Promise.resolve(owner),
    'content',
    'refused',
    'refused',
  ],
  ['/settings/groups', undefined, 'content', 'refused', 'refused'],
  ['/settings/roles', undefined, 'content', 'refused', 'refused'],
  ['/settings/roles/$id', role, 'content', 'refused', 'refused'],
  ['/settings/pipelines', undefined, 'content', 'content', 'content'],
  ['/settings/pipelines/$id', pipeline, 'content', 'content', 'content'],
  ['/settings/loss-reasons', undefined, 'content', 'content', 'content'],
  ['/settings/task-types', undefined, 'content', 'content', 'content'],
  ['/settings/templates', undefined, 'content', 'refused', 'refused'],
  ['/settings/fields', undefined, 'content', 'content', 'content'],
  ['/settings/fields/$id', async () => 'leads', 'content', 'content', 'content'],
  ['/settings/catalogs', undefined, 'content', 'refused', 'refused'],
  ['/settings/catalogs/$id', catalog, 'content', 'refused', 'refused'],
  ['/settings/tags', undefined, 'content', 'refused', 'refused'],
  ['/settings/tags/$id', async () => 'leads', 'content', 'refused', 'refused'],
  ['/settings/integrations', undefined, 'content', 'refused', 'refused'],
  ['/settings/integrations/$id', integration, 'content', 'refused', 'refused'],
  ['/settings/webhooks', undefined, 'content', 'refused', 'refused'],
  ['/settings/webhooks/$id', webhook, 'content', 'refused', 'refused'],
  ['/settings/api-keys', undefined, 'content', 'content', 'content'],
  ['/settings/channels', undefined, 'content', 'refused', 'refused'],
  ['/settings/channels/$id', channel, 'content', 'refused', 'refused'],
]

const own = { view: 'M', edit: 'M', add: 'A', delete: 'D', export: 'D' }
const rights: Record<Role, object> = {
  admin: { is_admin: true },
  limited: {
    is_admin: false,
    rights: { leads: own, contacts: own, companies: own, tasks: { edit: 'M', delete: 'D' } },
  },
  none: { is_admin: false, rights: {} },
}

test('the table has every screen', () => {
  const web = path.join(import.meta.dirname, '../../web')
  const router = readFileSync(path.join(web, 'router.tsx'), 'utf8')
  const pages = readFileSync(path.join(web, 'routes/settings/pages.ts'), 'utf8')
  const types = ['leads', 'contacts', 'companies', 'customers']
  const named = [...router.matchAll(/(?:screen\(|path: )'(\/[^']*)'/g)]
    .map(([, address]) => address!)
    .filter((address) => address !== '/developers/ui')
    .flatMap((address) =>
      address.startsWith('/$type') ? types.map((type) => address.replace('$type', type)) : address,
    )
  const ofSettings = pages.split(/^ {2}\{$/m).flatMap((entry) => {
    const [, name] = /path: '([^']+)'/.exec(entry) ?? []
    if (name === undefined) return []
    const all = `/settings/${name}`
    return entry.includes('oneScreen:') ? [all, `${all}/$id`] : [all]
  })
  expect(screens.map(([address]) => address).toSorted()).toEqual(
    [...named, '/settings', ...ofSettings].toSorted(),
  )
})

/** Content or a refusal, once nothing on the screen loads any more. */
async function seenOn(page: Page): Promise<Seen> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  await rest(page)
  const isRefused = (await page.getByText('You have no access to this').count()) > 0
  if (isRefused) await page.getByText('The administrator or Ann Lee can grant it.').waitFor()
  return isRefused ? 'refused' : 'content'
}

test.each(['admin', 'limited', 'none'] as const)(
  'every screen works for a user with rights: %s',
  async (name) => {
    const account = await newAccount()
    // The second administrator, whom the refusals name.
    if (name !== 'admin') await account.addUser({ name: 'Ann Lee', is_admin: true })
    const { page } = await openApplication(browser(), '/home', { account, ...rights[name] })
    const { body } = await account.api.get('/api/v4/users?limit=250')
    const me = body._embedded.users.at(-1).id as number
    const stage = { admin: 0, limited: 1, none: 2 }[name]
    for (const [address, make, ...seen] of screens) {
      const id = make && (await make(account, me))
      await page.goto(account.kontor.url + address.replace(/\$\w+/, String(id)))
      expect([address, await seenOn(page)]).toEqual([address, seen[stage]])
      if (seen[stage] === 'refused') expect(await accessibilityFaults(page)).toEqual([])
    }
  },
  120_000,
)
