// The requests to the routes of webhooks. One address serves all requests, because an account has 100 at most.
import type { Column } from '../routes.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const path = '/api/v4/webhooks'
const earlier = '/api/v2/webhooks'
const settingsPath = '/web/v1/webhooks'

const destinationOf = ({ mark }: RouteFixture) => `https://example.com/${mark}`
const alienAddress = 'https://example.com/alien'
/** The alien subscribes its own address, so that it has no webhook of ours to end. */
const newDestination = (fixture: RouteFixture, column: Column) =>
  column === 'alien' ? alienAddress : destinationOf(fixture)
const events = ['add_lead']

async function addWebhook(fixture: RouteFixture): Promise<number> {
  const draft = { destination: destinationOf(fixture), settings: events }
  return (await fixture.account.api.post(path, draft)).body.id
}

export const webhookRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (fixture, column) => {
    const list = { of: 'webhooks', holds: await addWebhook(fixture) }
    const byOurs = `?filter[destination]=${destinationOf(fixture)}`
    return (column === 'alien' ? [byOurs] : ['', byOurs]).map((query) => ({ query, list }))
  },
  [`POST ${path}`]: (fixture, column) => ({
    body: { destination: newDestination(fixture, column), settings: events },
  }),
  [`DELETE ${path}`]: async (fixture) => {
    await addWebhook(fixture)
    return { body: { destination: destinationOf(fixture) } }
  },
  [`GET ${earlier}`]: async (fixture) => ({
    list: { of: 'items', holds: await addWebhook(fixture) },
  }),
  [`POST ${earlier}/subscribe`]: (fixture, column) => ({
    body: { subscribe: [{ url: newDestination(fixture, column), events }] },
  }),
  [`POST ${earlier}/unsubscribe`]: async (fixture, column) => {
    await addWebhook(fixture)
    const { alien } = fixture
    // An item without an address takes the event from all webhooks of the caller's account.
    if (column === 'alien')
      await alien.api.post(path, { destination: alienAddress, settings: ['add_task'] })
    return { body: { unsubscribe: [{ url: destinationOf(fixture), events }, { events }] } }
  },
  [`GET ${settingsPath}`]: async (fixture) => ({
    list: { of: 'webhooks', holds: await addWebhook(fixture) },
  }),
  [`GET ${settingsPath}/{id}`]: async (fixture) => ({
    path: `${settingsPath}/${await addWebhook(fixture)}`,
  }),
  [`PATCH ${settingsPath}/{id}`]: async (fixture) => ({
    path: `${settingsPath}/${await addWebhook(fixture)}`,
    body: { format: 'json', disabled: false },
  }),
}
