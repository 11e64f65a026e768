// The requests for saved views, and for jobs. No job of theirs makes an event: it would come late.
import { vi } from 'vitest'
import type { Client } from '../client.ts'
import { addLead, addPipeline, lost } from '../leads.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

const views = '/web/v1/views'

/** A shared view of the user who is responsible for what a column asks for. */
async function addView(fixture: RouteFixture, column: Column): Promise<number> {
  const { api } = responsibleFor(fixture, column)
  const draft = { name: fixture.mark, screen: 'board', search: '', is_shared: true }
  const { status, body } = await api.post(views, draft)
  if (status !== 201) throw new Error(`the view was refused: ${JSON.stringify(body)}`)
  return body.id
}

const oneView =
  (body?: unknown, tail = ''): Prepare =>
  async (fixture, column) => ({ path: `${views}/${await addView(fixture, column)}${tail}`, body })

const jobs = '/web/v1/jobs'

/** The one who asked: the caller where a column asks for its own. */
function askerFor({ callers, outsider }: RouteFixture, column: Column): Client {
  const isOwn = column === 'M-own' || column === 'G-own' || column === 'admin'
  return isOwn ? callers[column].user.api : outsider.api
}

/** A job that has ended and that can be undone: its lead got a reason for being lost. */
async function addJob(fixture: RouteFixture, column: Column): Promise<number> {
  const api = askerFor(fixture, column)
  const reasons = await fixture.account.api.post('/api/v4/leads/loss_reasons', [
    { name: fixture.mark },
  ])
  const loss_reason_id = reasons.body._embedded.loss_reasons[0].id
  const lead = await addLead(api, { name: fixture.mark, status_id: lost })
  const { pipeline_id } = (await api.get(`/api/v4/leads/${lead}`)).body
  const requested = await api.post('/web/v1/bulk', {
    entity_type: 'leads',
    ids: [lead],
    action: { move: { pipeline_id, status_id: lost, loss_reason_id } },
  })
  if (requested.status !== 202)
    throw new Error(`the job was refused: ${JSON.stringify(requested.body)}`)
  const { id } = requested.body
  const isFinished = async () => (await api.get(`${jobs}/${id}`)).body.finished_at !== null
  await vi.waitUntil(isFinished, { timeout: 60_000, interval: 20 })
  return id
}

const oneJob =
  (tail = ''): Prepare =>
  async (fixture, column) => ({ path: `${jobs}/${await addJob(fixture, column)}${tail}` })

export const jobRequests: Record<string, Prepare> = {
  [`GET ${views}`]: () => ({}),
  [`POST ${views}`]: () => ({ body: { name: 'Mine', screen: 'board', search: 'filter[price]=1' } }),
  [`PATCH ${views}/{id}`]: oneView({ name: 'Ours' }),
  [`DELETE ${views}/{id}`]: oneView(),
  [`PUT ${views}/{id}/pin`]: oneView(undefined, '/pin'),
  [`DELETE ${views}/{id}/pin`]: oneView(undefined, '/pin'),
  // The lead has this user already.
  'POST /web/v1/bulk': async (fixture, column) => ({
    body: {
      entity_type: 'leads',
      ids: [await seed.addRecord(fixture, 'leads', responsibleFor(fixture, column))],
      action: {
        assign: {
          responsible_user_id:
            column === 'alien' ? fixture.callers.alien.user.id : responsibleFor(fixture, column).id,
        },
      },
    },
  }),
  'POST /web/v1/definition-jobs': async ({ account }) => {
    const { id: pipeline_id, statuses } = await addPipeline(account)
    const [status_id, move_to] = statuses
    return { body: { delete_status: { pipeline_id, status_id, move_to } } }
  },
  [`GET ${jobs}`]: () => ({}),
  [`GET ${jobs}/{id}`]: oneJob(),
  [`POST ${jobs}/{id}/cancel`]: oneJob('/cancel'),
  [`POST ${jobs}/{id}/undo`]: oneJob('/undo'),
}
