// The time of a change is read once nothing is waited for any more (decision 90). Each request below
// waits for a row; a minute passes; and what it then writes bears the later time.
import sql, { raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { newAccount } from '../../test/account.ts'
import type { TestAccount } from '../../test/account.ts'
import { addCatalog, addElements } from '../../test/links.ts'
import { addLead, mainPipeline } from '../../test/leads.ts'
import { untilAwaited } from '../../test/locks.ts'
import { addNote } from '../../test/notes.ts'
import { addRecord, allKinds, needed, pathOf } from '../../test/records.ts'
import { server } from '../../test/server.ts'
import { addItem } from '../../test/unsorted.ts'

const aMinute = 60

// The tests share a server.
afterEach(async () => {
  const { clock } = await server({})
  clock.ahead = 0
})

interface Answering {
  /** Selects the row that the request waits for. */
  awaited: Sql
  method: 'post' | 'patch' | 'delete'
  path: string
  body?: unknown
}

type Prepare = (account: TestAccount) => Promise<Answering>

const rowOf = (table: string, id: number) => sql`select from ${raw(table)} where id = ${id}`

const lead = (account: TestAccount) => addLead(account.api)

const writes: Record<string, Prepare> = {
  ...Object.fromEntries(
    allKinds.flatMap((kind): [string, Prepare][] => [
      [
        `a change of ${kind}`,
        async ({ api }) => {
          const id = await addRecord(api, kind)
          const body = [{ id, name: 'Later' }]
          return { awaited: rowOf(kind, id), method: 'patch', path: pathOf(kind), body }
        },
      ],
      [
        `a deletion of ${kind}`,
        async ({ api }) => {
          const id = await addRecord(api, kind)
          return { awaited: rowOf(kind, id), method: 'delete', path: `${pathOf(kind)}/${id}` }
        },
      ],
      [
        `a creation of ${kind} that links`,
        async ({ api }) => {
          const other = kind === 'companies' ? 'contacts' : 'companies'
          const id = await addRecord(api, other)
          const body = [{ ...needed(kind), _embedded: { [other]: [{ id }] } }]
          return { awaited: rowOf(other, id), method: 'post', path: pathOf(kind), body }
        },
      ],
    ]),
  ),
  'a creation of a lead in a stage': async (account) => {
    const { id } = await mainPipeline(account)
    return {
      awaited: rowOf('pipelines', id),
      method: 'post',
      path: '/api/v4/leads',
      body: [{ pipeline_id: id, status_id: 142 }],
    }
  },
  'a lead with its contact': async (account) => {
    const { id } = await mainPipeline(account)
    return {
      awaited: rowOf('pipelines', id),
      method: 'post',
      path: '/api/v4/leads/complex',
      body: [{ name: 'Complex', _embedded: { contacts: [{ first_name: 'Ann' }] } }],
    }
  },
  'a link': async (account) => {
    const id = await lead(account)
    const to = await addRecord(account.api, 'contacts')
    return {
      awaited: rowOf('contacts', to),
      method: 'post',
      path: `/api/v4/leads/${id}/link`,
      body: [{ to_entity_id: to, to_entity_type: 'contacts' }],
    }
  },
  'a task': async (account) => {
    const id = await lead(account)
    return {
      awaited: rowOf('leads', id),
      method: 'post',
      path: '/api/v4/tasks',
      body: [{ text: 'Call', complete_till: 2_000_000_000, entity_id: id, entity_type: 'leads' }],
    }
  },
  'a change of a task': async (account) => {
    const id = await lead(account)
    const [task] = (
      await account.api.post('/api/v4/tasks', [
        { text: 'Call', complete_till: 2_000_000_000, entity_id: id, entity_type: 'leads' },
      ])
    ).body._embedded.tasks
    return {
      awaited: rowOf('leads', id),
      method: 'patch',
      path: `/api/v4/tasks/${task.id}`,
      body: { is_completed: true },
    }
  },
  'a note': async (account) => {
    const id = await lead(account)
    return {
      awaited: rowOf('leads', id),
      method: 'post',
      path: `/api/v4/leads/${id}/notes`,
      body: [{ note_type: 'common', params: { text: 'Said' } }],
    }
  },
  'a change of a note': async (account) => {
    const id = await lead(account)
    const note = await addNote(account.api, 'leads', id)
    return {
      awaited: rowOf('leads', id),
      method: 'patch',
      path: `/api/v4/leads/notes/${note}`,
      body: { params: { text: 'Said later' } },
    }
  },
  'a change of an element': async (account) => {
    const catalog = await addCatalog(account.api)
    const [element] = await addElements(account.api, catalog, 'Goods')
    const { id } = element!
    return {
      awaited: rowOf('catalog_elements', id),
      method: 'patch',
      path: `/api/v4/catalogs/${catalog}/elements/${id}`,
      body: { name: 'Later' },
    }
  },
  'an acceptance': async (account) => {
    const { uid } = await addItem(account.api)
    return {
      awaited: sql`select from unsorted_items where uid = ${uid}`,
      method: 'post',
      path: `/api/v4/leads/unsorted/${uid}/accept`,
      body: {},
    }
  },
  'a merge': async ({ api }) => {
    const into = await addRecord(api, 'contacts')
    const from = await addRecord(api, 'contacts')
    return {
      awaited: rowOf('contacts', from),
      method: 'post',
      path: '/web/v1/merges',
      body: { entity_type: 'contacts', into, from },
    }
  },
}

test.each(Object.entries(writes))('%s has the time after its wait', async (_name, prepare) => {
  const account = await newAccount()
  const { id, api, clock, kontor } = account
  const { awaited, method, path, body } = await prepare(account)
  const before = await timesOf(account)
  const arrived = kontor.now()
  const answering = await kontor.database.transaction(async (tx) => {
    await tx.rows(sql`${awaited} for update`)
    const answer = api[method](path, body)
    await untilAwaited(tx)
    clock.ahead = aMinute
    return { answer }
  })
  expect((await answering.answer).status).toBeLessThan(300)
  const written = (await timesOf(account)).slice(before.length)
  expect(written.length).toBeGreaterThan(0)
  expect(Math.min(...written)).toBeGreaterThanOrEqual(arrived + aMinute - 1)
  const [made] = await kontor.database.rows<{ at: number | null }>(sql`
    select min((after ->> 'created_at')::bigint) as at from journal
     where account_id = ${id} and actions = '{add}' and created_at >= ${arrived + aMinute - 1}`)
  // The lead of an item was made when the item came.
  if (made!.at !== null && !path.includes('/unsorted/'))
    expect(made!.at).toBeGreaterThanOrEqual(arrived + aMinute - 1)
  const stamped = await kontor.database.rows<{ at: number }>(sql`
    select greatest((after ->> 'updated_at')::bigint, (note ->> 'updated_at')::bigint, 0) as at from journal
     where account_id = ${id} and created_at >= ${arrived + aMinute - 1}`)
  expect(Math.max(...stamped.map(({ at }) => at))).toBeGreaterThanOrEqual(arrived + aMinute - 1)
})

test('the clock of the process decides nothing', async () => {
  const { api, kontor } = await newAccount()
  const id = await addRecord(api, 'leads')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * aMinute * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  const { body } = await api.patch(`${pathOf('leads')}/${id}`, { name: 'Later' })
  const database = await kontor.database.row<{ now: number }>(
    sql`select extract(epoch from clock_timestamp())::bigint as now`,
  )
  expect(Math.abs(body.updated_at - database!.now)).toBeLessThan(aMinute)
})

/** The times of the journal and of the event log, in their order. */
async function timesOf({ id, kontor }: TestAccount): Promise<number[]> {
  const rows = await kontor.database.rows<{ created_at: number }>(sql`
    select created_at from (select created_at, 1 as log, id::text as id from journal where account_id = ${id}
                            union all select created_at, 2, id from events where account_id = ${id}) told`)
  return rows.map(({ created_at }) => created_at).toSorted((one, other) => one - other)
}
