// After an undone merge, nothing of the record that came back is left with the survivor for users who may
// not view the other.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { openDelivering } from '../../../../test/delivering.ts'
import { firstFields } from '../../../../test/fields.ts'
import { link, to } from '../../../../test/links.ts'
import { duplicatesOf, merged, undoMerge } from '../../../../test/merges.ts'
import type { MergedKind } from '../../../../test/merges.ts'
import { addNote, text } from '../../../../test/notes.ts'
import type { Receiver } from '../../../../test/receiver.ts'
import { addRecord, addRecords, allKinds, kinds } from '../../../../test/records.ts'
import { singular } from '../../../entity-types.ts'
import { dropOldMerges } from './merges.ts'

/** Each text and id of the other record that the survivor had while the merge stood. */
interface Secrets {
  email: string
  name: string
  tag: string
  /** A record that was linked to the other. */
  lead: number
}

interface Ground {
  account: TestAccount
  /** May view the survivor, all leads and customers, and not the other record. */
  reader: TestUser
  /** May view both, and not all records of the type. */
  both: TestUser
  kind: MergedKind
  into: number
  from: number
  linked: { leads: number; customers: number; companies?: number; contacts?: number }
  secrets: Secrets
  /** The ids of the events of the survivor that a reader of everything finds. */
  events: string[]
}

const own = { view: 'M', edit: 'M', add: 'A', delete: 'M', export: 'M' } as const
const group = { ...own, view: 'G' } as const
const all = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' } as const

const eventsOf = async (api: Client, kind: MergedKind, id: number, more = '') => {
  const noun = singular[kind]
  const { body } = await api.get(
    `/api/v4/events?filter[entity]=${noun}&filter[entity_id]=${id}&limit=100${more}`,
  )
  return (body?._embedded.events ?? []) as { id: string; type: string }[]
}

async function tornApart(kind: MergedKind, account?: TestAccount): Promise<Ground> {
  const where = account ?? (await newAccount())
  const { api } = where
  const group_id = (await api.post('/web/v1/groups', { name: 'Apart' })).body.id as number
  const rights = { leads: all, contacts: own, companies: own }
  const reader = await where.addUser({ rights, group_id })
  const both = await where.addUser({
    rights: { ...rights, contacts: group, companies: group },
    group_id,
  })
  const fields = await firstFields(where, kind)
  const { id: field_id } = fields.find(({ code }) => code === 'EMAIL')!
  const word = crypto.randomUUID()
  const secrets = {
    email: `hidden-${word}@example.com`,
    name: `Hidden ${word}`,
    tag: `tag ${word}`,
  }
  const filled = (value: string) => [{ field_id, values: [{ value, enum_code: 'WORK' }] }]
  const [into, from] = await addRecords(api, kind, [
    {
      name: 'Survivor',
      responsible_user_id: reader.id,
      custom_fields_values: filled('survivor@example.com'),
    },
    {
      name: secrets.name,
      responsible_user_id: both.id,
      custom_fields_values: filled(secrets.email),
      tags_to_add: [{ name: secrets.tag }],
    },
  ])
  const linked: Ground['linked'] = {
    leads: await addRecord(api, 'leads', { name: 'Of the survivor' }),
    customers: await addRecord(api, 'customers', { name: 'Of the survivor' }),
  }
  const other = kind === 'contacts' ? 'companies' : 'contacts'
  linked[other] = await addRecord(api, other, { name: 'Beside', responsible_user_id: reader.id })
  for (const [type, id] of Object.entries(linked))
    await link(api, kind, into!, to(type as keyof typeof linked, id))
  const lead = await addRecord(api, 'leads', { name: 'Of the other' })
  await link(api, kind, from!, to('leads', lead))
  await addNote(api, kind, from!, text(`Note of ${secrets.name}`))
  const id = await merged(api, kind, into!, from!, { name: 'from' })
  // A change while the merge stands names the values of both as the earlier ones.
  const { body } = await api.get(`/api/v4/${kind}/${into}`)
  const values = body.custom_fields_values.find(
    (each: { field_id: number }) => each.field_id === field_id,
  ).values
  const more = [...values, { value: 'later@example.com', enum_code: 'WORK' }]
  await api.patch(`/api/v4/${kind}/${into}`, { custom_fields_values: [{ field_id, values: more }] })
  expect((await undoMerge(api, id)).status).toBe(200)
  const events = (await eventsOf(api, kind, into!)).map(({ id }) => id)
  return {
    account: where,
    reader,
    both,
    kind,
    into: into!,
    from: from!,
    linked,
    secrets: { ...secrets, lead },
    events,
  }
}

type ReadPart = (ground: Ground, api: Client) => Promise<unknown>

const read = async (api: Client, path: string): Promise<unknown> => {
  const { status, body } = await api.get(path)
  if (![200, 204].includes(status)) throw new Error(`${path} answered ${status}`)
  return body
}

const searched =
  (path: (type: string) => string): ReadPart =>
  async (_, api) =>
    Promise.all(allKinds.map((type) => read(api, path(type))))

/** Everywhere that texts of a record are shown or found. */
const reads: Record<string, ReadPart> = {
  'the record': ({ kind, into }, api) =>
    read(api, `/api/v4/${kind}/${into}?with=leads,contacts,customers,companies`),
  'the lists of all types': searched((type) => `/api/v4/${type}?limit=250`),
  'the feed of the survivor': ({ kind, into }, api) =>
    read(api, `/web/v1/timeline/${kind}/${into}`),
  'the feed of the survivor alone': ({ kind, into }, api) =>
    read(api, `/web/v1/timeline/${kind}/${into}?only=true`),
  'the feeds of linked records of all types': ({ linked }, api) =>
    Promise.all(
      Object.entries(linked).map(([type, id]) => read(api, `/web/v1/timeline/${type}/${id}`)),
    ),
  'the feed, asked by the keys of changes': ({ kind, into, events }, api) =>
    read(
      api,
      `/web/v1/timeline/${kind}/${into}?keys=${events.map((id) => `event%20${id}`).join(',')}`,
    ),
  'the event log': (_, api) => read(api, '/api/v4/events?limit=100'),
  'the event log of the survivor': ({ kind, into }, api) => eventsOf(api, kind, into),
  'single events': async ({ events }, api) =>
    Promise.all(events.map(async (id) => (await api.get(`/api/v4/events/${id}`)).body)),
  'events by ids': ({ events }, api) =>
    read(api, `/api/v4/events?${events.map((id) => `filter[id][]=${id}`).join('&')}`),
  'notes of all types': searched((type) => `/api/v4/${type}/notes?limit=250`),
  'the notes of the survivor': ({ kind, into }, api) => read(api, `/api/v4/${kind}/${into}/notes`),
  'the links of the survivor': ({ kind, into }, api) => read(api, `/api/v4/${kind}/${into}/links`),
  duplicates: ({ kind, into }, api) => duplicatesOf(api, kind, into),
  merges: ({ kind, into }, api) =>
    read(api, `/web/v1/merges?entity_type=${kind}&entity_id=${into}`),
}

/** Searches, which answer what they find and not what they look for. */
const searches: Record<string, (ground: Ground, api: Client) => Promise<number>> = {
  'a query in all types': async ({ secrets }, api) => {
    const found = await Promise.all(
      allKinds.map((type) =>
        read(api, `/api/v4/${type}?query=${encodeURIComponent(secrets.email)}`),
      ),
    )
    const lists = found.flatMap((each) =>
      Object.values(
        (each as { _embedded: Record<string, unknown[]> } | undefined)?._embedded ?? {},
      ),
    )
    return lists.flat().length
  },
  'the search of the web application': async ({ secrets }, api) => {
    const answer = await read(api, `/web/v1/search?q=${encodeURIComponent(secrets.email)}`)
    const lists = Object.values(answer as Record<string, { items: unknown[] }>)
    return lists.flatMap(({ items }) => items).length
  },
  'events by an earlier value': ({ secrets }, api) => foundEvents(api, 'value_before', secrets),
  'events by a later value': ({ secrets }, api) => foundEvents(api, 'value_after', secrets),
}

async function foundEvents(api: Client, side: string, { name }: Secrets): Promise<number> {
  const value = encodeURIComponent(name)
  const path = `/api/v4/events?filter[type]=name_field_changed&filter[${side}][value]=${value}`
  const answer = (await read(api, path)) as { _embedded: { events: unknown[] } } | undefined
  return answer?._embedded.events.length ?? 0
}

const secretsIn = (answer: unknown, { email, name, tag }: Secrets): string[] =>
  [email, name, tag].filter((each) => JSON.stringify(answer ?? '').includes(each))

describe.each(kinds)('after an undone merge of %s', (kind) => {
  let ground: Ground
  beforeAll(async () => {
    ground = await tornApart(kind)
  })

  test.each(Object.entries(reads))(
    'a reader of the survivor finds nothing in %s',
    async (_, read) => {
      const { reader, secrets } = ground
      expect(secretsIn(await read(ground, reader.api), secrets)).toEqual([])
    },
  )

  test.each(Object.entries(searches))(
    'a reader of the survivor finds nothing by %s',
    async (_, search) => {
      expect(await search(ground, ground.account.api)).toBeGreaterThan(0)
      expect(await search(ground, ground.reader.api)).toBe(0)
    },
  )

  test.each([
    'the feed of the survivor',
    'the feed, asked by the keys of changes',
    'the event log',
    'single events',
    'events by ids',
  ])('who may view both finds the history in %s, with any rights to others', async (name) => {
    const { account, both, secrets, into, from, kind } = ground
    for (const id of [into, from])
      expect((await both.api.get(`/api/v4/${kind}/${id}`)).status).toBe(200)
    for (const { api } of [account, both])
      expect(secretsIn(await reads[name]!(ground, api), secrets)).toContain(secrets.email)
  })

  test('the pages of the feed are full all the same', async () => {
    const { reader, kind, into } = ground
    const { items } = (await read(
      reader.api,
      `/web/v1/timeline/${kind}/${into}?only=true&limit=2`,
    )) as {
      items: unknown[]
    }
    expect(items).toHaveLength(2)
  })

  test('links that the other had are told to nobody who may not view it', async () => {
    const { reader, kind, into, secrets, account } = ground
    const named = (events: unknown[]) =>
      events.filter((event) => JSON.stringify(event).includes(`"id":${secrets.lead},`)).length
    expect(named(await eventsOf(account.api, kind, into))).toBeGreaterThan(0)
    expect(named(await eventsOf(reader.api, kind, into))).toBe(0)
  })

  test('the changes before the merge and after the undo are told as before', async () => {
    const { reader, kind, into, account } = ground
    const { status } = await account.api.patch(`/api/v4/${kind}/${into}`, { name: 'Later name' })
    expect(status).toBe(200)
    const seen = (await eventsOf(reader.api, kind, into)).map(({ type }) => type)
    expect(seen).toContain('name_field_changed')
    expect(seen).toContain(`${singular[kind]}_added`)
  })

  test('the upkeep forgets what the merge moved, and not whose the changes are', async () => {
    const { reader, secrets, account } = ground
    const { database, now } = account.kontor
    await dropOldMerges(database, now() + 31 * 86_400)
    const answer = await reads['the event log']!(ground, reader.api)
    expect(secretsIn(answer, secrets)).toEqual([])
  })
})

describe('webhooks after an undone merge', () => {
  let account: TestAccount
  let receiver: Receiver
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ account, receiver, close } = await openDelivering())
  })
  afterAll(() => close())

  test.each(kinds)(
    'of %s have nothing of the other in later changes of the survivor',
    async (kind) => {
      const { into, secrets } = await tornApart(kind, account)
      const path = `/${kind}`
      const settings = [`update_${singular[kind]}`]
      await account.api.post('/api/v4/webhooks', { destination: receiver.url + path, settings })
      await account.api.patch(`/api/v4/${kind}/${into}`, { name: 'Later name' })
      const bodies = () =>
        receiver.arrivals
          .filter((each) => each.path === path)
          .map(({ body }) => decodeURIComponent(body.replaceAll('+', ' ')))
          .filter((body) => body.includes('Later name'))
      await expect.poll(bodies, { timeout: 15_000 }).toHaveLength(1)
      expect(secretsIn(bodies(), secrets)).toEqual([])
    },
  )
})
