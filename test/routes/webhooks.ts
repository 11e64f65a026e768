// The requests to the routes of webhooks. One address serves all questions, because an account has 100 at most.
import type { Column } from '../routes.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'

const path = '/api/v4/webhooks'
const earlier = '/api/v2/webhooks'
const settingsPath = '/web/v1/webhooks'

const destinationOf = ({ mark }: Cast) => `https://example.com/${mark}`
const alienAddress = 'https://example.com/alien'
/** The alien subscribes its own address, so that it has no webhook of ours to end. */
const newDestination = (cast: Cast, column: Column) =>
  column === 'alien' ? alienAddress : destinationOf(cast)
const events = ['add_lead']

async function addWebhook(cast: Cast): Promise<number> {
  const draft = { destination: destinationOf(cast), settings: events }
  return (await cast.account.api.post(path, draft)).body.id
}

export const webhookRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (cast, column) => {
    const list = { of: 'webhooks', holds: await addWebhook(cast) }
    const byOurs = `?filter[destination]=${destinationOf(cast)}`
    return (column === 'alien' ? [byOurs] : ['', byOurs]).map((query) => ({ query, list }))
  },
  [`POST ${path}`]: (cast, column) => ({
    body: { destination: newDestination(cast, column), settings: events },
  }),
  [`DELETE ${path}`]: async (cast) => {
    await addWebhook(cast)
    return { body: { destination: destinationOf(cast) } }
  },
  [`GET ${earlier}`]: async (cast) => ({ list: { of: 'items', holds: await addWebhook(cast) } }),
  [`POST ${earlier}/subscribe`]: (cast, column) => ({
    body: { subscribe: [{ url: newDestination(cast, column), events }] },
  }),
  [`POST ${earlier}/unsubscribe`]: async (cast, column) => {
    await addWebhook(cast)
    const { alien } = cast
    // An item without an address takes the event from all webhooks of the caller's account.
    if (column === 'alien')
      await alien.api.post(path, { destination: alienAddress, settings: ['add_task'] })
    return { body: { unsubscribe: [{ url: destinationOf(cast), events }, { events }] } }
  },
  [`GET ${settingsPath}`]: async (cast) => ({
    list: { of: 'webhooks', holds: await addWebhook(cast) },
  }),
  [`GET ${settingsPath}/{id}`]: async (cast) => ({
    path: `${settingsPath}/${await addWebhook(cast)}`,
  }),
  [`PATCH ${settingsPath}/{id}`]: async (cast) => ({
    path: `${settingsPath}/${await addWebhook(cast)}`,
    body: { format: 'json', disabled: false },
  }),
}
