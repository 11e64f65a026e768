// Stages, fields, people and rights change under open pages: each page shows it at once, without a reload,
// wherever it names them.
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import type { Answer } from '../client.ts'
import { addLead } from '../leads.ts'
import { statusesOf } from '../pipelines.ts'
import { addRecord } from '../records.ts'
import { excuse, openApplication } from './application.ts'
import { column, cardIn, openBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { shortcut, type } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

const ok = async (answer: Promise<Answer>) => {
  const { status, body } = await answer
  expect([status, status < 300 ? '' : JSON.stringify(body)]).toEqual([
    expect.toSatisfy((each: number) => each < 300),
    '',
  ])
  return body
}

const embedded = (body: Answer['body'], list: string): { id: number }[] => body._embedded[list]

test('a board has stages as they are: added, renamed, reordered, deleted, with the leads in them', async () => {
  const { page, account, pipeline, at, leads } = await openBoard(browser(), {
    leads: { New: [['Pump order', 500]], Offer: [['Roof tiles', 100]] },
  })
  const { api } = account
  const stages = statusesOf(pipeline)
  const [made] = embedded(
    await ok(api.post(stages, [{ name: 'Trial', sort: 25, color: '#fffeb2' }])),
    'statuses',
  )
  await ok(
    api.patch(`/api/v4/leads/${leads['Pump order']}`, {
      pipeline_id: pipeline,
      status_id: made!.id,
    }),
  )
  await cardIn(page, 'Trial', 'Pump order').waitFor()
  await ok(api.patch(`${stages}/${made!.id}`, { name: 'Proof of use' }))
  await cardIn(page, 'Proof of use', 'Pump order').waitFor()
  await ok(api.delete(`${stages}/${at['Offer']}`))
  await expect.poll(() => column(page, 'Offer').count()).toBe(0)
  await cardIn(page, 'New', 'Roof tiles').waitFor()
  await ok(api.patch(`/api/v4/leads/pipelines/${pipeline}`, { name: 'Export' }))
  await page.getByRole('button', { name: 'Pipeline: Export' }).waitFor()
})

test('a board whose pipeline is deleted says so', async () => {
  const { page, account, pipeline } = await openBoard(browser())
  await ok(account.api.delete(`/api/v4/leads/pipelines/${pipeline}`))
  await page.getByText('Nothing is here').first().waitFor()
})

/** A change by somebody else, and the text that the page shows then. */
interface Change {
  name: string
  act: (account: TestAccount, made: Made) => Promise<unknown>
  shows: string
}

interface Made {
  lead: number
  customer: number
  field: number
  tag: number
  seller: number
  group: number
  role: number
  segment: number
}

async function furnished(): Promise<{ account: TestAccount; made: Made }> {
  const account = await newAccount()
  const { api } = account
  const [field] = embedded(
    await ok(api.post('/api/v4/leads/custom_fields', [{ name: 'Order', type: 'text' }])),
    'custom_fields',
  )
  const seller = await account.addUser({ name: 'Bea Seller' })
  const lead = await addLead(api, {
    name: 'Pump order',
    responsible_user_id: seller.id,
    custom_fields_values: [{ field_id: field!.id, values: [{ value: 'A-17' }] }],
    _embedded: { tags: [{ name: 'wholesale' }] },
  })
  const [tag] = embedded(await ok(api.get('/api/v4/leads/tags')), 'tags')
  const segment = await ok(api.post('/api/v4/customers/segments', { name: 'Regulars' }))
  const customer = await addRecord(api, 'customers', {
    name: 'Dock works',
    next_date: Math.floor(Date.now() / 1000) + 86_400,
    _embedded: { segments: [{ id: segment.id }] },
  })
  const group = await ok(api.post('/web/v1/groups', { name: 'North' }))
  const rights = { leads: { view: 'A', edit: 'A', add: 'A', delete: 'D', export: 'D' } }
  const [role] = embedded(await ok(api.post('/api/v4/roles', [{ name: 'Clerk', rights }])), 'roles')
  return {
    account,
    made: {
      lead,
      customer,
      field: field!.id,
      tag: tag!.id,
      seller: seller.id,
      group: group.id,
      role: role!.id,
      segment: segment.id,
    },
  }
}

const renamed =
  (path: (made: Made) => string, name: string): Change['act'] =>
  ({ api }, made) =>
    ok(api.patch(path(made), { name }))

const pages: Record<string, { path: (made: Made) => string; changes: Change[] }> = {
  'the card of a lead': {
    path: ({ lead }) => `/leads/${lead}`,
    changes: [
      {
        name: 'a field is renamed',
        act: renamed(({ field }) => `/api/v4/leads/custom_fields/${field}`, 'Order number'),
        shows: 'Order number',
      },
      {
        name: 'a tag is renamed',
        act: renamed(({ tag }) => `/api/v4/leads/tags/${tag}`, 'retail'),
        shows: 'retail',
      },
      {
        name: 'a user is renamed',
        act: renamed(({ seller }) => `/web/v1/users/${seller}`, 'Bea Miller'),
        shows: 'Bea Miller',
      },
      {
        name: 'the stage is renamed',
        act: async ({ api }, { lead }) => {
          const { pipeline_id, status_id } = await ok(api.get(`/api/v4/leads/${lead}`))
          return ok(api.patch(`${statusesOf(pipeline_id)}/${status_id}`, { name: 'First talks' }))
        },
        shows: 'First talks',
      },
    ],
  },
  'the card of a customer': {
    path: ({ customer }) => `/customers/${customer}`,
    changes: [
      {
        name: 'customers are kept in segments',
        act: ({ api }) =>
          ok(api.patch('/api/v4/customers/mode', { mode: 'segments', is_enabled: true })),
        shows: 'Regulars',
      },
      {
        name: 'a segment is renamed',
        act: renamed(({ segment }) => `/api/v4/customers/segments/${segment}`, 'Old friends'),
        shows: 'Old friends',
      },
      {
        name: 'a field is added',
        act: ({ api }) =>
          ok(api.post('/api/v4/customers/custom_fields', [{ name: 'Discount', type: 'numeric' }])),
        shows: 'empty field',
      },
    ],
  },
  'the list of users': {
    path: () => '/settings/users',
    changes: [
      {
        name: 'a user is renamed',
        act: renamed(({ seller }) => `/web/v1/users/${seller}`, 'Bea Miller'),
        shows: 'Bea Miller',
      },
      {
        name: 'a user is given a role',
        act: ({ api }, { seller, role }) =>
          ok(api.patch(`/web/v1/users/${seller}`, { role_id: role })),
        shows: 'Clerk',
      },
    ],
  },
  'the list of groups': {
    path: () => '/settings/groups',
    changes: [
      {
        name: 'a group is renamed',
        act: renamed(({ group }) => `/web/v1/groups/${group}`, 'South'),
        shows: 'South',
      },
    ],
  },
  'the list of roles': {
    path: () => '/settings/roles',
    changes: [
      {
        name: 'a role is renamed',
        act: renamed(({ role }) => `/api/v4/roles/${role}`, 'Office'),
        shows: 'Office',
      },
    ],
  },
}

test.each(Object.entries(pages))('%s shows what has changed', async (_, { path, changes }) => {
  const { account, made } = await furnished()
  const { page } = await openApplication(browser(), path(made), { account })
  for (const { name, act, shows } of changes) {
    await act(account, made)
    await expect
      .poll(() => page.getByText(shows).filter({ visible: true }).count(), { message: name })
      .toBeGreaterThan(0)
  }
  await rest(page)
})

test('a user whose right to leads is taken away sees none any more', async () => {
  const { account } = await furnished()
  const opened = await openApplication(browser(), '/leads', {
    account,
    is_admin: false,
    name: 'Cas Clerk',
    rights: { leads: { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } },
  })
  const { page, faults } = opened
  await page.getByText('Pump order').waitFor()
  const { users } = (await ok(account.api.get('/api/v4/users')))._embedded
  const { id } = users.find(({ name }: { name: string }) => name === 'Cas Clerk')
  await addLead(account.api, { name: 'His own', responsible_user_id: id })
  await page.getByText('His own').waitFor()
  const allow = (view: string) =>
    ok(
      account.api.patch(`/web/v1/users/${id}`, {
        rights: { leads: { view, edit: 'D', add: 'D', delete: 'D', export: 'D' } },
      }),
    )
  await allow('M')
  await expect.poll(() => page.getByText('Pump order').count()).toBe(0)
  await page.getByText('His own').waitFor()
  await allow('D')
  await page.getByText('You have no access to this').first().waitFor()
  excuse(faults, 403)
})

test('a dialog says that what was chosen in it is deleted, and so does the refusal', async () => {
  const account = await newAccount()
  const made = await ok(account.api.post('/web/v1/task-types', { name: 'Visit', color: 'ff8f92' }))
  const { page, faults } = await openApplication(browser(), '/home', { account })
  const dialog = page.getByRole('dialog', { name: 'New task' })
  await shortcut(page, 'c', 't')
  await type(dialog.getByLabel('What is to be done'), 'Look at the pump')
  const kind = dialog.getByRole('combobox', { name: 'Type' })
  await kind.click()
  await page.getByRole('option', { name: 'Visit' }).click()
  await ok(account.api.delete(`/web/v1/task-types/${made.id}`))
  await dialog.getByText('What was chosen does not exist any more').waitFor()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('This type of task does not exist any more').waitFor()
  await kind.click()
  await page.getByRole('option', { name: 'Meeting' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(faults.splice(0).join()).toContain('400')
})
