// The feed of a record: its items in one order, those of linked leads and of chats, and who sees them.
import sql, { raw } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { addScope, published } from '../../../../test/chats.ts'
import { addChat, addMessages, newInbox } from '../../../../test/inbox.ts'
import type { ChatDraft } from '../../../../test/inbox.ts'
import { addCatalog, addElements, link, to, toElement } from '../../../../test/links.ts'
import { merged, undoMerge } from '../../../../test/merges.ts'
import { addNote, addNotes, text } from '../../../../test/notes.ts'
import { addRecord, addRecords, addUserWith, allKinds, rightsOf } from '../../../../test/records.ts'
import { streamOf } from '../../../../test/stream.ts'
import { singular } from '../../../entity-types.ts'
import type { RecordType } from '../../../records/description.ts'
import type { FeedPage, FeedItem } from './schema.ts'

const path = (type: RecordType, id: number) => `/web/v1/timeline/${type}/${id}`

async function feed(
  api: Client,
  type: RecordType,
  id: number,
  query: Record<string, string> = {},
): Promise<FeedPage> {
  const { status, body } = await api.get(
    `${path(type, id)}?${new URLSearchParams(query).toString()}`,
  )
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body
}

const keys = ({ items }: FeedPage): string[] => items.map(({ key }) => key)
/** Keys without the ids of events, which nobody knows before. */
const summaries = ({ items }: FeedPage): string[] =>
  items.map(({ key, event }) => (event ? `event ${event.type}` : key))

const till = 2_000_000_000
const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const

async function addTask(
  api: Client,
  entity_type: RecordType,
  entity_id: number,
  draft: object = {},
): Promise<number> {
  const task = { text: 'Call back', complete_till: till, entity_type, entity_id, ...draft }
  const { status, body } = await api.post('/api/v4/tasks', [task])
  if (status !== 200) throw new Error(`the task was refused: ${JSON.stringify(body)}`)
  return body._embedded.tasks[0].id
}

/** A contact with a chat, and a lead of it. */
async function addDeal(account: TestAccount, leadDraft: object = {}) {
  const { api } = account
  const contact = await addRecord(api, 'contacts', { name: 'Ann' })
  const lead = await addRecord(api, 'leads', { name: 'Pump', ...leadDraft })
  await link(api, 'leads', lead, to('contacts', contact))
  const inbox = await newInbox(account)
  const chat = await addChat(inbox, { contact_id: contact })
  const [message] = await addMessages(inbox, chat, [{ at: 1_700_000_000_500, text: 'In stock?' }])
  return { contact, lead, inbox, chat, message: message! }
}

describe('the feed', () => {
  test.for(allKinds)('of %s has their items, the oldest first', async (type) => {
    const { api, admin } = await newAccount()
    const id = await addRecord(api, type, { name: 'One' })
    const at = { created_at: 1_700_000_000 }
    const [old, call] = await addNotes(api, type, id, [
      { ...text('Long ago'), ...at },
      {
        note_type: 'call_in',
        params: {
          duration: 60,
          source: 'pbx',
          phone: '123',
          link: 'https://pbx.example.com/1.mp3',
        },
        ...at,
      },
    ])
    const open = await addTask(api, type, id)
    const late = await addTask(api, type, id, { complete_till: 1 })
    const done = await addTask(api, type, id, { text: 'Write' })
    await api.patch(`/api/v4/tasks/${done}`, { is_completed: true, result: { text: 'Written' } })
    await api.patch(`/api/v4/${type}/${id}`, { name: 'Two' })
    const note = await addNote(api, type, id, text('Now'))
    await api.post(`/api/v4/${type}/notes/${old}/pin`, {})
    const answer = await feed(api, type, id)
    expect(summaries(answer).slice(0, 3)).toEqual([
      `note ${old}`,
      `note ${call}`,
      `event ${type === 'companies' ? 'company' : type.slice(0, -1)}_added`,
    ])
    expect(summaries(answer).toSorted()).toEqual(
      [
        `note ${old}`,
        `note ${call}`,
        `note ${note}`,
        `task ${done}`,
        'event name_field_changed',
        `event ${type === 'companies' ? 'company' : type.slice(0, -1)}_added`,
      ].toSorted(),
    )
    expect(answer.before).toBeNull()
    expect(answer.planned!.map(({ key }) => key)).toEqual([`task ${late}`, `task ${open}`])
    expect(answer.pinned!.map(({ key }) => key)).toEqual([`note ${old}`])
    const [first, second] = answer.items
    const entity = { type, id, name: 'Two' }
    const shared = { entity, created_by: admin.id, may_edit: true, at: 1_700_000_000_999 }
    const { body: listed } = await api.get(`/api/v4/${type}/${id}/notes/${old}?with=is_pinned`)
    const note1 = { ...listed, file: null }
    expect(first).toEqual({ key: `note ${old}`, kind: 'note', ...shared, note: note1 })
    expect(second).toMatchObject({
      kind: 'call',
      ...shared,
      note: { file: { media: 'https://pbx.example.com/1.mp3' } },
    })
    const task = answer.items.find(({ kind }) => kind === 'task')!
    expect(task.task).toEqual((await api.get(`/api/v4/tasks/${done}`)).body)
    expect(task).toMatchObject({ entity, may_edit: true, task: { result: { text: 'Written' } } })
    const change = answer.items.find(({ event }) => event?.type === 'name_field_changed')!
    expect(change.event).toEqual((await api.get(`/api/v4/events/${change.event!.id}`)).body)
  })

  test('of a contact has its leads and chats, and that of a lead the chats of its contacts', async () => {
    const account = await newAccount()
    const { api } = account
    const { contact, lead, chat, message } = await addDeal(account)
    const note = await addNote(api, 'leads', lead, text('Of the lead'))
    const whole = await feed(api, 'contacts', contact)
    expect(keys(whole)[0]).toBe(`message ${message}`)
    expect(keys(whole)).toContain(`note ${note}`)
    const alone = await feed(api, 'contacts', contact, { only: 'true' })
    expect(keys(alone)).toContain(`message ${message}`)
    expect(keys(alone)).not.toContain(`note ${note}`)
    const { body } = await api.get(`/web/v1/chats/${chat.id}/messages`)
    expect(whole.items[0]).toEqual({
      key: `message ${message}`,
      kind: 'message',
      at: 1_700_000_000_500,
      entity: { type: 'contacts', id: contact, name: 'Ann' },
      created_by: 0,
      may_edit: false,
      message: { chat_id: chat.id, ...body._embedded.messages[0] },
    })
    const noteItem = whole.items.find(({ key }) => key === `note ${note}`)!
    expect(noteItem.entity).toEqual({ type: 'leads', id: lead, name: 'Pump' })
    expect(keys(await feed(api, 'leads', lead))).toContain(`message ${message}`)
    expect(keys(await feed(api, 'leads', lead, { only: 'true' }))).not.toContain(
      `message ${message}`,
    )
  })

  test('of a company has its leads, customers and employees with their chats', async () => {
    const account = await newAccount()
    const { api } = account
    const { contact, lead, inbox, message } = await addDeal(account)
    const [company, other, customer] = [
      await addRecord(api, 'companies', { name: 'Acme' }),
      await addRecord(api, 'leads', { name: 'Hose' }),
      await addRecord(api, 'customers', { name: 'Buyer' }),
    ]
    const all = [to('contacts', contact), to('leads', other), to('customers', customer)]
    await link(api, 'companies', company, ...all)
    const says = async (entity: ChatDraft) =>
      (await addMessages(inbox, await addChat(inbox, entity), [{ at: 1_700_000_000_600 }]))[0]!
    const ofLead = await says({ entity: { type: 'leads', id: other } })
    const ofCustomer = await says({ entity: { type: 'customers', id: customer } })
    const strange = await says({ contact_id: await addRecord(api, 'contacts') })
    const notes = [
      await addNote(api, 'leads', other),
      await addNote(api, 'customers', customer),
      await addNote(api, 'contacts', contact),
    ]
    const own = await addNote(api, 'companies', company)
    const foreign = await addNote(api, 'leads', lead)
    const whole = await feed(api, 'companies', company)
    const messages = [message, ofLead, ofCustomer].map((id) => `message ${id}`)
    const noted = [...notes, own].map((id) => `note ${id}`)
    expect(keys(whole)).toEqual(expect.arrayContaining([...messages, ...noted]))
    expect(keys(whole)).not.toContain(`message ${strange}`)
    expect(keys(whole)).not.toContain(`note ${foreign}`)
    const entityOf = (key: string) => whole.items.find((item) => item.key === key)!.entity
    expect(entityOf(`message ${ofLead}`)).toEqual({ type: 'leads', id: other, name: 'Hose' })
    expect(entityOf(`message ${message}`)).toEqual({ type: 'contacts', id: contact, name: 'Ann' })
    const alone = keys(await feed(api, 'companies', company, { only: 'true' }))
    expect(alone).toContain(`note ${own}`)
    for (const key of [...messages, ...noted.slice(0, 3)]) expect(alone).not.toContain(key)
    // A customer has the chats of its contacts, as a lead has.
    await link(api, 'customers', customer, to('contacts', contact))
    const ofBuyer = keys(await feed(api, 'customers', customer))
    expect(ofBuyer).toEqual(expect.arrayContaining([messages[0], messages[2]]))
    expect(ofBuyer).not.toContain(`note ${notes[2]}`)
    const buyerAlone = keys(await feed(api, 'customers', customer, { only: 'true' }))
    expect(buyerAlone).toContain(messages[2])
    expect(buyerAlone).not.toContain(messages[0])
    // Each linked record is decided by its own rights.
    const seen = { ...denied, view: 'A' as const }
    const { api: some } = await account.addUser({ rights: { companies: seen, contacts: seen } })
    const less = keys(await feed(some, 'companies', company))
    expect(less).toEqual(expect.arrayContaining([messages[0], noted[2], noted[3]]))
    for (const key of [messages[1], messages[2], noted[0], noted[1]])
      expect(less).not.toContain(key)
  })

  test('repeats no change that a note, a call or a message tells', async () => {
    const account = await newAccount()
    const { api } = account
    const id = await addRecord(api, 'leads')
    const note = await addNote(api, 'leads', id)
    await api.delete(`/api/v4/leads/${id}/notes/${note}`)
    expect(summaries(await feed(api, 'leads', id))).toEqual([
      'event lead_added',
      'event common_note_deleted',
    ])
  })

  test('names the record that a change links, to those who may view it', async () => {
    const account = await newAccount()
    const { contact, lead } = await addDeal(account)
    const linkedIn = ({ items }: FeedPage) =>
      items.flatMap(({ event, linked }) => (event?.type.endsWith('_linked') ? [linked] : []))
    const named = [{ type: 'leads', id: lead, name: 'Pump' }]
    const only = { only: 'true' }
    expect(linkedIn(await feed(account.api, 'contacts', contact, only))).toEqual(named)
    const all = { ...denied, view: 'A' } as const
    const { api } = await account.addUser({ rights: { contacts: all, leads: denied } })
    expect(linkedIn(await feed(api, 'contacts', contact, only))).toEqual([undefined])
  })

  test('names the catalog element that a change links', async () => {
    const { api } = await newAccount()
    const lead = await addRecord(api, 'leads')
    const catalog = await addCatalog(api)
    const [element] = await addElements(api, catalog, 'Valve')
    await link(api, 'leads', lead, toElement(element!))
    const { items } = await feed(api, 'leads', lead, { kinds: 'changes' })
    expect(items.flatMap(({ linked }) => linked ?? [])).toEqual([
      { type: 'elements', id: element!.id, name: 'Valve' },
    ])
  })

  test('tells a purchase once, with its price and comment while it is there', async () => {
    const { api } = await newAccount()
    const customer = await addRecord(api, 'customers', { next_date: till })
    const purchases = `/api/v4/customers/${customer}/transactions`
    const { body } = await api.post(purchases, [{ price: 900, comment: 'Two pumps' }])
    const [{ id }] = body._embedded.transactions
    const bought = ({ items }: FeedPage) =>
      items.flatMap(({ event, purchase }) =>
        event?.type === 'transaction_added' ? [purchase] : [],
      )
    const whole = await feed(api, 'customers', customer)
    expect(bought(whole)).toEqual([{ id, price: 900, comment: 'Two pumps' }])
    expect(whole.items.filter(({ kind }) => kind === 'note')).toEqual([])
    const notes = (await api.get(`/api/v4/customers/${customer}/notes`)).body._embedded.notes
    expect(notes).toMatchObject([{ note_type: 'transaction' }])
    const anew = await feed(api, 'customers', customer, { keys: `note ${notes[0].id}` })
    expect(anew.items).toEqual([])
    expect(keys(await feed(api, 'customers', customer, { kinds: 'notes' }))).toEqual([])
    await api.delete(`/api/v4/customers/transactions/${id}`)
    expect(bought(await feed(api, 'customers', customer))).toEqual([undefined])
  })

  test.for(['contacts', 'companies'] as const)(
    'of a survivor of merges among %s has the changes of all that it took in, until they are taken out',
    async (kind) => {
      const account = await newAccount()
      const { api } = account
      const user = await addUserWith(account, kind, { view: 'M' })
      const [into, between, first, restored] = await addRecords(api, kind, [
        { name: 'Into', responsible_user_id: user.id },
        { name: 'Between' },
        { name: 'First' },
        { name: 'Restored' },
      ])
      const note = await addNote(api, kind, first!, text('Of the first'))
      const added = `${singular[kind]}_added`
      const named = async (client: Client, id: number) =>
        (await feed(client, kind, id)).items
          .filter(({ event }) => event?.type === added)
          .map(({ entity }) => `${entity.id} ${entity.name}`)
          .toSorted()
      await merged(api, kind, between!, first!)
      const last = await merged(api, kind, into!, between!)
      const once = await merged(api, kind, into!, restored!)
      const own = [`${into} Into`, `${between} Between`, `${first} First`]
      expect(await named(api, into!)).toEqual([...own, `${restored} Restored`].toSorted())
      expect(keys(await feed(api, kind, into!))).toContain(`note ${note}`)
      // Who may view the survivor sees the whole history, and nobody gets to see the others by it.
      expect(await named(user.api, into!)).toEqual([...own, `${restored} Restored`].toSorted())
      expect((await user.api.get(path(kind, first!))).status).toBe(403)
      await undoMerge(api, once)
      expect(await named(api, into!)).toEqual(own.toSorted())
      // A record that was taken out and then deleted is in the bin for another reason.
      expect((await api.delete(`/api/v4/${kind}/${restored!}`)).status).toBe(204)
      expect(await named(api, into!)).toEqual(own.toSorted())
      await undoMerge(api, last)
      expect(await named(api, into!)).toEqual([`${into} Into`])
      expect(await named(api, between!)).toEqual(
        [`${between} Between`, `${first} First`].toSorted(),
      )
      // The survivor stands for a record that is removed for good, and a restored one has its own feed.
      const { id, kontor } = account
      await kontor.database.transaction((tx) =>
        tx.rows(sql`delete from ${raw(kind)} where account_id = ${id} and id = ${first!}`),
      )
      expect(await named(api, between!)).toEqual([`${between} Between`, `${between} Between`])
      await merged(api, kind, into!, between!)
      await kontor.database.transaction((tx) =>
        tx.rows(
          sql`update ${raw(kind)} set is_deleted = false where account_id = ${id} and id = ${between!}`,
        ),
      )
      expect(await named(api, into!)).toEqual([`${into} Into`])
    },
  )

  test('has items anew by their keys, and leaves out those of others', async () => {
    const account = await newAccount()
    const { api } = account
    const { lead, message } = await addDeal(account)
    const other = await addRecord(api, 'leads')
    const [note, alien] = [await addNote(api, 'leads', lead), await addNote(api, 'leads', other)]
    const open = await addTask(api, 'leads', lead)
    const [created] = (await feed(api, 'leads', lead, { kinds: 'changes' })).items
    const expected = [`note ${note}`, `note ${alien}`, `task ${open}`, created!.key]
    const answer = await feed(api, 'leads', lead, {
      keys: [...expected, `message ${message}`, 'note 999999', 'message 1'].join(),
    })
    expect(keys(answer).toSorted()).toEqual(
      [`note ${note}`, `task ${open}`, created!.key, `message ${message}`].toSorted(),
    )
    expect(answer).toEqual({ items: answer.items, before: null, after: null })
    expect(answer.items.at(-1)).toMatchObject({ key: `task ${open}`, at: till * 1000 + 999 })
  })

  test('has the kinds that are asked for, and what holds all words', async () => {
    const account = await newAccount()
    const { api } = account
    const { lead, message } = await addDeal(account)
    const [one, two, call] = await addNotes(api, 'leads', lead, [
      text('Pumps in STOCK'),
      text('Nothing'),
      { note_type: 'call_out', params: { duration: 1, source: 'pbx', phone: '+7900' } },
    ])
    const done = await addTask(api, 'leads', lead, {
      is_completed: true,
      result: { text: 'Stock!' },
    })
    const of = async (kinds: string) => keys(await feed(api, 'leads', lead, { kinds }))
    expect(await of('notes')).toEqual([`note ${one}`, `note ${two}`])
    expect(await of('calls')).toEqual([`note ${call}`])
    expect(await of('tasks')).toEqual([`task ${done}`])
    expect(await of('messages')).toEqual([`message ${message}`])
    expect(
      (await feed(api, 'leads', lead, { kinds: 'changes' })).items.map(({ kind }) => kind),
    ).toEqual(['change', 'change'])
    expect(await of('notes,calls')).toEqual([`note ${one}`, `note ${two}`, `note ${call}`])
    const found = async (query: string) => keys(await feed(api, 'leads', lead, { query }))
    expect(await found('stock')).toEqual([`message ${message}`, `note ${one}`, `task ${done}`])
    expect(await found('stock pump')).toEqual([`note ${one}`])
    expect(await found('7900')).toEqual([`note ${call}`])
    expect(await found('%')).toEqual([])
    expect(keys(await feed(api, 'leads', lead, { query: 'stock', kinds: 'changes' }))).toEqual([])
  })

  test('takes one cursor, and answers later items to the one of the newest', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, 'leads')
    const refused = await api.get(`${path('leads', id)}?before=1&after=1`)
    expect(refused.status).toBe(400)
    const { after } = await feed(api, 'leads', id)
    const future = 4_000_000_000
    const [note, ahead] = await addNotes(api, 'leads', id, [
      text('Later'),
      { ...text('In the future'), created_at: future },
    ])
    const later = await feed(api, 'leads', id, { after: after! })
    expect(keys(later).slice(-2)).toEqual([`note ${note}`, `note ${ahead}`])
    expect(later).not.toHaveProperty('pinned')
    // The future does not hide what comes next.
    const next = await addNote(api, 'leads', id)
    expect(keys(await feed(api, 'leads', id, { after: later.after! }))).toContain(`note ${next}`)
  })
})

describe('completed tasks', () => {
  test('stand where they were completed, and no more where they are open again', async () => {
    const { api, id: account, kontor } = await newAccount()
    const id = await addRecord(api, 'leads')
    const task = await addTask(api, 'leads', id, { updated_at: 1_600_000_000 })
    await api.patch(`/api/v4/tasks/${task}`, { is_completed: true, updated_at: 1_700_000_000 })
    const at = async () =>
      (await feed(api, 'leads', id)).items.flatMap((item) => (item.task ? [item.at] : []))
    expect(await at()).toEqual([1_700_000_000_999])
    // A change of a completed task does not move it.
    await api.patch(`/api/v4/tasks/${task}`, { text: 'Other' })
    expect(await at()).toEqual([1_700_000_000_999])
    await api.patch(`/api/v4/tasks/${task}`, { is_completed: false })
    const open = await feed(api, 'leads', id)
    expect([keys(open), open.planned!.map(({ key }) => key)]).toEqual([
      [expect.stringMatching('^event ')],
      [`task ${task}`],
    ])
    const stored = await kontor.database.row(
      sql`select completed_at from tasks where account_id = ${account} and id = ${task}`,
    )
    expect(stored).toEqual({ completed_at: null })
  })
})

describe('rights', () => {
  test.for(allKinds)('decide who reads the feed of %s', async (type) => {
    const account = await newAccount()
    const own = await account.addUser({
      rights: { [rightsOf(type)]: { ...denied, view: 'M', edit: 'M' } as const },
    })
    const none = await account.addUser({ rights: { [rightsOf(type)]: denied } })
    const alien = await newAccount()
    const mine = await addRecord(account.api, type, { responsible_user_id: own.id })
    const other = await addRecord(account.api, type)
    await addNote(account.api, type, mine)
    const status = async ({ api }: { api: Client }, id: number) =>
      (await api.get(path(type, id))).status
    expect(await status(own, mine)).toBe(200)
    expect(await status(own, other)).toBe(403)
    expect(await status(none, mine)).toBe(403)
    expect(await status(alien, mine)).toBe(404)
    expect(await status(account, 999_999_999)).toBe(404)
    expect((await feed(own.api, type, mine)).items.every(({ entity }) => entity.id === mine)).toBe(
      true,
    )
  })

  test('leave out leads and chats that the caller may not view', async () => {
    const account = await newAccount()
    const { contact, lead, message } = await addDeal(account)
    const note = await addNote(account.api, 'leads', lead)
    const task = await addTask(account.api, 'leads', lead)
    const done = await addTask(account.api, 'leads', lead, { is_completed: true })
    await account.api.post(`/api/v4/leads/notes/${note}/pin`, {})
    const all = { ...denied, view: 'A' as const }
    const ofContacts = await account.addUser({ rights: { contacts: all, leads: denied } })
    const ofLeads = await account.addUser({ rights: { contacts: denied, leads: all } })
    const expected = `note ${note},task ${task},message ${message}`
    const one = await feed(ofContacts.api, 'contacts', contact)
    expect(keys(one)).toContain(`message ${message}`)
    expect(keys(one)).not.toContain(`note ${note}`)
    expect(keys(one)).not.toContain(`task ${done}`)
    expect([one.pinned, one.planned]).toEqual([[], []])
    expect(keys(await feed(ofContacts.api, 'contacts', contact, { keys: expected }))).toEqual([
      `message ${message}`,
    ])
    const two = await feed(ofLeads.api, 'leads', lead)
    expect(keys(two)).not.toContain(`message ${message}`)
    expect(keys(two)).toContain(`note ${note}`)
    expect(two.items.some(({ may_edit }) => may_edit)).toBe(false)
    expect(keys(await feed(ofLeads.api, 'leads', lead, { keys: expected }))).toEqual([
      `note ${note}`,
      `task ${task}`,
    ])
  })

  test('of linked leads in the bin leave nothing, and the bin shows its own to read', async () => {
    const account = await newAccount()
    const { api } = account
    const { contact, lead } = await addDeal(account)
    const note = await addNote(api, 'leads', lead)
    await api.delete(`/api/v4/leads/${lead}`)
    expect(keys(await feed(api, 'contacts', contact))).not.toContain(`note ${note}`)
    const gone = await feed(api, 'leads', lead)
    const item = gone.items.find(({ key }: FeedItem) => key === `note ${note}`)
    expect(item).toMatchObject({ may_edit: false })
  })
})

test('browsers hear of each item with what names its feed', async () => {
  const account = await newAccount({ rateLimitScope: 0 })
  const { api } = account
  const lead = await addRecord(api, 'leads')
  const line = await addScope(account)
  await published(line, { conversation_id: 'one' })
  const { of } = await streamOf(account, account.admin)
  const note = await addNote(api, 'leads', lead)
  await api.post(`/api/v4/leads/notes/${note}/pin`, {})
  const task = await addTask(api, 'leads', lead)
  await api.patch(`/api/v4/tasks/${task}`, { is_completed: true })
  await api.delete(`/api/v4/leads/${lead}/notes/${note}`)
  const ofLead = { entity_type: 'leads', entity_id: lead }
  const ofTask = { entity_type: 'tasks', entity_id: task, record_type: 'leads', record_id: lead }
  const expected = [
    { ...ofLead, actions: ['note'], note_id: note },
    { ...ofLead, actions: ['update_note'], note_id: note },
    { ...ofTask, actions: ['add'] },
    { ...ofTask, actions: ['update'] },
    { ...ofLead, actions: ['update_note'] },
  ]
  const heard = () => of('change').map(({ data }) => data)
  await expect.poll(() => heard().length).toBe(expected.length)
  expect(heard()).toMatchObject(expected)
  expect(heard().at(-1)).not.toHaveProperty('note_id')
  await published(line, { conversation_id: 'one' })
  const chat = (await api.get('/web/v1/chats')).body._embedded.chats[0]
  const message = () => heard().find(({ entity_type }) => entity_type === 'messages')
  await expect.poll(message).toBeDefined()
  expect(message()).toMatchObject({
    actions: ['add'],
    chat_id: chat.id,
    record_type: 'leads',
    record_id: chat.entity_id,
  })
})
