// Webhooks and browsers hear of unsorted items.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { openDelivering } from '../../../../test/delivering.ts'
import { addLead, addPipeline, mainPipeline } from '../../../../test/leads.ts'
import { addNote } from '../../../../test/notes.ts'
import type { Receiver } from '../../../../test/receiver.ts'
import { accept, addItem, addSorter, decline, threeParts } from '../../../../test/unsorted.ts'
import { formBounds, parseNested } from '../../../http/nested.ts'

describe('webhooks', () => {
  let account: TestAccount
  let receiver: Receiver
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ account, receiver, close } = await openDelivering())
  })
  afterAll(() => close())

  let paths = 0
  async function subscribe(...settings: string[]) {
    const path = `/hook/${++paths}`
    const destination = receiver.url + path
    const made = await account.api.post('/api/v4/webhooks', { destination, settings })
    expect(made.status).toBe(200)
    // oxlint-disable-next-line typescript/no-explicit-any -- what a test looks for is what it proves
    return (): any[] =>
      receiver.arrivals
        .filter((each) => each.path === path)
        .map(({ body }) => {
          const { account: _, ...rest } = parseNested(body, formBounds)
          return rest
        })
  }

  /** The notices that arrived, as `leads add`, once the last of them is there. */
  async function namesOf(arrived: () => object[], last: string): Promise<string[]> {
    const names = () =>
      arrived().flatMap((body) =>
        Object.entries(body).flatMap(([key, actions]) =>
          Object.keys(actions as object).map((action) => `${key} ${action}`),
        ),
      )
    await expect.poll(names, { timeout: 10_000 }).toContain(last)
    return names().toSorted()
  }

  const ofRecords = ['add', 'update', 'delete', 'note', 'responsible'].flatMap((action) =>
    ['lead', 'contact', 'company'].map((type) => `${action}_${type}`),
  )

  test('hear of a waiting item as such, and of its records from the acceptance on', async () => {
    const { api, admin } = account
    const main = await mainPipeline(account)
    const items = await subscribe('add_unsorted', 'update_unsorted', 'delete_unsorted')
    const records = await subscribe(...ofRecords, 'status_lead')
    const added = await addItem(api, {
      source_uid: 'told',
      created_at: 1_700_000_000,
      metadata: {
        form_id: 'cb',
        form_name: 'Call back',
        form_page: 'https://shop.example/cb',
        form_sent_at: 1_700_000_001,
        ip: '192.0.2.9',
        referer: 'https://search.example',
      },
      _embedded: {
        ...threeParts(),
        leads: [{ name: 'A lead', price: 5, tags_to_add: [{ name: 'site' }] }],
      },
    })
    await expect.poll(() => items().length).toBe(1)
    const common = {
      uid: added.uid,
      category: 'forms',
      account_id: `${account.id}`,
      user_id: `${admin.id}`,
      source: 'The source',
      source_uid: 'told',
      pipeline_id: `${main.id}`,
      lead_id: `${added.lead}`,
      date_create: '1700000000',
      created_at: '1700000000',
      source_data: {
        form_id: 'cb',
        form_type: '',
        form_name: 'Call back',
        date: '1700000001',
        from: 'https://shop.example/cb',
        origin: {
          ip: '192.0.2.9',
          datetime: '1700000001',
          referer: 'https://search.example',
          country: '',
          city: '',
          continent_code: '',
          visitor_uid: '',
        },
      },
    }
    const lead = {
      id: `${added.lead}`,
      name: 'A lead',
      price: '5',
      status_id: `${main.unsorted}`,
      tags: 'site',
    }
    const contact = { name: 'Ann', custom_fields: [{ values: [{ value: '+10000000002' }] }] }
    expect(items()).toMatchObject([
      {
        unsorted: {
          add: [
            {
              ...common,
              data: { leads: [lead], contacts: [contact], companies: [{ name: 'Acme' }] },
            },
          ],
        },
      },
    ])

    await api.patch(`/api/v4/leads/${added.lead}`, { name: 'Changed' })
    await addNote(api, 'leads', added.lead)
    await api.post('/api/v4/tasks', [
      { text: 'x', complete_till: 2_000_000_000, entity_type: 'leads', entity_id: added.lead },
    ])
    await expect.poll(() => items().length).toBe(2)
    expect(items()[1]).toMatchObject({
      unsorted: { update: [{ ...common, data: { leads: [{ name: 'Changed' }] } }] },
    })
    const ordinary = await addLead(api)
    expect(await namesOf(records, 'leads add')).toEqual(['leads add'])
    expect(records()).toMatchObject([{ leads: { add: [{ id: `${ordinary}` }] } }])

    const user = await account.addUser()
    await accept(api, added, { user_id: user.id })
    await expect.poll(() => items().length).toBe(3)
    const [{ delete: payload }] = [items()[2].unsorted]
    expect(payload).toMatchObject([
      {
        ...common,
        action: 'accept',
        accept_result: {
          leads: [`${added.lead}`],
          contacts: [`${added.contact}`],
          companies: [`${added.company}`],
        },
        modified_user_id: `${user.id}`,
        data: { contacts: [contact] },
      },
    ])
    const names = await namesOf(records, 'contacts add')
    expect(new Set(names)).toEqual(new Set(['leads add', 'contacts add']))
    const adds = records().flatMap(({ leads, contacts }) => [
      ...(leads?.add ?? []),
      ...(contacts?.add ?? []),
    ])
    const ids = adds
      .map(({ id }: { id: string }) => Number(id))
      .toSorted((one, other) => one - other)
    expect(ids).toEqual(
      [ordinary, added.lead, added.contact, added.company].toSorted((one, other) => one - other),
    )
    expect(adds.find(({ id }: { id: string }) => id === `${added.lead}`)).toMatchObject({
      name: 'Changed',
      created_user_id: `${user.id}`,
      status_id: `${main.statuses[0]}`,
    })
  })

  test('hear of a decline with the ids that are gone, and of no record', async () => {
    const { api, admin } = account
    const items = await subscribe('delete_unsorted')
    const records = await subscribe(...ofRecords, 'status_lead')
    const added = await addItem(api)
    await decline(api, added)
    await expect.poll(() => items().length).toBe(1)
    const [payload] = items()[0].unsorted.delete
    expect(payload).toMatchObject({
      uid: added.uid,
      action: 'decline',
      decline_result: { leads: [`${added.lead}`], contacts: [`${added.contact}`] },
      modified_user_id: `${admin.id}`,
    })
    expect(Object.keys(payload.decline_result)).toEqual(['leads', 'contacts'])
    expect(payload).not.toHaveProperty('accept_result')
    const ordinary = await addLead(api)
    await namesOf(records, 'leads add')
    expect(records()).toMatchObject([{ leads: { add: [{ id: `${ordinary}` }] } }])
  })

  test('hear of calls with their numbers', async () => {
    const items = await subscribe('add_unsorted')
    const metadata = {
      phone: '+1',
      call_responsible: 'Bob',
      called_at: 5,
      duration: 6,
      link: 'https://pbx.example/1',
      service_code: 'pbx',
      uniq: 'u',
    }
    await addItem(account.api, { metadata }, 'sip')
    await expect.poll(() => items().length).toBe(1)
    expect(items()[0].unsorted.add[0].source_data).toEqual({
      from: '+1',
      to: 'Bob',
      date: '5',
      duration: '6',
      link: 'https://pbx.example/1',
      service_code: 'pbx',
      uniq: 'u',
    })
  })
})

describe('browsers', () => {
  /** The changes that a user's browser hears, as `unsorted_items add`. */
  async function browser({ kontor }: TestAccount, { token }: TestUser) {
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const response = await fetch(`${kontor.url}/web/v1/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    })
    let text = ''
    const reading = (async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    })()
    reading.catch(() => undefined)
    await expect.poll(() => text).toContain('event: ready')
    return () =>
      [
        ...text.matchAll(/event: change\n(?:id: .*\n)?data: (.*)\n/g),
        ...text.matchAll(/id: .*\nevent: change\ndata: (.*)\n/g),
      ]
        .map(([, data]) => JSON.parse(data!) as { entity_type: string; actions: string[] })
        .map(({ entity_type, actions }) => `${entity_type} ${actions.join(' ')}`)
  }

  test('hear of items and waiting leads only where the unsorted status is open to their users', async () => {
    const account = await newAccount()
    const { api } = account
    const other = await addPipeline(account)
    const sorter = await addSorter(account, { view: 'A' })
    const blind = await addSorter(account, {})
    const elsewhere = await addSorter(account, { view: 'A' }, {}, other)
    const [ofAdmin, ofSorter, ofBlind, ofOther] = [
      await browser(account, account.admin),
      await browser(account, sorter),
      await browser(account, blind),
      await browser(account, elsewhere),
    ]
    const [first, second] = [await addItem(api), await addItem(api)]
    await api.patch(`/api/v4/leads/${first.lead}`, { name: 'Changed' })
    await addNote(api, 'leads', first.lead)
    await decline(api, second)
    const waiting = [
      'unsorted_items add',
      'unsorted_items add',
      'leads update',
      'unsorted_items update',
      'leads note',
      'unsorted_items delete',
    ]
    await accept(api, first)
    const created = ['leads add', 'contacts add', 'companies add', 'unsorted_items delete']
    await expect
      .poll(() => ofAdmin().filter((each) => each === 'unsorted_items delete').length)
      .toBe(2)
    await addLead(api, { name: 'The last' })
    for (const heard of [ofAdmin, ofSorter])
      await expect
        .poll(() =>
          heard().filter(
            (each) => !each.startsWith('contacts upd') && !each.startsWith('companies upd'),
          ),
        )
        .toEqual([...waiting, ...created, 'leads add'])
    for (const heard of [ofBlind, ofOther])
      await expect.poll(heard).toEqual(['leads add', 'contacts add', 'companies add', 'leads add'])
  })
})
