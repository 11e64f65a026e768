// Tasks: their lists, their writes, who may do what to them, what records keep of them, and what
// others hear of them.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { Answer, Client } from '../../../../test/client.ts'
import { addGroup, faultsOf, listen, mainPipeline, plainly, won } from '../../../../test/leads.ts'
import { untilAwaited } from '../../../../test/locks.ts'
import { actorIn, batchOf } from '../../../../test/pipelines.ts'
import { addRecord, addRecords, allKinds, find, readRecord } from '../../../../test/records.ts'
import { signIn } from '../../../../test/session.ts'
import type { RightLevel } from '../../../access/rights.ts'
import type { Tx } from '../../../database/connect.ts'
import type { RecordType } from '../../../records/description.ts'
import { bounds } from '../../../records/lists/find.ts'
import { purgeBinOf } from '../../../records/purge.ts'
import { setAccount } from '../../people/accounts/accounts.ts'
import { changeTasks } from './tasks.ts'

const path = '/api/v4/tasks'
const till = 2_000_000_000

/** Adds tasks. Answers their ids in the order of the drafts. */
async function addTasks(api: Client, ...drafts: object[]): Promise<number[]> {
  const sent = drafts.map((draft) => ({ text: 'Call back', complete_till: till, ...draft }))
  const { status, body } = await api.post(path, sent)
  if (status !== 200) throw new Error(`the tasks were refused: ${JSON.stringify(body)}`)
  return body._embedded.tasks.map(({ id }: { id: number }) => id)
}

async function addTask(api: Client, draft: object = {}): Promise<number> {
  const [id] = await addTasks(api, draft)
  return id!
}

const read = async (api: Client, id: number) => (await api.get(`${path}/${id}`)).body
const about = (entity_type: RecordType, entity_id: number) => ({ entity_type, entity_id })

function tasksIn({ status, body }: Answer): number[] {
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body._embedded.tasks.map(({ id }: { id: number }) => id)
}
const list = async (api: Client, query = '') => tasksIn(await api.get(`${path}?${query}`))
const closestOf = async (api: Client, type: RecordType, id: number) =>
  (await readRecord(api, type, id)).closest_task_at

/** Rights with these letters for tasks and for the view of leads. */
const letters = (edit: RightLevel, view: RightLevel = 'D', remove: RightLevel = edit) => ({
  rights: { leads: { view, edit: view, delete: view }, tasks: { edit, delete: remove } },
})

describe('creating', () => {
  test('answers in the order of the request, with defaults where nothing is said', async () => {
    const { api, admin, kontor, id: account_id } = await newAccount()
    const lead = await addRecord(api, 'leads')
    const { status, body } = await api.post(path, [
      { text: 'Call back', complete_till: till, request_id: 'a' },
      {
        text: 'Meet',
        complete_till: 5,
        task_type_id: 2,
        duration: 1800,
        ...about('leads', lead),
        is_completed: 1,
        result: { text: 'Sold' },
        created_by: 0,
        updated_by: 0,
        created_at: 1000,
        updated_at: 2000,
      },
    ])
    expect(status).toBe(200)
    const self = (tail = '') => ({ self: { href: `${kontor.url}${path}${tail}` } })
    const [one, two] = body._embedded.tasks
    expect(body).toEqual({
      _links: self(),
      _embedded: {
        tasks: [
          { id: one.id, request_id: 'a', _links: self(`/${one.id}`) },
          { id: two.id, request_id: '1', _links: self(`/${two.id}`) },
        ],
      },
    })
    const first = await read(api, one.id)
    expect(first).toEqual({
      id: one.id,
      created_by: admin.id,
      updated_by: admin.id,
      created_at: expect.any(Number),
      updated_at: first.created_at,
      responsible_user_id: admin.id,
      group_id: 0,
      entity_id: null,
      entity_type: null,
      is_completed: false,
      task_type_id: 1,
      text: 'Call back',
      duration: 0,
      complete_till: till,
      result: [],
      account_id,
      _links: self(`/${one.id}`),
    })
    expect(await read(api, two.id)).toMatchObject({
      created_by: 0,
      updated_by: 0,
      created_at: 1000,
      updated_at: 2000,
      ...about('leads', lead),
      is_completed: true,
      task_type_id: 2,
      duration: 1800,
      complete_till: 5,
      result: { text: 'Sold' },
    })
  })

  test('lists every faulty item, and writes none', async () => {
    const { api, addUser, kontor } = await newAccount()
    const stranger = await (await newAccount()).addUser()
    const gone = await addUser()
    await api.post('/api/v4/users/deactivate', [{ id: gone.id }])
    const lead = await addRecord(api, 'leads')
    const binned = await addRecord(api, 'leads')
    await api.delete(`/api/v4/leads/${binned}`)
    const base = { text: 'x', complete_till: till }
    const drafts: [object, string[]][] = [
      [{ complete_till: till }, ['FieldMissing text']],
      [{ text: 'x' }, ['FieldMissing complete_till']],
      [{ ...base, text: '  ' }, ['InvalidFormat text']],
      [{ ...base, text: 'x'.repeat(65_536) }, ['TooLong text']],
      [{ ...base, task_type_id: 3 }, ['NotSupportedChoice task_type_id']],
      [{ ...base, responsible_user_id: gone.id }, ['NotSupportedChoice responsible_user_id']],
      [{ ...base, created_by: stranger.id }, ['NotSupportedChoice created_by']],
      [{ ...base, entity_id: lead }, ['FieldMissing entity_type']],
      [{ ...base, entity_type: 'leads' }, ['FieldMissing entity_id']],
      [{ ...base, ...about('leads', binned) }, ['EntityNotFound entity_id']],
      [{ ...base, ...about('contacts', lead) }, ['EntityNotFound entity_id']],
      [{ ...base, entity_type: 'tasks', entity_id: 1 }, ['NotSupportedChoice entity_type']],
      [{ ...base, complete_till: 'soon' }, ['InvalidType complete_till']],
      [{ ...base, duration: -1 }, ['OutOfRange duration']],
      [{ ...base, result: { words: 'x' } }, ['FieldNotExpected result.words']],
      [{ ...base, colour: 'red' }, ['FieldNotExpected colour']],
    ]
    const refused = await api.post(path, [...drafts.map(([draft]) => draft), base])
    expect(refused.status).toBe(400)
    const paths = Object.values(faultsOf(refused)).map((faults) =>
      faults.map((fault) => fault.split(' ')[1]),
    )
    expect(paths).toEqual(drafts.map(([, faults]) => faults.map((fault) => fault.split(' ')[1])))
    expect(faultsOf(refused)).toMatchObject({
      4: drafts[4]![1],
      7: drafts[7]![1],
      8: drafts[8]![1],
      9: drafts[9]![1],
    })
    for (const body of [[], Array.from({ length: 251 }, () => base), 'x'])
      expect((await api.post(path, body)).status).toBe(400)
    expect(
      await kontor.database.rows(sql`select from tasks where created_by = ${gone.id}`),
    ).toHaveLength(0)
    expect((await api.get(path)).body._embedded.tasks).toEqual([])
    expect(
      tasksIn(await api.get(`${path}?limit=250`)).length +
        (await addTasks(api, ...Array.from({ length: 250 }, () => ({})))).length,
    ).toBe(250)
  })

  test('takes a user 0 for the caller, and null or 0 for no record', async () => {
    const { api, admin } = await newAccount()
    const ids = await addTasks(
      api,
      { responsible_user_id: 0, entity_id: 0 },
      { entity_id: null, entity_type: null },
      { entity_type: 'leads', entity_id: 0, result: [] },
    )
    for (const id of ids)
      expect(await read(api, id)).toMatchObject({
        responsible_user_id: admin.id,
        entity_id: null,
        entity_type: null,
        result: [],
      })
  })
})

describe('changing', () => {
  test('one answers flat, and what was read can be sent back without a change', async () => {
    const { api, kontor, clock } = await newAccount()
    const lead = await addRecord(api, 'leads')
    const id = await addTask(api, { ...about('leads', lead), result: { text: 'So far' } })
    const before = await read(api, id)
    clock.ahead += 10
    const echoed = await api.patch(`${path}/${id}`, { ...before, request_id: 'r' })
    expect([echoed.status, echoed.body]).toEqual([
      200,
      {
        id,
        updated_at: before.updated_at,
        request_id: 'r',
        _links: { self: { href: `${kontor.url}${path}/${id}` } },
      },
    ])
    const changed = await api.patch(`${path}/${id}`, {
      text: 'New',
      complete_till: 7,
      duration: 60,
      task_type_id: 2,
    })
    expect(changed.body.updated_at).toBeGreaterThan(before.updated_at)
    expect(await read(api, id)).toEqual({
      ...before,
      text: 'New',
      complete_till: 7,
      duration: 60,
      task_type_id: 2,
      updated_at: changed.body.updated_at,
    })
  })

  test('several answer in order; two items for one apply in turn; faults refuse all', async () => {
    const { api } = await newAccount()
    const [one, two] = await addTasks(api, {}, {})
    const lead = await addRecord(api, 'leads')
    const { body } = await api.patch(path, [
      { id: two, is_completed: true, result: { text: 'Done' } },
      {
        id: one,
        text: 'First',
        entity_type: 'contacts',
        entity_id: await addRecord(api, 'contacts'),
      },
      { id: one, ...about('leads', lead), request_id: 'z' },
    ])
    expect(
      body._embedded.tasks.map((each: { id: number; request_id: string }) => [
        each.id,
        each.request_id,
      ]),
    ).toEqual([
      [two, '0'],
      [one, '1'],
      [one, 'z'],
    ])
    expect(await read(api, one!)).toMatchObject({ text: 'First', ...about('leads', lead) })
    const theirs = await addTask((await newAccount()).api)
    const refused = await api.patch(path, [
      { id: one, text: 'Second' },
      { id: theirs, text: 'Second' },
      { id: 999_999_999, text: 'x' },
      { id: two, task_type_id: 77 },
      { id: two, entity_id: 5 },
    ])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      {
        1: ['EntityNotFound id'],
        2: ['EntityNotFound id'],
        3: ['NotSupportedChoice task_type_id'],
        4: ['FieldMissing entity_type'],
      },
    ])
    expect(await read(api, one!)).toMatchObject({ text: 'First' })
    expect((await api.patch(`${path}/${theirs}`, { text: 'x' })).status).toBe(404)
  })

  test('completion needs is_completed alone; a result alone leaves a task open; both can be undone', async () => {
    const { api } = await newAccount()
    const id = await addTask(api)
    const states: [object, boolean, object][] = [
      [{ result: { text: 'Nobody there' } }, false, { text: 'Nobody there' }],
      [{ is_completed: true }, true, { text: 'Nobody there' }],
      [{ is_completed: false, result: { text: '' } }, false, []],
      [{ is_completed: 1, result: { text: 'Sold' } }, true, { text: 'Sold' }],
      [{ result: null }, true, []],
    ]
    for (const [change, is_completed, result] of states) {
      expect((await api.patch(`${path}/${id}`, change)).status).toBe(200)
      expect(await read(api, id)).toMatchObject({ is_completed, result })
    }
  })

  test('a task in the name of another is not found, deleted or not', async () => {
    const account = await newAccount()
    const { api } = account
    const id = await addTask((await newAccount()).api)
    const own = await addTask(api)
    expect((await api.delete(`${path}/${own}`)).status).toBe(204)
    for (const each of [id, own, 999_999_999]) {
      expect((await api.get(`${path}/${each}`)).status).toBe(404)
      expect((await api.patch(`${path}/${each}`, { text: 'x' })).status).toBe(404)
      expect((await api.delete(`${path}/${each}`)).status).toBe(404)
    }
  })
})

describe('lists', () => {
  test('have every filter, one value or several', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const other = await account.addUser()
    const main = await mainPipeline(account)
    const [lead, second] = await addRecords(api, 'leads', [{}, { status_id: main.statuses[1] }])
    const statuses = (...pairs: number[]) =>
      pairs
        .map(
          (id, index) =>
            `filter[lead_statuses][${Math.floor(index / 2)}][${index % 2 ? 'status_id' : 'pipeline_id'}]=${id}`,
        )
        .join('&')
    const contact = await addRecord(api, 'contacts')
    const [a, b, c, d] = await addTasks(
      api,
      { ...about('leads', lead!), updated_at: 100, complete_till: 30 },
      { ...about('leads', second!), task_type_id: 2, updated_at: 200, complete_till: 20 },
      {
        ...about('contacts', contact),
        is_completed: true,
        updated_at: 300,
        complete_till: 40,
        responsible_user_id: other.id,
        created_by: other.id,
      },
      { responsible_user_id: other.id, updated_at: 400, complete_till: 10, created_by: 0 },
    )
    const searches: [string, unknown[]][] = [
      ['', [a, b, c, d]],
      [`filter[id]=${b}`, [b]],
      [`filter[id]=${d},${b}`, [b, d]],
      [`filter[responsible_user_id]=${other.id}`, [c, d]],
      [
        `filter[responsible_user_id][]=${other.id}&filter[responsible_user_id][]=${admin.id}`,
        [a, b, c, d],
      ],
      ['filter[is_completed]=1', [c]],
      ['filter[is_completed][]=0', [a, b, d]],
      ['filter[is_completed]=0,1', [a, b, c, d]],
      [`filter[is_completed]=0&filter[responsible_user_id]=${other.id}`, [d]],
      [
        `filter[is_completed]=0&filter[responsible_user_id]=${other.id}&order[complete_till]=asc`,
        [d],
      ],
      [`filter[is_completed]=1&filter[responsible_user_id]=${other.id}`, [c]],
      ['filter[task_type]=2', [b]],
      ['filter[task_type_id][]=1&filter[task_type_id][]=2', [a, b, c, d]],
      ['filter[entity_type]=leads', [a, b]],
      ['filter[entity_type]=leads,contacts', [a, b, c]],
      [`filter[entity_type]=leads&filter[entity_id]=${second}`, [b]],
      [`filter[entity_type]=leads&filter[entity_id]=${lead},${second}`, [a, b]],
      [`filter[entity_type]=contacts&filter[entity_id]=${lead}`, lead === contact ? [c] : []],
      [`filter[created_by]=${other.id}`, [c]],
      [`filter[created_by]=${other.id},0`, [c, d]],
      [`filter[created_by][]=${admin.id}&filter[is_completed]=0`, [a, b]],
      [statuses(main.id, main.statuses[1]), [b]],
      [statuses(main.id, main.statuses[0]), [a]],
      [statuses(main.id, main.statuses[0], main.id, main.statuses[1]), [a, b]],
      [`${statuses(main.id, main.statuses[0], main.id, won)}&filter[task_type]=1`, [a]],
      [statuses(main.id, won), []],
      [statuses(main.id + 1, main.statuses[0]), []],
      ['filter[updated_at]=200', [c, d]],
      ['filter[updated_at][from]=200&filter[updated_at][to]=300', [b, c]],
      ['filter[updated_at][to]=100', [a]],
      ['order[complete_till]=asc', [d, b, a, c]],
      ['order[complete_till]=desc&filter[is_completed]=0', [a, b, d]],
      ['order[id]=desc&limit=2&page=2', [b, a]],
      ['order[complete_till]=asc&limit=3&page=2', [c]],
    ]
    for (const [query, ids] of searches)
      expect([query, await list(api, query)]).toEqual([query, ids])
    for (const query of [
      `filter[entity_id]=${lead}`,
      'filter[entity_type]=tasks',
      'filter[is_completed]=yes',
      'filter[responsible]=1',
      'filter[updated_at]=now',
      'filter[created_by]=me',
      'filter[lead_statuses]=142',
      'filter[lead_statuses][0][status_id]=142',
      `filter[lead_statuses][0][pipeline_id]=${main.id}`,
      'limit=0',
      'order[text]=asc&order[id]=asc',
    ])
      expect([query, (await api.get(`${path}?${query}`)).status]).toEqual([query, 400])
    expect(await list((await newAccount()).api)).toEqual([])
  })

  test('by the status of their lead follow the lead and the task', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const [one, other] = await addRecords(api, 'leads', [{}, { status_id: won }])
    const listed = (status: number) =>
      list(
        api,
        `filter[lead_statuses][0][pipeline_id]=${main.id}&filter[lead_statuses][0][status_id]=${status}`,
      )
    const both = async () => [await listed(main.statuses[0]), await listed(won)]
    const patch = (path: string, body: object) => api.patch(path, body)
    const open = await addTask(api, about('leads', one!))
    const done = await addTask(api, { ...about('leads', one!), is_completed: true })
    const steps: [() => Promise<Answer>, number[][]][] = [
      [() => api.get(path), [[open, done], []]],
      [() => patch(`${path}/${open}`, about('leads', other!)), [[done], [open]]],
      [() => patch(`/api/v4/leads/${one}`, { status_id: won }), [[], [open, done]]],
      [() => patch(`${path}/${open}`, { entity_id: null }), [[], [done]]],
      [() => api.delete(`/api/v4/leads/${one}`), [[], []]],
      [() => api.post(`/api/v4/leads/${one}/restore`), [[], [done]]],
      [() => api.delete(`${path}/${done}`), [[], []]],
      [
        () => patch(`${path}/${open}`, { ...about('leads', one!), is_completed: true }),
        [[], [open]],
      ],
    ]
    for (const [step, expected] of steps) {
      expect((await step()).status).toBeLessThan(300)
      expect(await both()).toEqual(expected)
    }
    expect(await listed(main.statuses[1])).toEqual([])
  })

  test('by the status of their lead answer alike in each way, and only of leads within sight', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const seller = await account.addUser(letters('A', 'M'))
    const [own, hidden, elsewhere] = await addRecords(api, 'leads', [
      { responsible_user_id: seller.id },
      {},
      { status_id: won },
    ])
    const whose = { responsible_user_id: seller.id }
    const ids = await addTasks(
      api,
      ...Array.from({ length: 12 }, (_, index) => ({
        ...whose,
        ...about('leads', [own!, hidden!, elsewhere!][index % 3]!),
        complete_till: 100 - index,
      })),
      whose,
    )
    const [first, won2] = [main.statuses[0], won].map(
      (id) =>
        `filter[lead_statuses][0][pipeline_id]=${main.id}&filter[lead_statuses][0][status_id]=${id}`,
    )
    const of = (...rests: number[]) =>
      ids.slice(0, 12).filter((_, index) => rests.includes(index % 3))
    const searches: [Client, string, number[]][] = [
      [api, first!, of(0, 1)],
      [api, won2!, of(2)],
      [api, `${first}&order[complete_till]=asc&limit=3`, of(0, 1).toReversed().slice(0, 3)],
      [api, `${first}&filter[is_completed]=0&limit=2&page=2`, of(0, 1).slice(2, 4)],
      [seller.api, first!, of(0)],
      [seller.api, won2!, []],
    ]
    const usual = { ...bounds }
    for (const limits of [
      usual,
      { smallSet: 0, windowRows: 4, mediumSet: 1000 },
      { smallSet: 0, windowRows: 4, mediumSet: 0 },
      { smallSet: 0, windowRows: 1000, mediumSet: 0 },
    ])
      try {
        Object.assign(bounds, limits)
        for (const [caller, query, expected] of searches)
          expect([limits, query, await list(caller, query)]).toEqual([limits, query, expected])
      } finally {
        Object.assign(bounds, usual)
      }
  })

  test('a walk follows the next link in each order, and skips nothing while tasks are closed', async () => {
    const { api } = await newAccount()
    const drafts = Array.from({ length: 9 }, (_, index) => ({
      created_at: 100 + (index % 3),
      complete_till: 100 - (index % 2),
    }))
    const ids = await addTasks(api, ...drafts)
    const by = (key: 'created_at' | 'complete_till', sign: number) =>
      ids
        .map((id, index) => ({ id, at: drafts[index]![key] }))
        .toSorted((x, y) => sign * (x.at - y.at || x.id - y.id))
        .map(({ id }) => id)
    const walks: [string, number[]][] = [
      ['order[id]=asc', ids],
      ['order[created_at]=desc', by('created_at', -1)],
      ['order[complete_till]=asc', by('complete_till', 1)],
      ['order[complete_till]=desc', by('complete_till', -1)],
    ]
    for (const [order, expected] of walks) {
      const seen: number[] = []
      for (let next: string | undefined = `${path}?limit=2&${order}`; next;) {
        const answer: Answer = await api.get(next)
        seen.push(...tasksIn(answer))
        await api.patch(`${path}/${seen[0]}`, { is_completed: seen.length % 4 === 0 })
        next = answer.body._links.next?.href
      }
      expect([order, seen]).toEqual([order, expected])
    }
  })
})

describe('rights', () => {
  /** Tasks of three people: without a record, on a lead that is visible to all, on one that is not. */
  async function people(edit: RightLevel, view: RightLevel, remove: RightLevel = edit) {
    const account = await newAccount()
    const { api, admin } = account
    const group_id = await addGroup(account)
    const user = await account.addUser({ group_id, ...letters(edit, view, remove) })
    const colleague = await account.addUser({ group_id })
    const [own, theirs] = await addRecords(api, 'leads', [
      { responsible_user_id: user.id },
      { responsible_user_id: admin.id },
    ])
    const tasks: Record<string, number> = {}
    for (const [name, person] of Object.entries({ own: user, group: colleague, other: admin })) {
      const whose = { responsible_user_id: person.id }
      const [free, seen, hidden] = await addTasks(
        api,
        whose,
        { ...whose, ...about('leads', own!) },
        { ...whose, ...about('leads', theirs!) },
      )
      Object.assign(tasks, {
        [`${name} free`]: free,
        [`${name} seen`]: seen,
        [`${name} hidden`]: hidden,
      })
    }
    return { account, user, tasks, own: own!, theirs: theirs! }
  }

  test.for([
    [
      'M',
      'M',
      'own free, own seen, own hidden, group seen, other seen',
      'own free, own seen, own hidden',
    ],
    [
      'G',
      'M',
      'own free, own seen, own hidden, group free, group seen, other seen',
      'own free, own seen, own hidden, group free, group seen',
    ],
    [
      'A',
      'M',
      'own free, own seen, own hidden, group free, group seen, other free, other seen',
      'own free, own seen, own hidden, group free, group seen, other free, other seen',
    ],
    ['D', 'D', 'own free, own seen, own hidden', ''],
    [
      'M',
      'A',
      'own free, own seen, own hidden, group seen, group hidden, other seen, other hidden',
      'own free, own seen, own hidden',
    ],
  ] as const)('with %s for tasks and %s for leads', async ([edit, view, seen, edited]) => {
    const { user, tasks } = await people(edit, view)
    const named = (names: string) => names.split(', ').filter((name) => name !== '')
    const idsOf = (names: string) => named(names).map((name) => tasks[name]!)
    const sorted = (ids: number[]) => ids.toSorted((a, b) => a - b)
    for (const query of ['', 'order[complete_till]=asc', 'filter[is_completed]=0'])
      expect(sorted(await list(user.api, query))).toEqual(sorted(idsOf(seen)))
    for (const [name, id] of Object.entries(tasks)) {
      const isSeen = named(seen).includes(name)
      const isEdited = named(edited).includes(name)
      expect([
        name,
        (await user.api.get(`${path}/${id}`)).status,
        (await user.api.patch(`${path}/${id}`, { text: 'Taken' })).status,
        (await user.api.delete(`${path}/${id}`)).status,
      ]).toEqual([name, isSeen ? 200 : 403, isEdited ? 200 : 403, isEdited ? 204 : 403])
    }
  })

  test('deleting has a letter of its own, and one task that may not be changed refuses the batch', async () => {
    const { user, tasks } = await people('A', 'M', 'M')
    const [own, other] = [tasks['own free']!, tasks['other free']!]
    expect((await user.api.delete(`${path}/${other}`)).status).toBe(403)
    expect((await user.api.delete(`${path}/${own}`)).status).toBe(204)
    const hidden = tasks['other hidden']!
    const refused = await user.api.patch(path, [
      { id: other, text: 'Taken' },
      { id: hidden, text: 'Taken' },
    ])
    expect(refused.status).toBe(403)
    expect((await read(user.api, other)).text).toBe('Call back')
  })

  test('a task is put only on a record that its author may view', async () => {
    const { account, user, tasks, own, theirs } = await people('M', 'M')
    const due = { text: 'x', complete_till: till }
    expect((await user.api.post(path, [{ ...due, ...about('leads', own) }])).status).toBe(200)
    expect((await user.api.post(path, [{ ...due, ...about('leads', theirs) }])).status).toBe(403)
    const id = tasks['own free']!
    expect((await user.api.patch(`${path}/${id}`, about('leads', theirs))).status).toBe(403)
    expect(await read(user.api, id)).toMatchObject({ entity_id: null })
    expect((await user.api.patch(`${path}/${id}`, about('leads', own))).status).toBe(200)
    // A task on a hidden record is changed by its responsible user, and not its record.
    expect(
      (
        await user.api.patch(`${path}/${tasks['own hidden']}`, {
          ...about('leads', theirs),
          text: 'y',
        })
      ).status,
    ).toBe(200)
    const unable = await account.addUser(letters('D', 'A'))
    expect((await unable.api.post(path, [due])).status).toBe(403)
  })

  test('a status that is closed to the user hides the tasks of its leads', async () => {
    const account = await newAccount()
    const { api } = account
    const lead = await addRecord(api, 'leads')
    const { pipeline_id, status_id } = await readRecord(api, 'leads', lead)
    const closed = { view: 'D' as const, edit: 'D' as const, delete: 'D' as const }
    const user = await account.addUser({
      rights: {
        ...letters('A', 'A').rights,
        status_rights: [{ entity_type: 'leads', pipeline_id, status_id, rights: closed }],
      },
    })
    const id = await addTask(api, about('leads', lead))
    expect((await user.api.get(`${path}/${id}`)).status).toBe(403)
    expect(await list(user.api)).toEqual([])
  })

  test('the events of a task are read by those who may view it, also after its deletion', async () => {
    const { account, user, tasks } = await people('M', 'M')
    const admin = account.api
    for (const id of Object.values(tasks)) await admin.delete(`${path}/${id}`)
    const seen: number[] = []
    for (let next: string | undefined = '/api/v4/events?limit=100'; next;) {
      const { body }: Answer = await user.api.get(next)
      const events = body._embedded.events as { type: string; entity_id: number }[]
      seen.push(
        ...events.filter(({ type }) => type === 'task_deleted').map((each) => each.entity_id),
      )
      next = body._links.next?.href
    }
    const names = Object.keys(tasks).filter((name) => seen.includes(tasks[name]!))
    expect(names.toSorted()).toEqual(
      ['own free', 'own seen', 'own hidden', 'group seen', 'other seen'].toSorted(),
    )
  })

  test('each way of a list answers the same tasks to a user who sees few', async () => {
    const { user, account, own } = await people('M', 'M')
    await addTasks(account.api, ...Array.from({ length: 60 }, () => ({})))
    const last = await addTask(account.api, about('leads', own))
    const usual = { ...bounds }
    const queries = [
      'limit=3',
      'limit=250',
      'order[complete_till]=desc&limit=4',
      'filter[is_completed]=0',
      `filter[entity_type]=leads&filter[entity_id]=${own}`,
    ]
    const answers = async () => Promise.all(queries.map((query) => list(user.api, query)))
    const expected = await answers()
    expect(expected[1]).toContain(last)
    for (const limits of [
      { smallSet: 0, windowRows: 4, mediumSet: 1000 },
      { smallSet: 0, windowRows: 4, mediumSet: 0 },
      { smallSet: 0, windowRows: 1000, mediumSet: 0 },
    ])
      try {
        Object.assign(bounds, limits)
        expect(await answers()).toEqual(expected)
      } finally {
        Object.assign(bounds, usual)
      }
  })

  test('tasks follow their user to another group', async () => {
    const account = await newAccount()
    const [north, south] = [await addGroup(account), await addGroup(account)]
    const seller = await account.addUser({ group_id: south, ...letters('G') })
    const mover = await account.addUser({ group_id: north })
    const [id, binned] = await addTasks(
      account.api,
      { responsible_user_id: mover.id },
      { responsible_user_id: mover.id },
    )
    await account.api.delete(`${path}/${binned}`)
    expect(await read(account.api, id!)).toMatchObject({ group_id: north })
    expect(await list(seller.api)).toEqual([])
    await account.api.patch(`/web/v1/users/${mover.id}`, { group_id: south })
    expect(await read(account.api, id!)).toMatchObject({ group_id: south })
    await expect.poll(() => list(seller.api)).toEqual([id])
    const stored = () =>
      account.kontor.database.rows(
        sql`select distinct group_id from tasks where account_id = ${account.id}`,
      )
    await expect.poll(stored, { timeout: 20_000 }).toEqual([{ group_id: south }])
    await account.api.patch(`${path}/${id}`, { responsible_user_id: account.admin.id })
    expect(await read(account.api, id!)).toMatchObject({ group_id: 0 })
  })
})

describe.for(allKinds)('the closest task of %s', (kind) => {
  test('is the earliest open one, after every write', async () => {
    const { api } = await newAccount()
    const [one, two] = await addRecords(api, kind, [{ name: 'One' }, { name: 'Two' }])
    const before = await readRecord(api, kind, one!)
    const both = async () => [await closestOf(api, kind, one!), await closestOf(api, kind, two!)]
    const [first, second] = await addTasks(
      api,
      { ...about(kind, one!), complete_till: 100 },
      { ...about(kind, one!), complete_till: 50 },
      { ...about(kind, one!), complete_till: 10, is_completed: true },
    )
    expect(await both()).toEqual([50, null])
    const change = (id: number, body: object) => api.patch(`${path}/${id}`, body)
    const steps: [() => Promise<Answer>, unknown[]][] = [
      [() => change(second!, { complete_till: 200 }), [100, null]],
      [() => change(first!, { is_completed: true, result: { text: 'Done' } }), [200, null]],
      [() => change(first!, { is_completed: false }), [100, null]],
      [() => change(first!, { entity_id: two }), [200, 100]],
      [() => change(first!, { entity_id: null }), [200, null]],
      [() => change(first!, about(kind, one!)), [100, null]],
      [() => api.delete(`${path}/${first}`), [200, null]],
      [
        () =>
          api.patch(path, [
            { id: second, complete_till: 5 },
            { id: second, entity_id: two },
          ]),
        [null, 5],
      ],
    ]
    for (const [step, closest] of steps) {
      expect((await step()).status).toBeLessThan(300)
      expect(await both()).toEqual(closest)
    }
    expect(await readRecord(api, kind, one!)).toEqual(before)
    expect(await find({ api }, kind, 'filter[closest_task_at]=0')).toEqual(['One'])
    expect(await find({ api }, kind, 'filter[closest_task_at][to]=10')).toEqual(['Two'])
  })

  test('tasks of a record in the bin are hidden, come back with it, and go with its purge', async () => {
    const { api, kontor, id: account_id, addUser } = await newAccount()
    // The user sees own tasks, and not all others.
    const user = await addUser(letters('D', 'A'))
    const record = await addRecord(api, kind)
    const owned = { ...about(kind, record), responsible_user_id: user.id }
    const id = await addTask(api, { ...owned, result: { text: 'x' } })
    const [free] = await addTasks(api, {})
    expect(await list(user.api)).toEqual([id])
    await api.delete(`/api/v4/${kind}/${record}`)
    expect(await list(api)).toEqual([free])
    expect(await list(user.api)).toEqual([])
    expect((await user.api.get(`${path}/${id}`)).status).toBe(404)
    expect(await list(api, `filter[entity_type]=${kind}&filter[entity_id]=${record}`)).toEqual([])
    for (const answer of [
      await api.get(`${path}/${id}`),
      await api.patch(`${path}/${id}`, { text: 'x' }),
      await api.delete(`${path}/${id}`),
    ])
      expect(answer.status).toBe(404)
    await api.post(`/api/v4/${kind}/${record}/restore`)
    expect(await list(api)).toEqual([id, free])
    expect(await closestOf(api, kind, record)).toBe(till)
    await api.delete(`/api/v4/${kind}/${record}`)
    await purgeBinOf(kontor.database, account_id, 0, kontor.now() + 100)
    const left = await kontor.database.rows(sql`
      select id from tasks where account_id = ${account_id}
      union all select id from notes where account_id = ${account_id} and entity_type = 'tasks'`)
    expect(left).toEqual([{ id: free }])
  })
})

describe('news', () => {
  test('of a creation: an event for each task, and nothing of its record', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const lead = await addRecord(api, 'leads')
    const newsSince = await listen(account)
    const [open, done] = await addTasks(api, about('leads', lead), {
      is_completed: true,
      result: { text: 'Sold' },
    })
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([
      {
        entity_type: 'tasks',
        entity_id: open,
        actions: ['add'],
        before: null,
        after: { id: open },
      },
      { entity_type: 'tasks', entity_id: done, actions: ['add'], before: null },
    ])
    const by = { created_by: admin.id, value_before: [], value_after: [] }
    expect(events.map(plainly)).toEqual([
      { type: 'task_added', entity_id: open, ...by },
      { type: 'task_added', entity_id: done, ...by },
      { type: 'task_completed', entity_id: done, ...by },
      {
        type: 'task_result_added',
        entity_id: done,
        ...by,
        value_after: [{ note: { id: expect.any(Number) } }],
      },
    ])
    expect(events.map(({ entity_type }) => entity_type)).toEqual(Array(4).fill('task'))
    expect(events[0]!['_embedded'].entity._links.self.href).toMatch(`${path}/${open}`)
  })

  test('of changes: what moved, both values, and who is responsible now', async () => {
    const account = await newAccount()
    const { api, admin } = account
    const user = await account.addUser()
    const id = await addTask(api)
    const newsSince = await listen(account)
    await api.patch(`${path}/${id}`, {
      text: 'New',
      task_type_id: 2,
      complete_till: 9,
      responsible_user_id: user.id,
    })
    await api.patch(`${path}/${id}`, { duration: 9 })
    await api.patch(`${path}/${id}`, { duration: 9, text: 'New' })
    const { journal, events } = await newsSince()
    expect(journal.map(({ actions }) => actions)).toEqual([['update', 'responsible'], ['update']])
    expect(journal[0]).toMatchObject({
      before: {
        text: 'Call back',
        task_type_id: 1,
        complete_till: till,
        responsible_user_id: admin.id,
      },
    })
    const of = { entity_id: id, created_by: admin.id }
    expect(events.map(plainly)).toEqual([
      {
        ...of,
        type: 'task_text_changed',
        value_before: [{ task: { text: 'Call back' } }],
        value_after: [{ task: { text: 'New' } }],
      },
      {
        ...of,
        type: 'task_type_changed',
        value_before: [{ task_type: { id: 1 } }],
        value_after: [{ task_type: { id: 2 } }],
      },
      {
        ...of,
        type: 'entity_responsible_changed',
        value_before: [{ responsible_user: { id: admin.id } }],
        value_after: [{ responsible_user: { id: user.id } }],
      },
      {
        ...of,
        type: 'task_deadline_changed',
        value_before: [{ task_deadline: { timestamp: till } }],
        value_after: [{ task_deadline: { timestamp: 9 } }],
      },
    ])
  })

  test('of a completion with a result from the card of a record: one change, which only a session may say', async () => {
    const account = await newAccount()
    const password = 'a long enough password'
    const { email } = await account.addUser({ is_admin: true, password })
    const { api: web } = await signIn(account.kontor, { email, password })
    const [card, section, token] = await addTasks(account.api, {}, {}, {})
    const newsSince = await listen(account)
    const done = { is_completed: true, result: { text: 'Sold' } }
    const onCard = { 'x-kontor-surface': 'card' }
    await web.patch(`${path}/${card}`, done, onCard)
    await web.patch(`${path}/${section}`, done)
    await account.api.patch(`${path}/${token}`, done, onCard)
    const { journal, events } = await newsSince()
    expect(
      journal.map(({ entity_id, before }) => [
        entity_id,
        Object.keys(before!).filter((key) => !key.startsWith('updated')),
      ]),
    ).toEqual([
      [card, ['is_completed', 'completed_at', 'result']],
      [section, ['is_completed', 'completed_at']],
      [section, ['result']],
      [token, ['is_completed', 'completed_at']],
      [token, ['result']],
    ])
    expect(events.map(({ type }) => type)).toEqual(
      [card, section, token].flatMap(() => ['task_completed', 'task_result_added']),
    )
    const surfaces = await account.kontor.database.rows(
      sql`select surface from journal where account_id = ${account.id} and before is not null order by id`,
    )
    expect(surfaces.map((row) => Object.values(row)[0])).toEqual([
      'card',
      'web',
      'web',
      'api',
      'api',
    ])
  })

  test('of a completion with a result: two changes, the result with its note; of a deletion: one', async () => {
    const account = await newAccount()
    const { api, admin, kontor } = account
    const [one, two] = await addTasks(api, {}, {})
    const newsSince = await listen(account)
    await api.patch(`${path}/${one}`, { is_completed: true, result: { text: 'Sold' } })
    await api.patch(`${path}/${two}`, { is_completed: true })
    await api.patch(`${path}/${two}`, { is_completed: false, result: { text: 'Again' } })
    await api.delete(`${path}/${two}`)
    const { journal, events } = await newsSince()
    expect(
      journal.map(({ entity_id, actions, before }) => [
        entity_id,
        actions,
        Object.keys(before!).filter((key) => !key.startsWith('updated')),
      ]),
    ).toEqual([
      [one, ['update'], ['is_completed', 'completed_at']],
      [one, ['update'], ['result']],
      [two, ['update'], ['is_completed', 'completed_at']],
      [two, ['update'], ['is_completed', 'completed_at', 'result']],
      [two, ['delete'], ['is_deleted']],
    ])
    expect(events.map(({ type }) => type)).toEqual([
      'task_completed',
      'task_result_added',
      'task_completed',
      'task_result_added',
      'task_deleted',
    ])
    expect(events.map(({ entity_id }) => entity_id)).toEqual([one, one, two, two, two])
    const notes = await kontor.database.rows<{ id: number }>(
      sql`select id, note_type, params, created_by from notes where account_id = ${account.id} and entity_type = 'tasks' order by id`,
    )
    expect(notes).toMatchObject([
      { note_type: 'task_result', params: { text: 'Sold' }, created_by: admin.id },
      { params: { text: 'Again' } },
    ])
    expect(events[1]!['value_after']).toEqual([{ note: { id: notes[0]!.id } }])
    const [row] = await kontor.database.rows<{ note: object }>(
      sql`select note from journal where account_id = ${account.id} and note is not null order by id limit 1`,
    )
    expect(row!.note).toMatchObject({ id: notes[0]!.id, params: { text: 'Sold' } })
    expect((await api.get(`/api/v4/leads/notes/${notes[0]!.id}`)).status).toBe(404)
  })
})

describe('at the same time', () => {
  test('tasks of one record are closed and moved, and its closest task is right in the end', async () => {
    const { api } = await newAccount()
    const leads = await addRecords(api, 'leads', [{}, {}, {}])
    const ids = await addTasks(
      api,
      ...Array.from({ length: 12 }, (_, index) => ({
        ...about('leads', leads[index % 3]!),
        complete_till: 100 + index,
      })),
    )
    const answers = await Promise.all(
      ids.flatMap((id, index) => [
        api.patch(`${path}/${id}`, { entity_id: leads[(index + 1) % 3] }),
        api.patch(path, [
          { id: ids[(index + 5) % 12], is_completed: index % 2 === 0 },
          { id, entity_id: leads[(index + 2) % 3] },
        ]),
        api.post(path, [{ text: 'x', complete_till: 90, ...about('leads', leads[index % 3]!) }]),
      ]),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    for (const lead of leads) {
      const open = (
        await api.get(
          `${path}?filter[entity_type]=leads&filter[entity_id]=${lead}&filter[is_completed]=0&order[complete_till]=asc`,
        )
      ).body._embedded.tasks as { complete_till: number }[]
      expect(await closestOf(api, 'leads', lead)).toBe(open[0]!.complete_till)
    }
  })
})

test('a task that moves each time before its change locks it is refused for now', async () => {
  const account = await newAccount()
  const { api } = account
  const { database } = account.kontor
  const leads = await addRecords(api, 'leads', [{}, {}])
  const id = await addTask(api, about('leads', leads[0]!))
  let moves = 0
  let isBeforeLocks = false
  const change = database.transaction((tx) => {
    const rows: Tx['rows'] = async <Row extends object>(statement: Sql) => {
      const answer = await tx.rows<Row>(statement)
      if (isBeforeLocks)
        await database.transaction((other) =>
          other.rows(sql`update tasks set entity_id = ${leads[++moves % 2]} where id = ${id}`),
        )
      isBeforeLocks = statement.text === 'savepoint tasks'
      return answer
    }
    return changeTasks({ ...tx, rows }, actorIn(account), batchOf({ id, text: 'y' }))
  })
  await expect(change).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(moves).toBeGreaterThan(1)
  expect(await read(api, id)).toMatchObject({ text: 'Call back' })
})

test('a task that moves while its change waits is changed on its new record, which is locked first', async () => {
  const account = await newAccount()
  const { api } = account
  const { database } = account.kontor
  const [from, to] = await addRecords(api, 'leads', [{}, {}])
  const id = await addTask(api, about('leads', from!))
  const lock = (lead: number) => sql`select id from leads where id = ${lead} for no key update`
  let pending: Promise<Answer> | undefined
  await database.transaction(async (adding) => {
    // An earlier task of the new record, which nobody else sees yet.
    await adding.rows(lock(to!))
    await adding.rows(sql`
      insert into tasks (account_id, text, task_type_id, responsible_user_id, group_id, entity_type, entity_id, complete_till,
                         duration, is_completed, created_by, updated_by, created_at, updated_at)
      select account_id, text, task_type_id, responsible_user_id, group_id, entity_type, ${to}::bigint, 10,
             duration, is_completed, created_by, updated_by, created_at, updated_at from tasks where id = ${id}`)
    await adding.rows(sql`update leads set closest_task_at = 10 where id = ${to}`)
    await database.transaction(async (moving) => {
      await moving.rows(lock(from!))
      pending = api.patch(`${path}/${id}`, { complete_till: 50 })
      await untilAwaited(moving)
      await moving.rows(sql`update tasks set entity_id = ${to}::bigint where id = ${id}`)
    })
    await untilAwaited(adding)
  })
  expect((await pending!).status).toBe(200)
  expect(await read(api, id)).toMatchObject({ complete_till: 50, ...about('leads', to!) })
  expect(await closestOf(api, 'leads', to!)).toBe(10)
})

test('an account that is not paid reads its tasks and writes none', async () => {
  const account = await newAccount()
  const id = await addTask(account.api)
  const { kontor, subdomain } = account
  await kontor.database.transaction((tx) =>
    setAccount(tx, kontor.now(), subdomain, { isUnpaid: true }),
  )
  await expect.poll(async () => (await account.api.get('/api/v4/events')).status).toBe(402)
  expect((await account.api.patch(`${path}/${id}`, { text: 'x' })).status).toBe(402)
  expect(await list(account.api)).toEqual([id])
  expect((await account.api.delete(`${path}/${id}`)).status).toBe(402)
})
