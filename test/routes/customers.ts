// The requests of the rows for statuses and modes of customers. An account has room for few statuses, so only deleted ones are made anew.
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const statuses = '/api/v4/customers/statuses'

/** The first status, or one more. */
async function statusOf({ account: { api }, mark }: RouteFixture, isNew = false): Promise<number> {
  const { body } = isNew
    ? await api.post(statuses, [{ name: `A status ${mark}`, sort: 50 }])
    : await api.get(statuses)
  return body._embedded.statuses[0].id
}

const one =
  (isNew: boolean, body?: unknown): Prepare =>
  async (fixture) => ({ path: `${statuses}/${await statusOf(fixture, isNew)}`, body })

export const customerRequests: Record<string, Prepare> = {
  [`GET ${statuses}`]: async (fixture) => ({
    list: { of: 'statuses', holds: await statusOf(fixture) },
  }),
  [`GET ${statuses}/{id}`]: one(false),
  [`POST ${statuses}`]: () => ({ body: [{ name: 'A status', sort: 50 }] }),
  [`PATCH ${statuses}/{id}`]: one(false, { name: 'Another' }),
  [`DELETE ${statuses}/{id}`]: one(true),
  'GET /web/v1/customers/reevaluation': () => ({}),
  'PATCH /web/v1/customers/statuses/{id}': async (fixture) => ({
    path: `/web/v1/customers/statuses/${await statusOf(fixture)}`,
    body: { days: 7 },
  }),
  'POST /web/v1/customers/statuses/{id}/move': async (fixture) => ({
    path: `/web/v1/customers/statuses/${await statusOf(fixture)}/move`,
    body: { before: null },
  }),
  'PATCH /api/v4/customers/mode': () => ({ body: { mode: 'periodicity', is_enabled: true } }),
}
