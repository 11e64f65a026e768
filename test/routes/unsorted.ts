// The requests to the routes of unsorted items. An item has all parts, and belongs to no user.
import { mainPipeline } from '../leads.ts'
import { addItem as add, itemOf } from '../unsorted.ts'
import type { Category } from '../unsorted.ts'
import { raw } from '../raw.ts'
import { responsibleFor } from './fixture.ts'
import { signedMessage } from './channels.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

const path = '/api/v4/leads/unsorted'

interface Shown {
  uid: string
  _embedded: { leads: { id: number }[] }
}

/** Adds an item whose names are of the account; answers its uid. */
async function addItem({ account: { api }, mark }: RouteFixture): Promise<string> {
  const named = [{ name: `A part ${mark}` }]
  const parts = { leads: named, contacts: named, companies: named }
  return (await add(api, { source_name: `A source ${mark}`, _embedded: parts })).uid
}

/** Adds the item of a chat by a message of its channel; answers its uid. */
async function addItemOfChat(fixture: RouteFixture): Promise<string> {
  const {
    path: scope,
    body,
    headers,
  } = await signedMessage(fixture, () => ({
    conversation_id: `conversation ${Math.random()}`,
  }))
  const signed = { ...headers, 'content-type': 'application/json' }
  await raw(fixture.account.kontor, { method: 'POST', path: scope, body, headers: signed })
  const { api } = fixture.account
  const newest = `${path}?filter[category][]=chats&order[created_at]=desc&limit=250`
  const { unsorted } = (await api.get(newest)).body._embedded
  const leadOf = (item: Shown) => item._embedded.leads[0]!.id
  return unsorted.toSorted((one: Shown, other: Shown) => leadOf(other) - leadOf(one))[0].uid
}

const one =
  (tail = '', body?: unknown): Prepare =>
  async (fixture) => ({ path: `${path}/${await addItem(fixture)}${tail}`, body })

/** Items of which each names something of the account. */
const intake =
  (category: Category): Prepare =>
  async (fixture, column) => {
    const responsible = responsibleFor(fixture, column)
    const { id: pipeline_id } = await mainPipeline(fixture.account)
    const [lead, contact, company] = [
      await seed.draftsByOurs(fixture, 'leads', responsible),
      await seed.draftsByOurs(fixture, 'contacts', responsible),
      await seed.draftsByOurs(fixture, 'companies', responsible),
    ]
    // A stage of a lead is not asked for: the item chooses it.
    const naming = lead.filter((draft) => !('status_id' in draft))
    if (column === 'alien')
      return [
        { pipeline_id },
        ...naming.map((draft) => ({ _embedded: { leads: [draft] } })),
        ...contact.map((draft) => ({ _embedded: { contacts: [draft] } })),
        ...company.map((draft) => ({ _embedded: { companies: [draft] } })),
      ].map((draft) => ({ body: [itemOf(category, draft)] }))
    const whole = (drafts: object[]) => [Object.assign({}, ...drafts)]
    const parts = { leads: whole(naming), contacts: whole(contact), companies: whole(company) }
    return { body: [itemOf(category, { pipeline_id, _embedded: parts })] }
  }

export const unsortedRequests: Record<string, Prepare> = {
  // No server is asked at a private address: who gets that far is told that it cannot be played.
  'GET /web/v1/recordings/unsorted/{uid}': async ({ account: { api }, mark }) => {
    const link = `http://10.0.0.1/${mark}.mp3`
    const { metadata } = itemOf('sip')
    const { uid } = await add(api, { metadata: { ...metadata, link } }, 'sip')
    return { path: `/web/v1/recordings/unsorted/${uid}` }
  },
  [`GET ${path}`]: async (fixture) => {
    const uid = await addItem(fixture)
    const { id } = await mainPipeline(fixture.account)
    return [
      'order[created_at]=desc',
      `filter[uid]=${uid}`,
      `filter[pipeline_id]=${id}&filter[uid]=${uid}`,
    ].map((query) => ({ query: `?${query}`, list: { of: 'unsorted', holds: uid } }))
  },
  'GET /web/v1/unsorted': async (fixture) => {
    const uid = await addItem(fixture)
    return { query: `?filter[uid]=${uid}`, list: { of: 'unsorted', holds: uid } }
  },
  'GET /web/v1/unsorted/counts': async (fixture) => {
    await addItem(fixture)
    return { query: `?pipeline_id=${(await mainPipeline(fixture.account)).id}` }
  },
  [`GET ${path}/summary`]: async (fixture) => ({ query: `?filter[uid]=${await addItem(fixture)}` }),
  [`GET ${path}/{uid}`]: one(),
  [`POST ${path}/sip`]: intake('sip'),
  [`POST ${path}/forms`]: intake('forms'),
  [`POST ${path}/{uid}/accept`]: one('/accept', {}),
  [`DELETE ${path}/{uid}/decline`]: one('/decline', {}),
  [`POST ${path}/{uid}/link`]: async (fixture) => {
    const entity_id = await seed.addRecord(fixture, 'leads', fixture.outsider)
    const link = { entity_id, entity_type: 'leads' }
    return { path: `${path}/${await addItemOfChat(fixture)}/link`, body: { link } }
  },
}

/** A new item, and the request that moves its lead out of the unsorted status. */
export const moveOut: Prepare = async ({ account }) => {
  const parts = { leads: [{}], contacts: [{}], companies: [{}] }
  const { lead } = await add(account.api, { _embedded: parts })
  const { statuses } = await mainPipeline(account)
  return { path: `/api/v4/leads/${lead}`, body: { status_id: statuses[0] } }
}

/** An acceptance of a new form without parts, or of a call that asks for its note, with all. */
export const acceptanceOf =
  (category: Category): Prepare =>
  async ({ account: { api } }) => {
    const parts = { leads: [{}], contacts: [{}], companies: [{}] }
    const metadata = { phone: '+1', is_call_event_needed: true }
    const draft = category === 'sip' ? { metadata, _embedded: parts } : {}
    return { path: `${path}/${(await add(api, draft, category)).uid}/accept` }
  }
