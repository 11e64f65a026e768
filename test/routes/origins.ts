// Why leads are lost and where they come from. Sources belong to who makes them: what an integration asks for is its own.
import { client } from '../client.ts'
import { mainPipeline } from '../leads.ts'
import type { Column } from '../routes.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const reasons = '/api/v4/leads/loss_reasons'
const managedReasons = '/web/v1/loss-reasons'
const sources = '/api/v4/sources'

async function addReason({ account: { api }, mark }: RouteFixture): Promise<number> {
  return (await api.post(reasons, [{ name: `A reason ${mark}` }])).body._embedded.loss_reasons[0].id
}

let numbered = 0

async function addSource({ account, callers, mark }: RouteFixture, column: Column) {
  const api = column === 'app' ? client(account.kontor, callers.app.token) : account.api
  const draft = { name: `A source ${mark}`, external_id: `${mark} ${++numbered}` }
  const { id } = (await api.post(sources, [draft])).body._embedded.sources[0] as { id: number }
  return { id, external_id: draft.external_id }
}

export const originRequests: Record<string, Prepare> = {
  [`GET ${reasons}`]: async (fixture) => ({
    list: { of: 'loss_reasons', holds: await addReason(fixture) },
  }),
  [`GET ${reasons}/{id}`]: async (fixture) => ({ path: `${reasons}/${await addReason(fixture)}` }),
  [`POST ${reasons}`]: () => ({ body: [{ name: 'Too dear' }] }),
  [`PATCH ${reasons}/{id}`]: async (fixture) => ({
    path: `${reasons}/${await addReason(fixture)}`,
    body: { name: 'Taken' },
  }),
  [`DELETE ${reasons}/{id}`]: async (fixture) => ({
    path: `${reasons}/${await addReason(fixture)}`,
  }),
  [`GET ${managedReasons}`]: async (fixture) => ({
    list: { of: 'loss_reasons', holds: await addReason(fixture) },
  }),
  [`POST ${managedReasons}`]: () => ({ body: { name: 'Too dear', color: '98cbff' } }),
  [`PATCH ${managedReasons}/{id}`]: async (fixture) => ({
    path: `${managedReasons}/${await addReason(fixture)}`,
    body: { icon_id: 3 },
  }),
  [`POST ${managedReasons}/{id}/move`]: async (fixture) => ({
    path: `${managedReasons}/${await addReason(fixture)}/move`,
    body: { before: null },
  }),
  [`DELETE ${managedReasons}/{id}`]: async (fixture) => ({
    path: `${managedReasons}/${await addReason(fixture)}`,
  }),

  [`GET ${sources}`]: async (fixture, column) => {
    const { id, external_id } = await addSource(fixture, column)
    return ['', `?filter[external_id]=${external_id}`].map((query) => ({
      query,
      list: { of: 'sources', holds: id },
    }))
  },
  [`GET ${sources}/{id}`]: async (fixture, column) => ({
    path: `${sources}/${(await addSource(fixture, column)).id}`,
  }),
  [`POST ${sources}`]: async ({ account }) => ({
    body: [
      {
        name: 'A source',
        external_id: `made ${++numbered}`,
        pipeline_id: (await mainPipeline(account)).id,
      },
    ],
  }),
  [`PATCH ${sources}`]: async (fixture, column) => ({
    body: [{ id: (await addSource(fixture, column)).id, name: 'Taken' }],
  }),
  [`PATCH ${sources}/{id}`]: async (fixture, column) => ({
    path: `${sources}/${(await addSource(fixture, column)).id}`,
    body: { name: 'Taken' },
  }),
  [`DELETE ${sources}`]: async (fixture, column) => ({
    body: [{ id: (await addSource(fixture, column)).id }],
  }),
  [`DELETE ${sources}/{id}`]: async (fixture, column) => ({
    path: `${sources}/${(await addSource(fixture, column)).id}`,
  }),
}
