// The requests to the routes of the delivery log and of notifications. No process delivers here:
// the rows are written as the sender would, to an address that every attempt refuses.
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const path = '/web/v1/webhooks'
const centre = '/web/v1/notifications'

/** A webhook with a delivery that failed. */
async function addDelivery({
  account,
  mark,
}: RouteFixture): Promise<{ webhook: number; id: number }> {
  const [webhook, id] = await account.kontor.database.transaction(async (tx) => {
    const made = await tx.row<{ id: number }>(sql`
      insert into webhooks (account_id, destination, settings, sort, after_journal_id, created_by, created_at, updated_at)
      values (${account.id}, ${`http://127.0.0.1/${mark}`}, '{add_lead}', 1, 0, ${account.admin.id}, 1, 1)
          on conflict (account_id, destination) do update set sort = 1
      returning id`)
    const body = await tx.row<{ id: number }>(sql`
      insert into delivery_bodies (account_id, format, body, created_at) values (${account.id}, 'form', ${mark}, 1)
      returning id`)
    const delivery = await tx.row<{ id: number }>(sql`
      insert into deliveries (account_id, webhook_id, body_id, event, records, created_at, attempts, state)
      values (${account.id}, ${made!.id}, ${body!.id}, 'add_lead', '{leads 1}', 1, 3, 'failed')
      returning id`)
    return [made!.id, delivery!.id] as const
  })
  return { webhook, id }
}

async function addNotification({ account, mark }: RouteFixture): Promise<number> {
  const values = JSON.stringify({ webhook_id: 1, destination: mark, invalid_answers: 50 })
  const made = await account.kontor.database.transaction((tx) =>
    tx.row<{ id: number }>(sql`
      insert into notifications (account_id, user_id, kind, values, created_at)
      values (${account.id}, 0, 'webhook_failing', ${values}, 1) returning id`),
  )
  return made!.id
}

/** A change whose notices could not be built, with its number in the journal. */
async function addUnbuilt({ account, mark }: RouteFixture): Promise<number> {
  const made = await account.kontor.database.transaction((tx) =>
    tx.row<{ id: number }>(sql`
      insert into unbuilt_notices (account_id, journal_id, change, error, created_at)
      select ${account.id}::bigint, coalesce(max(journal_id), 0) + 1,
             json_build_object('id', coalesce(max(journal_id), 0) + 1, 'account_id', ${account.id}::bigint, 'entity_type', 'leads',
                               'entity_id', 1, 'actions', json_build_array('add'), 'created_at', 1), ${mark}::text, 1000
        from unbuilt_notices where account_id = ${account.id}
      returning journal_id as id`),
  )
  return made!.id
}

/** A webhook whose deliveries are signed. */
async function addSigned(fixture: RouteFixture): Promise<string> {
  const its = `${path}/${(await addDelivery(fixture)).webhook}/secret`
  expect((await fixture.account.api.post(its)).status).toBe(200)
  return its
}

const ofWebhook =
  (tail: string, body?: object): Prepare =>
  async (fixture) => ({ path: `${path}/${(await addDelivery(fixture)).webhook}${tail}`, body })

const ofDelivery =
  (tail = ''): Prepare =>
  async (fixture) => {
    const { webhook, id } = await addDelivery(fixture)
    return { path: `${path}/${webhook}/deliveries/${id}${tail}` }
  }

export const deliveryRequests: Record<string, Prepare> = {
  [`GET ${path}/{id}/deliveries`]: async (fixture) => {
    const { webhook, id } = await addDelivery(fixture)
    return { path: `${path}/${webhook}/deliveries`, list: { of: 'deliveries', holds: id } }
  },
  [`GET ${path}/{id}/deliveries/{delivery_id}`]: ofDelivery(),
  [`POST ${path}/{id}/deliveries/{delivery_id}/replay`]: ofDelivery('/replay'),
  [`POST ${path}/{id}/deliveries/replay`]: ofWebhook('/deliveries/replay', { from: 0 }),
  [`POST ${path}/{id}/test`]: ofWebhook('/test'),
  [`POST ${path}/{id}/secret`]: ofWebhook('/secret', { overlap: 60 }),
  [`DELETE ${path}/{id}/secret`]: async (fixture) => ({ path: await addSigned(fixture) }),
  [`GET ${path}/unbuilt`]: async (fixture) => ({
    list: { of: 'unbuilt', holds: await addUnbuilt(fixture) },
  }),
  [`POST ${path}/unbuilt/replay`]: async (fixture) => {
    await addUnbuilt(fixture)
    return {}
  },
  [`GET ${centre}`]: async (fixture) => ({
    list: { of: 'notifications', holds: await addNotification(fixture) },
  }),
  [`GET ${centre}/unread`]: async (fixture) => {
    await addNotification(fixture)
    return {}
  },
  [`POST ${centre}/read`]: async (fixture) => ({ body: { ids: [await addNotification(fixture)] } }),
}
