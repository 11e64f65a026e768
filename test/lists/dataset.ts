// An account with some hundred records of every sort, for lists to be asked of: values of every type in several alphabets, tags, links,
// some changed since and some in the bin, and users who see parts of it. The same for the same seed.
import fc from 'fast-check'
import sql, { raw } from 'sql-template-tag'
import type { Field } from '../../server/records/fields/definitions.ts'
import { fieldsChanged } from '../../server/records/fields/definitions.ts'
import type { RecordType } from '../../server/records/description.ts'
import { newAccount } from '../account.ts'
import type { TestAccount, TestUser } from '../account.ts'
import type { Answer } from '../client.ts'
import { addGroup, addPipeline, lost, mainPipeline, won } from '../leads.ts'
import { addRecords, allKinds, pathOf } from '../records.ts'
import { draftOf, times } from './drafts.ts'
import { addFields, daysIn } from './fields.ts'
import type { Known, Stage, Viewer, Dataset } from './reference.ts'

export interface Ground {
  account: TestAccount
  dataset: Dataset
  viewers: { user: TestUser; viewer: Viewer }[]
  fields: Record<RecordType, Field[]>
  /** The stages of leads. */
  stages: Stage[]
  /** The statuses of customers. */
  statuses: number[]
}

const timezone = 'America/New_York'
/** With the days on which its clocks change. */
export const days = [
  '07.03.2026',
  '08.03.2026',
  '01.11.2026',
  '29.02.2024',
  '31.12.1969',
  '01.01.1970',
]
export async function newGround(seed: number, sizes: Record<RecordType, number>): Promise<Ground> {
  const account = await newAccount()
  const { api, kontor } = account
  await kontor.database.transaction(async (tx) => {
    await fieldsChanged(tx, account.id)
    await tx.rows(sql`update accounts set timezone = ${timezone} where id = ${account.id}`)
  })
  const [main, other, group_id] = [
    await mainPipeline(account),
    await addPipeline(account),
    await addGroup(account),
  ]
  const stages = [main, other].flatMap(({ id: pipeline_id, statuses }) =>
    [statuses[0], statuses[1], won, lost].map((status_id) => ({ pipeline_id, status_id })),
  )
  const viewers = await addViewers(account, group_id, stages)
  const fields = Object.fromEntries(
    await Promise.all(
      allKinds.map(async (kind) => [kind, await addFields(account, kind)] as const),
    ),
  ) as Ground['fields']
  const known = await daysIn(account, timezone, days)
  const moments = [...known.values()].flatMap(([first, last]) => [first, first + 40_000, last])
  const users = viewers.map(({ user }) => user.id)
  const found = await api.get('/api/v4/customers/statuses')
  const statuses: number[] = found.body._embedded.statuses.map(idOf)
  const materials = { users, stages, statuses, moments }

  const made = { leads: [], contacts: [], companies: [], customers: [] } as Record<
    RecordType,
    number[]
  >
  // Leads and customers are linked to what is there.
  for (const kind of ['companies', 'contacts', 'leads', 'customers'] as const) {
    const drafts = fc.sample(draftOf(kind, fields[kind], { ...materials, made }), {
      seed,
      numRuns: sizes[kind],
    })
    // Their ids stand in several blocks (docs/decisions/0059-blocks.md).
    const ids: number[] = (made[kind] = [])
    for (let from = 0; from < drafts.length; from += 50) {
      ids.push(...(await addRecords(api, kind, drafts.slice(from, from + 50))))
      await kontor.database.list(sql`select nextval(${`${kind}_id`}) from generate_series(1, 2500)`)
    }
    const changes = fc.sample(draftOf(kind, fields[kind], materials), {
      seed: seed + 1,
      numRuns: 20,
    })
    const changed = changes.map(({ name, custom_fields_values }, index) => ({
      id: ids[index * 2]!,
      name,
      custom_fields_values,
    }))
    await answered(api.patch(pathOf(kind), changed))
    await answered(
      api.patch(
        pathOf(kind),
        ids.map((id, index) => ({
          id,
          updated_at: times[index % 7] ?? 7e4 + index,
          updated_by: users[index % users.length],
        })),
      ),
    )
    await kontor.database.transaction((tx) =>
      tx.list(sql`
        update ${raw(kind)} set closest_task_at = (array[null, 0, 1000, 1001, 5000])[id % 5 + 1]
         where account_id = ${account.id} and id = any(${ids}::bigint[])`),
    )
  }
  const records = {} as Dataset['records']
  for (const kind of allKinds) records[kind] = await readAll(account, kind)
  for (const kind of allKinds) {
    for (const [index, record] of records[kind].entries()) {
      if (index % 9 === 4) await api.delete(`${pathOf(kind)}/${record.id}`)
    }
    for (const { id, updated_at, updated_by } of await listed(account, kind, 'with=only_deleted'))
      Object.assign(
        records[kind].find((record) => record.id === id)!,
        { isDeleted: true, updated_at, updated_by },
      )
  }
  const types = new Map(
    allKinds.flatMap((kind) => fields[kind].map(({ id, type }) => [id, type] as const)),
  )
  return { account, dataset: { records, types, days: known }, viewers, fields, stages, statuses }
}

async function addViewers(
  account: TestAccount,
  group_id: number,
  stages: Stage[],
): Promise<Ground['viewers']> {
  const all = { view: 'A', edit: 'A', add: 'A', delete: 'A' } as const
  const status = (stage: Stage, letter: 'A' | 'D') => ({
    entity_type: 'leads' as const,
    ...stage,
    rights: {
      view: letter,
      edit: letter,
      delete: letter,
    },
  })
  const cases: [Viewer['view'], opened?: Stage, closed?: Stage][] = [
    [{ leads: 'G', contacts: 'G', companies: 'G' }],
    [{ leads: 'M', contacts: 'M', companies: 'M' }],
    [{ leads: 'M', contacts: 'D', companies: 'A' }, stages[0], stages[5]],
    [{ leads: 'A', contacts: 'M', companies: 'G' }, undefined, stages[1]],
    [{ leads: 'D', contacts: 'A', companies: 'D' }, stages[4]],
  ]
  const viewers: Ground['viewers'] = [
    {
      user: account.admin,
      viewer: {
        id: account.admin.id,
        group_id: 0,
        view: { leads: 'A', contacts: 'A', companies: 'A' },
      },
    },
  ]
  for (const [index, [view, opened, closed]] of cases.entries()) {
    const group = index % 2 === 0 ? group_id : 0
    const letters = Object.fromEntries(
      Object.entries(view).map(([kind, letter]) => [kind, { ...all, view: letter }]),
    )
    const status_rights = [
      ...(opened ? [status(opened, 'A')] : []),
      ...(closed ? [status(closed, 'D')] : []),
    ]
    const user = await account.addUser({ group_id: group, rights: { ...letters, status_rights } })
    viewers.push({
      user,
      viewer: {
        id: user.id,
        group_id: group,
        view,
        ...(opened && { opened }),
        ...(closed && { closed }),
      },
    })
  }
  return viewers
}

async function readAll(account: TestAccount, kind: RecordType): Promise<Known[]> {
  return (await listed(account, kind, 'with=contacts,group_id')).map(
    ({ _embedded: { contacts, companies, tags }, ...record }) => ({
      ...record,
      tags: tags.map(idOf),
      linked: { contacts: (contacts ?? []).map(idOf), companies: (companies ?? []).map(idOf) },
      isDeleted: false,
    }),
  )
}

async function listed({ api }: TestAccount, kind: RecordType, query: string) {
  const found = []
  for (let next: string | undefined = `${pathOf(kind)}?limit=250&${query}`; next;) {
    const { body }: Answer = await api.get(next)
    found.push(...body._embedded[kind])
    next = body._links.next?.href
  }
  return found
}

async function answered(request: Promise<Answer>): Promise<void> {
  const { status, body } = await request
  if (status !== 200) throw new Error(JSON.stringify(body))
}

const idOf = ({ id }: { id: number }) => id
