// The requests of the rows for pipelines and statuses. An account has room for few, so only deleted ones are made anew.
import type { TestAccount } from '../account.ts'
import { addPipeline, mainPipeline } from '../leads.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const pipelines = '/api/v4/leads/pipelines'

/** A status of the main pipeline: the first, or one more. */
async function statusOf(
  { account, mark }: RouteFixture,
  isNew = false,
): Promise<{ statuses: string; id: number }> {
  const { id: pipeline, statuses: known } = await mainPipeline(account)
  const statuses = `${pipelines}/${pipeline}/statuses`
  if (!isNew) return { statuses, id: known[0] }
  const made = await account.api.post(statuses, { name: `A status ${mark}`, sort: 5000 })
  return { statuses, id: made.body._embedded.statuses[0].id }
}

const one = (isNew: boolean, body?: unknown): Prepare => {
  return async (fixture) => {
    const { statuses, id } = await statusOf(fixture, isNew)
    return { path: `${statuses}/${id}`, body }
  }
}

const shaped = '/web/v1/pipelines'

/** A pipeline beside the main one, for all requests of an account: it has room for few. */
const others = new WeakMap<TestAccount, ReturnType<typeof addPipeline>>()

const otherPipeline =
  (tail: string, body?: unknown): Prepare =>
  async ({ account }) => {
    const other = others.get(account) ?? addPipeline(account)
    others.set(account, other)
    return { path: `${shaped}/${(await other).id}${tail}`, body }
  }

const mainStage =
  (tail: string, body: unknown): Prepare =>
  async ({ account }) => {
    const { id, statuses } = await mainPipeline(account)
    return { path: `${shaped}/${id}/statuses/${statuses[0]}${tail}`, body }
  }

export const pipelineRequests: Record<string, Prepare> = {
  [`GET ${pipelines}`]: async ({ account }) => ({
    list: { of: 'pipelines', holds: (await mainPipeline(account)).id },
  }),
  [`GET ${pipelines}/{id}`]: async ({ account }) => ({
    path: `${pipelines}/${(await mainPipeline(account)).id}`,
  }),
  [`POST ${pipelines}`]: () => ({ body: [{ name: 'A pipeline' }] }),
  [`PATCH ${pipelines}/{id}`]: async ({ account }) => ({
    path: `${pipelines}/${(await mainPipeline(account)).id}`,
    body: { name: 'Another' },
  }),
  [`DELETE ${pipelines}/{id}`]: async ({ account }) => ({
    path: `${pipelines}/${(await addPipeline(account)).id}`,
  }),
  [`GET ${pipelines}/{pipeline_id}/statuses`]: async (fixture) => {
    const { statuses, id } = await statusOf(fixture)
    return { path: statuses, query: '?with=descriptions', list: { of: 'statuses', holds: id } }
  },
  [`GET ${pipelines}/{pipeline_id}/statuses/{id}`]: one(false),
  [`POST ${pipelines}/{pipeline_id}/statuses`]: async (fixture) => {
    const { statuses } = await statusOf(fixture)
    return { path: statuses, body: [{ name: 'A status', sort: 100 }] }
  },
  [`PATCH ${pipelines}/{pipeline_id}/statuses/{id}`]: one(false, { name: 'Another' }),
  [`DELETE ${pipelines}/{pipeline_id}/statuses/{id}`]: one(true),
  [`PUT ${shaped}/{id}/archive`]: otherPipeline('/archive'),
  [`DELETE ${shaped}/{id}/archive`]: otherPipeline('/archive'),
  [`POST ${shaped}/{id}/copy`]: otherPipeline('/copy', { name: 'A copy' }),
  [`PATCH ${shaped}/{pipeline_id}/statuses/{id}`]: mainStage('', { stale_after_days: 7 }),
  [`POST ${shaped}/{pipeline_id}/statuses/{id}/move`]: mainStage('/move', { before: null }),
}
