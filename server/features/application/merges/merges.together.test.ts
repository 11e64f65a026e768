// Merges that meet each other, and writes to the record that is merged away: each comes before the merge
// and goes over, or finds nothing.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addChat, newInbox } from '../../../../test/inbox.ts'
import { listen } from '../../../../test/leads.ts'
import { keptLinks, link, linksOf, to } from '../../../../test/links.ts'
import { merge, merged, rowsAround, undoMerge } from '../../../../test/merges.ts'
import { notesIn, text } from '../../../../test/notes.ts'
import { pidOf } from '../../../../test/locks.ts'
import { actorIn } from '../../../../test/pipelines.ts'
import { addRecord, addRecords } from '../../../../test/records.ts'
import type { Answer } from '../../../../test/client.ts'
import { mergeRecords, undoMerge as takeBack } from './merges.ts'

const statuses = (answers: Answer[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

test.for(['contacts', 'companies'] as const)(
  'the same %s merged by several at once, in both directions: one merge is made, and one undo takes it back',
  async (kind) => {
    const account = await newAccount()
    const { api } = account
    for (let round = 0; round < 3; round++) {
      const [one, other] = await addRecords(api, kind, [{}, {}])
      const lead = await addRecord(api, 'leads', { _embedded: { [kind]: [{ id: other }] } })
      const before = await linksOf(api, 'leads', lead)
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          index % 2 ? merge(api, kind, one!, other!) : merge(api, kind, other!, one!),
        ),
      )
      expect(statuses(answers)).toEqual([201, 404, 404, 404, 404, 404])
      const { id } = answers.find(({ status }) => status === 201)!.body
      const undone = await Promise.all([1, 2, 3].map(() => undoMerge(api, id)))
      expect(statuses(undone)).toEqual([200, 409, 409])
      expect(await linksOf(api, 'leads', lead)).toEqual(before)
      await keptLinks(account)
    }
  },
)

test('notes, tasks, links and chats that come while a contact is merged away go over or are refused', async () => {
  const account = await newAccount()
  const { api } = account
  const inbox = await newInbox(account)
  for (let round = 0; round < 4; round++) {
    const [into, from] = (await addRecords(api, 'contacts', [{}, {}])) as [number, number]
    const leads = await addRecords(api, 'leads', [{}, {}, {}, {}])
    const chats = await Promise.all([1, 2, 3].map(() => addChat(inbox)))
    const task = { text: 'Call', complete_till: 2_000_000_000, entity_type: 'contacts' }
    const work = [
      ...leads.slice(0, 2).map((lead) => link(api, 'leads', lead, to('contacts', from))),
      ...leads.slice(2).map((lead) => link(api, 'contacts', from, to('leads', lead))),
    ]
    const [answer, notes, tasks, bound, links] = await Promise.all([
      merge(api, 'contacts', into, from),
      Promise.all([1, 2, 3].map(() => api.post(`/api/v4/contacts/${from}/notes`, [text('x')]))),
      Promise.all([1, 2, 3].map(() => api.post('/api/v4/tasks', [{ ...task, entity_id: from }]))),
      Promise.all(
        chats.map(({ uid }) =>
          api.post('/api/v4/contacts/chats', [{ contact_id: from, chat_id: uid }]),
        ),
      ),
      Promise.all(work),
    ])
    expect(answer.status).toBe(201)
    const taken = (answers: Answer[]) => {
      expect(
        answers.map(({ status }) => status).filter((status) => ![200, 400, 404].includes(status)),
      ).toEqual([])
      return answers.filter(({ status }) => status === 200).length
    }
    expect(notesIn(await api.get(`/api/v4/contacts/${into}/notes`))).toHaveLength(taken(notes))
    expect(await countOf(account, 'tasks', into)).toBe(taken(tasks))
    expect(await countOf(account, 'chats', into)).toBe(taken(bound))
    expect(await linksOf(api, 'contacts', into)).toHaveLength(taken(links))
    for (const what of ['tasks', 'chats'] as const)
      expect(await countOf(account, what, from)).toBe(0)
    await keptLinks(account)
    expect((await undoMerge(api, answer.body.id)).status).toBe(200)
    expect(await linksOf(api, 'contacts', from)).toHaveLength(taken(links))
  }
})

async function countOf({ id, kontor }: TestAccount, what: 'tasks' | 'chats', contact: number) {
  const { count } = (await kontor.database.row<{ count: number }>(
    what === 'tasks'
      ? sql`select count(*)::int as count from tasks where account_id = ${id} and entity_type = 'contacts' and entity_id = ${contact}`
      : sql`select count(*)::int as count from chats where account_id = ${id} and contact_id = ${contact}`,
  ))!
  return count
}

test('merges in a ring do not wait for each other forever', async () => {
  const account = await newAccount()
  const { api } = account
  const ids = await addRecords(
    api,
    'contacts',
    Array.from({ length: 6 }, () => ({})),
  )
  const lead = await addRecord(api, 'leads', { _embedded: { contacts: ids.map((id) => ({ id })) } })
  const answers = await Promise.all(
    ids.map((id, index) => merge(api, 'contacts', id, ids[(index + 1) % ids.length]!)),
  )
  expect(statuses(answers).filter((status) => status !== 201 && status !== 404)).toEqual([])
  const made = answers.filter(({ status }) => status === 201).length
  expect(await linksOf(api, 'leads', lead)).toHaveLength(ids.length - made)
  await keptLinks(account)
})

test('a merge or an undo whose connection is cut in the middle has changed and told nothing', async () => {
  const account = await newAccount()
  const { api, kontor } = account
  const [into, from] = (await addRecords(api, 'contacts', [{}, {}])) as [number, number]
  await addRecord(api, 'leads', { _embedded: { contacts: [{ id: from }] } })
  await api.post(`/api/v4/contacts/${from}/notes`, [text('x')])
  const actor = { ...actorIn(account), userId: account.admin.id }
  const cut = (work: (tx: Parameters<typeof pidOf>[0]) => Promise<unknown>) =>
    kontor.database.transaction(async (tx) => {
      await work(tx)
      const pid = await pidOf(tx)
      await kontor.database.rows(sql`select pg_terminate_backend(${pid}, 5000)`)
    })
  const unchanged = async (work: () => Promise<unknown>) => {
    const before = await rowsAround(account)
    const newsSince = await listen(account)
    await expect(work()).rejects.toThrow()
    expect(await rowsAround(account)).toEqual(before)
    expect(await newsSince()).toEqual({ journal: [], events: [] })
  }
  await unchanged(() =>
    cut((tx) => mergeRecords(tx, actor, { entity_type: 'contacts', into, from })),
  )
  const id = await merged(api, 'contacts', into, from)
  await unchanged(() => cut((tx) => takeBack(tx, actor, id)))
  expect((await undoMerge(api, id)).status).toBe(200)
})
