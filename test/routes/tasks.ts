// The requests to the routes of tasks; the alien asks by all that it could know.
import { randomUUID } from 'node:crypto'
import type { TestUser } from '../account.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

const path = '/api/v4/tasks'
const due = { text: 'Taken', complete_till: 2_000_000_000 }

/** A task about a lead; both have the same responsible user. */
async function addTask(fixture: RouteFixture, responsible: TestUser) {
  const lead = await seed.addRecord(fixture, 'leads', responsible)
  const draft = {
    text: `A task ${fixture.mark}`,
    complete_till: 2_000_000_000,
    responsible_user_id: responsible.id,
    entity_type: 'leads',
    entity_id: lead,
  }
  const { status, body } = await fixture.account.api.post(path, [draft])
  if (status !== 200) throw new Error(`the task was refused: ${JSON.stringify(body)}`)
  return { lead, id: body._embedded.tasks[0].id as number }
}

const add = (fixture: RouteFixture, column: Column) =>
  addTask(fixture, responsibleFor(fixture, column))
const one =
  (body?: unknown): Prepare =>
  async (fixture, column) => ({ path: `${path}/${(await add(fixture, column)).id}`, body })

const types = '/web/v1/task-types'
const newName = () => `A type ${randomUUID()}`

async function addType({ account: { api }, mark }: RouteFixture): Promise<number> {
  const { status, body } = await api.post(types, {
    name: `${mark} ${randomUUID()}`,
    color: '98cbff',
  })
  if (status !== 201) throw new Error(`the task type was refused: ${JSON.stringify(body)}`)
  return body.id
}

const oneType =
  (body?: unknown): Prepare =>
  async (fixture) => ({ path: `${types}/${await addType(fixture)}`, body })

export const taskRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (fixture, column) => {
    const { callers, colleague, outsider } = fixture
    for (const user of [callers['M-own'].user, callers['G-own'].user, colleague])
      await addTask(fixture, user)
    const { id, lead } = await addTask(fixture, outsider)
    const byOurs = [
      '',
      `?filter[id]=${id}`,
      `?filter[entity_type]=leads&filter[entity_id]=${lead}`,
      `?filter[responsible_user_id]=${outsider.id}`,
      `?page=2&after=${id - 1}`,
    ]
    return (column === 'alien' ? byOurs : ['?limit=250']).map((query) => ({
      query,
      list: { of: 'tasks' },
    }))
  },
  [`GET ${path}/{id}`]: one(),
  [`POST ${path}`]: async (fixture, column) => ({
    body: [{ ...due, entity_type: 'leads', entity_id: (await add(fixture, column)).lead }],
  }),
  [`PATCH ${path}`]: async (fixture, column) => ({
    body: [{ id: (await add(fixture, column)).id, text: 'Taken' }],
  }),
  [`PATCH ${path}/{id}`]: one({ text: 'Taken' }),
  [`DELETE ${path}/{id}`]: one(),
  [`GET ${types}`]: async (fixture) => ({
    list: { of: 'task_types', holds: await addType(fixture) },
  }),
  [`POST ${types}`]: () => ({ body: { name: newName(), color: '98cbff' } }),
  [`PATCH ${types}/{id}`]: oneType({ name: newName() }),
  [`POST ${types}/{id}/move`]: async (fixture) => ({
    path: `${types}/${await addType(fixture)}/move`,
    body: { before: null },
  }),
  [`DELETE ${types}/{id}`]: oneType(),
}
