import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount, TestUser } from '../../test/account.ts'
import { admin } from '../../test/actor.ts'
import { allKinds, needed, rightsOf } from '../../test/records.ts'
import type { RecordType } from '../records/description.ts'
import { may } from './record-rights.ts'
import { normalise } from './rights.ts'
import type { RightLevel, RightsDraft } from './rights.ts'

const all = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const

/**
 * An account with one record of each kind for the user, for a colleague in the same group, and for
 * a stranger.
 */
async function office(rights: RightsDraft) {
  const account = await newAccount()
  const { id: group_id } = (await account.api.post('/web/v1/groups', { name: 'North' })).body
  const user = await account.addUser({ rights, group_id })
  const people = {
    mine: user,
    ours: await account.addUser({ group_id }),
    theirs: await account.addUser(),
  }
  const records = async (type: RecordType) => {
    const drafts = Object.entries(people).map(([name, { id }]) => ({
      ...needed(type),
      name,
      responsible_user_id: id,
    }))
    const made = (await account.api.post(`/api/v4/${type}`, drafts)).body._embedded[type] as {
      id: number
    }[]
    return { mine: made[0]!.id, ours: made[1]!.id, theirs: made[2]!.id }
  }
  return { ...account, ...people, user, records }
}

const reach: Record<Exclude<RightLevel, 'L'>, string[]> = {
  A: ['mine', 'ours', 'theirs'],
  G: ['mine', 'ours'],
  M: ['mine'],
  D: [],
}

for (const type of allKinds)
  for (const letter of ['A', 'G', 'M', 'D'] as const) {
    test(`${type}: ${letter} to view shows ${reach[letter].join(', ') || 'nothing'}`, async () => {
      const { user, records } = await office({ [rightsOf(type)]: { view: letter } })
      const ids = await records(type)
      const list = await user.api.get(`/api/v4/${type}`)
      if (letter === 'D')
        expect([list.status, list.body.detail]).toEqual([403, `You have no right to view ${type}`])
      else
        expect(list.body._embedded[type].map(({ name }: { name: string }) => name)).toEqual(
          reach[letter],
        )
      for (const [name, id] of Object.entries(ids)) {
        const isSeen = reach[letter].includes(name)
        expect((await user.api.get(`/api/v4/${type}/${id}`)).status).toBe(isSeen ? 200 : 403)
        expect(
          (await user.api.get(`/api/v4/${type}?filter[id]=${id}`)).body._embedded?.[type] ?? [],
        ).toHaveLength(isSeen ? 1 : 0)
      }
    })

    test(`${type}: ${letter} to edit and delete reaches ${reach[letter].join(', ') || 'nothing'}`, async () => {
      const { user, records } = await office({
        [rightsOf(type)]: { view: 'A', edit: letter, delete: letter },
      })
      for (const [name, id] of Object.entries(await records(type))) {
        const reached = reach[letter].includes(name)
        const edited = await user.api.patch(`/api/v4/${type}/${id}`, { name: 'New' })
        const batch = await user.api.patch(`/api/v4/${type}`, [{ id, name: 'Newer' }])
        const deleted = await user.api.delete(`/api/v4/${type}/${id}`)
        expect([edited.status, batch.status, deleted.status]).toEqual(
          reached ? [200, 200, 204] : [403, 403, 403],
        )
        if (reached) expect((await user.api.post(`/api/v4/${type}/${id}/restore`)).status).toBe(200)
        else expect(edited.body.detail).toMatch(/^You have no right to edit /)
      }
    })
  }

test.each(allKinds)('%s: adding is a right of its own', async (type) => {
  const account = await newAccount()
  const mayNot = await account.addUser({ rights: { [rightsOf(type)]: { ...all, add: 'D' } } })
  const refused = await mayNot.api.post(`/api/v4/${type}`, [{ ...needed(type), name: 'x' }])
  expect([refused.status, refused.body.detail]).toEqual([403, `You have no right to add ${type}`])
  const mayOnly = await account.addUser({ rights: { [rightsOf(type)]: { add: 'A' } } })
  expect((await mayOnly.api.post(`/api/v4/${type}`, [{ ...needed(type), name: 'x' }])).status).toBe(
    200,
  )
})

interface Stage {
  pipeline_id: number
  status_id: number
}

/** The unsorted status, two ordinary ones, won and lost. */
async function stages({ id, kontor }: TestAccount): Promise<Stage[]> {
  return kontor.database.rows<Stage>(sql`
    select pipeline_id, id as status_id from statuses where account_id = ${id} and sort in (10, 20, 30, 10000, 11000) order by sort`)
}

async function seen(user: TestUser): Promise<string[]> {
  const leads = (await user.api.get('/api/v4/leads?order[id]=asc')).body._embedded.leads as {
    name: string
  }[]
  return leads.map(({ name }) => name)
}

/** Two leads in each of two stages, the first of each for the user. */
async function leadsIn({ api }: TestAccount, user: TestUser, stages: Stage[]) {
  const drafts = stages.flatMap((target, stage) => [
    { name: `mine in ${stage}`, ...target, responsible_user_id: user.id },
    { name: `theirs in ${stage}`, ...target },
  ])
  return ((await api.post('/api/v4/leads', drafts)).body._embedded.leads as { id: number }[]).map(
    ({ id }) => id,
  )
}

const right = (stage: Stage, letter: 'A' | 'D') => ({
  entity_type: 'leads' as const,
  ...stage,
  rights: {
    view: letter,
    edit: letter,
    delete: letter,
  },
})

test.each([
  ['A', 'D', ['mine in 0', 'theirs in 0']],
  ['M', 'D', ['mine in 0']],
  ['M', 'A', ['mine in 0', 'mine in 1', 'theirs in 1']],
  ['D', 'A', ['mine in 1', 'theirs in 1']],
  ['G', 'A', ['mine in 0', 'mine in 1', 'theirs in 1']],
  ['A', 'A', ['mine in 0', 'theirs in 0', 'mine in 1', 'theirs in 1']],
] as const)(
  'with %s for leads and %s for a status, the status decides there',
  async (letter, there, expected) => {
    const account = await newAccount()
    const [, first, second] = await stages(account)
    const { id: group_id } = (await account.api.post('/web/v1/groups', { name: 'North' })).body
    const leads = { view: letter, edit: letter, delete: letter }
    const user = await account.addUser({
      rights: { leads, status_rights: [right(second!, there)] },
      group_id,
    })
    const ids = await leadsIn(account, user, [first!, second!])
    expect(await seen(user)).toEqual(expected)
    for (const [index, name] of [
      'mine in 0',
      'theirs in 0',
      'mine in 1',
      'theirs in 1',
    ].entries()) {
      const isSeen = (expected as readonly string[]).includes(name)
      expect((await user.api.get(`/api/v4/leads/${ids[index]}`)).status).toBe(isSeen ? 200 : 403)
      expect((await user.api.patch(`/api/v4/leads/${ids[index]}`, { price: 5 })).status).toBe(
        isSeen ? 200 : 403,
      )
    }
  },
)

test('a right to won leads is one of its pipeline, and what it does not say stays as it is', async () => {
  const account = await newAccount()
  const [, , , won] = await stages(account)
  const other = await import('../features/definitions/pipelines/pipelines.ts').then(
    ({ createPipeline, firstPipeline }) =>
      account.kontor.database.transaction((tx) =>
        createPipeline(tx, account.id, { ...firstPipeline, is_main: false }),
      ),
  )
  const opened = { ...right(won!, 'A'), rights: { view: 'A' as const } }
  const user = await account.addUser({
    rights: { leads: { view: 'M', edit: 'M' }, status_rights: [opened] },
  })
  const [, theirs] = await leadsIn(account, user, [won!, { ...won!, pipeline_id: other }])
  expect(await seen(user)).toEqual(['mine in 0', 'theirs in 0', 'mine in 1'])
  expect((await user.api.patch(`/api/v4/leads/${theirs}`, { price: 5 })).status).toBe(403)
})

test('leads in an unsorted status are for administrators and who was given them', async () => {
  const account = await newAccount()
  const [unsorted, first] = await stages(account)
  const given = await account.addUser({
    rights: { leads: all, status_rights: [right(unsorted!, 'A')] },
  })
  const other = await account.addUser()
  await leadsIn(account, other, [first!])
  await account.kontor.database.transaction((tx) =>
    tx.rows(
      sql`update leads set status_id = ${unsorted!.status_id} where account_id = ${account.id} and name = 'mine in 0'`,
    ),
  )
  expect(await seen(account.admin)).toEqual(['mine in 0', 'theirs in 0'])
  expect(await seen(given)).toEqual(['mine in 0', 'theirs in 0'])
  expect(await seen(other)).toEqual(['theirs in 0'])
})

test('links and events show no more than the records themselves', async () => {
  const account = await newAccount()
  const [, first, second] = await stages(account)
  const user = await account.addUser({
    rights: {
      leads: { ...all, view: 'A' },
      contacts: { view: 'M', add: 'A' },
      status_rights: [right(second!, 'D')],
    },
  })
  const [open, , closed] = await leadsIn(account, user, [first!, second!])
  const contacts = [{ name: 'Hidden' }, { name: 'Own', responsible_user_id: user.id }]
  const [hidden, own] = (await account.api.post('/api/v4/contacts', contacts)).body._embedded
    .contacts
  const [firm] = (await account.api.post('/api/v4/companies', [{ name: 'Firm' }])).body._embedded
    .companies
  const refused = await user.api.post('/api/v4/leads', [
    { _embedded: { contacts: [{ id: hidden.id }] } },
  ])
  expect(refused.body['validation-errors'][0].errors[0]).toMatchObject({
    path: '_embedded.contacts.0.id',
  })

  const events = async ({ api }: TestUser) =>
    (
      (await api.get('/api/v4/events')).body._embedded.events as {
        id: string
        entity_type: string
        entity_id: number
      }[]
    ).map(({ id, entity_type, entity_id }) => ({ id, about: `${entity_type} ${entity_id}` }))
  const visible = await events(user)
  const about = visible.map((event) => event.about)
  expect(about).toContain(`lead ${open}`)
  expect(about).toContain(`contact ${own.id}`)
  for (const unseen of [`lead ${closed}`, `contact ${hidden.id}`, `company ${firm.id}`])
    expect(about).not.toContain(unseen)
  const whole = await events(account.admin)
  expect(whole.map((event) => event.about)).toEqual(
    expect.arrayContaining([`lead ${closed}`, `contact ${hidden.id}`]),
  )
  for (const { id, about } of whole) {
    const isVisible = visible.some((event) => event.id === id)
    expect([about, (await user.api.get(`/api/v4/events/${id}`)).status]).toEqual([
      about,
      isVisible ? 200 : 404,
    ])
  }
})

// A right to a status says of each action what is allowed there, also for the user's own records.
describe('rights to a status', () => {
  const all = { view: 'A', edit: 'A', add: 'A', delete: 'A' } as const

  test.each([
    [{ view: 'A', edit: 'A', delete: 'A' }, [200, 200, 204]],
    [{ view: 'A', edit: 'A', delete: 'D' }, [200, 200, 403]],
    [{ view: 'A', edit: 'D', delete: 'D' }, [200, 403, 403]],
    [{ view: 'D', edit: 'D', delete: 'D' }, [403, 403, 403]],
  ] as const)(
    'with %j for a status, reading, changing and deleting a lead there answer %j',
    async (rights, answers) => {
      const account = await newAccount()
      const [pipeline] = (await account.api.get('/api/v4/leads/pipelines')).body._embedded.pipelines
      const { id: status_id } = pipeline._embedded.statuses.find(
        ({ name }: { name: string }) => name === 'Discussions',
      )
      const stage = { pipeline_id: pipeline.id, status_id }
      const user = await account.addUser({
        rights: { leads: all, status_rights: [{ entity_type: 'leads', ...stage, rights }] },
      })
      const drafts = [
        { ...stage, responsible_user_id: user.id },
        stage,
        { responsible_user_id: user.id },
      ]
      const [own, foreign, elsewhere] = (await account.api.post('/api/v4/leads', drafts)).body
        ._embedded.leads
      const tried = async ({ id }: { id: number }) => [
        (await user.api.get(`/api/v4/leads/${id}`)).status,
        (await user.api.patch(`/api/v4/leads/${id}`, { price: 5 })).status,
        (await user.api.delete(`/api/v4/leads/${id}`)).status,
      ]
      expect([await tried(own), await tried(foreign)]).toEqual([answers, answers])
      expect(await tried(elsewhere)).toEqual([200, 200, 204])
    },
  )
})

test.each<[RightsDraft['leads'], 'A' | 'D']>([
  [{ view: 'D' }, 'A'],
  [{ view: 'A' }, 'D'],
  [{ view: 'M' }, 'A'],
])(
  'the text of a condition does not grow with the pipelines that rights name: %j, %s',
  (leads, level) => {
    const text = (count: number) => {
      const status_rights = Array.from({ length: count }, (_, n) => ({
        entity_type: 'leads' as const,
        pipeline_id: 1000 + n,
        status_id: 5000 + n,
        rights: { view: level, edit: level, delete: level },
      }))
      const actor = { ...admin, isAdmin: false, rights: normalise({ leads, status_rights }) }
      return may(actor, 'leads', 'view').text
    }
    expect(text(41)).toBe(text(1))
  },
)
