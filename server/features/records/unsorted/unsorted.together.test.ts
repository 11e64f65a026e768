// Unsorted items at the same moment, and where the database ends in the middle of a decision.
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { fullRights } from '../../../access/rights.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { actorOf } from '../../../../test/actor.ts'
import { rowsOf } from '../../../../test/account-data.ts'
import { phone, person, withControl } from '../../../../test/complex.ts'
import { addLead, mainPipeline } from '../../../../test/leads.ts'
import { pidOf } from '../../../../test/locks.ts'
import { batchOf } from '../../../../test/pipelines.ts'
import { find } from '../../../../test/records.ts'
import {
  accept,
  addItem,
  addItems,
  decline,
  threeParts,
  uidsIn,
} from '../../../../test/unsorted.ts'
import type { KeepFiles } from '../../activity/notes/notes.ts'
import type { NewItem } from './schema.ts'
import { acceptItems, addItems as addItemsVerb, declineItems } from './unsorted.ts'

/** These items are no calls. */
const noFiles: KeepFiles = (_tx, _actor, notes) => Promise.resolve(notes.map(() => null))

const statuses = (answers: { status: number }[]) =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other)

describe('at the same moment', () => {
  test('one of two decisions counts, the other is answered 404', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    for (let round = 0; round < 6; round++) {
      const added = await addItem(api)
      const decisions = [
        () => accept(api, added),
        () => accept(api, added, { status_id: main.statuses[1] }),
        () => decline(api, added),
        () => decline(api, added),
      ]
      const order = round % 2 ? decisions : decisions.toReversed()
      const answers = await Promise.all(order.map((decide) => decide()))
      expect(statuses(answers)).toEqual([200, 404, 404, 404])
    }
    const leads = await find(account, 'leads')
    expect(await find(account, 'contacts')).toHaveLength(leads.length)
    expect(await find(account, 'companies')).toHaveLength(leads.length)
  })

  test('a PATCH, a change and a decision of a lead follow one another, and none is lost', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    const added = await addItems(
      api,
      'forms',
      Array.from({ length: 8 }, () => ({ _embedded: threeParts() })),
    )
    const path = '/api/v4/leads'
    for (const each of added) {
      const answers = await Promise.all([
        api.patch(`${path}/${each.lead}`, { status_id: main.statuses[1] }),
        api.patch(`${path}/${each.lead}`, { price: 7 }),
        accept(api, each),
        api.patch(path, [{ id: each.lead, name: 'Changed', status_id: main.statuses[2] }]),
        api.patch(`${path}/${each.lead}`, { price: 8 }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([
        200,
        200,
        expect.toSatisfy((status: number) => status === 200 || status === 404),
        200,
        200,
      ])
    }
    expect(await uidsIn(api)).toEqual([])
    for (const kind of ['leads', 'contacts', 'companies'] as const)
      expect(await find(account, kind)).toHaveLength(8)
  })

  test('changes of leads that overlap with acceptances in other orders collide with none', async () => {
    const account = await newAccount()
    const { api } = account
    const main = await mainPipeline(account)
    for (let round = 0; round < 4; round++) {
      const added = await addItems(
        api,
        'forms',
        Array.from({ length: 6 }, () => ({ _embedded: threeParts() })),
      )
      const ids = [...added.map(({ lead }) => lead), await addLead(api)]
      const moved = ids.map((id) => ({ id, status_id: main.statuses[1] }))
      const named = ids.toReversed().map((id) => ({ id, name: `Round ${round}` }))
      const answers = await Promise.all([
        api.patch('/api/v4/leads', moved),
        api.patch('/api/v4/leads', named),
        ...added.toReversed().map((each) => accept(api, each)),
        api.patch('/api/v4/leads', moved.toReversed()),
      ])
      expect(answers.filter(({ status }) => status !== 200 && status !== 404)).toEqual([])
    }
  })

  test('items of one person that are accepted at once share a contact under duplicate control', async () => {
    const { account, api } = await withControl()
    const draft = { _embedded: { contacts: [person(phone('+1 555 0100'))] } }
    const added = await addItems(
      api,
      'forms',
      Array.from({ length: 6 }, () => draft),
    )
    const answers = await Promise.all(added.map((each) => accept(api, each)))
    expect(statuses(answers)).toEqual(added.map(() => 200))
    expect(await find(account, 'contacts')).toEqual(['Ann'])
  })
})

test('each item of several has an outcome of its own', async () => {
  const account = await newAccount()
  const main = await mainPipeline(account)
  const [whole, companyless] = await addItems(account.api, 'forms', [
    { _embedded: threeParts() },
    { _embedded: { contacts: [{ name: 'Ann' }] } },
  ])
  const levels = { ...fullRights.companies, add: 'D' as const }
  const status = { entity_type: 'leads' as const, pipeline_id: main.id, status_id: main.unsorted }
  const actor: Actor = {
    ...actorOf(account),
    isAdmin: false,
    rights: {
      ...fullRights,
      companies: levels,
      status_rights: [{ ...status, rights: { view: 'A', edit: 'A', delete: 'D' } }],
    },
  }
  const uids = [whole!.uid, 'unknown', companyless!.uid, whole!.uid]
  const { decided, refused } = await account.kontor.database.transaction((tx) =>
    acceptItems(tx, actor, uids, {}, noFiles),
  )
  expect([...decided.keys()]).toEqual([companyless!.uid])
  expect(Object.fromEntries(refused)).toEqual({ [whole!.uid]: 'rights', unknown: 'unknown' })
  expect(await uidsIn(account.api)).toEqual([whole!.uid])
})

describe('where the connection to the database ends', () => {
  /** A transaction whose connection ends after so many statements. */
  function ending({ kontor: { database } }: TestAccount, tx: Tx, most: number) {
    let count = 0
    const before = async () => {
      if (count++ !== most) return
      const pid = await pidOf(tx)
      await database.rows(sql`select pg_terminate_backend(${pid}, 5000)`)
    }
    return {
      ended: () => count > most,
      tx: {
        ...tx,
        rows: async <Row extends object>(statement: Sql) => (
          await before(),
          tx.rows<Row>(statement)
        ),
        row: async <Row extends object>(statement: Sql) => (await before(), tx.row<Row>(statement)),
        list: async <Row extends object>(statement: Sql) => (
          await before(),
          tx.list<Row>(statement)
        ),
      },
    }
  }

  const item: NewItem = {
    category: 'sip',
    source_name: 'The source',
    source_uid: 'x',
    metadata: { phone: '+1', is_call_event_needed: true },
    leads: [{ name: 'A lead', tags_to_add: [{ name: 'new' }] }],
    contacts: [{ name: 'Ann', tags_to_add: [{ name: 'new' }] }],
    companies: [{ name: 'Acme' }],
    notes: [{ type: 'leads', note_type: 'common', text: 'A note' }],
  }

  test.for<[string, (tx: Tx, account: TestAccount, uid: string) => Promise<unknown>]>([
    [
      'an intake',
      (tx, account) => addItemsVerb(tx, actorOf(account), batchOf({ ...item, source_uid: 'y' })),
    ],
    ['an acceptance', (tx, account, uid) => acceptItems(tx, actorOf(account), [uid], {}, noFiles)],
    ['a decline', (tx, account, uid) => declineItems(tx, actorOf(account), [uid], {})],
  ])('%s is whole or not at all, after whichever statement that is', async ([, verb]) => {
    const account = await newAccount()
    const { database } = account.kontor
    const [added] = await database.transaction((tx) =>
      addItemsVerb(tx, actorOf(account), batchOf(item)),
    )
    const before = await rowsOf(account)
    let isWhole = false
    for (let most = 0; !isWhole; most++) {
      const work = database.transaction(async (tx) => {
        const watched = ending(account, tx, most)
        await verb(watched.tx, account, added!.uid)
        return watched.ended()
      })
      const wasEnded = await work.catch(() => true)
      isWhole = !wasEnded
      if (isWhole) {
        expect(most).toBeGreaterThan(4)
        expect(await rowsOf(account)).not.toEqual(before)
      } else expect(await rowsOf(account)).toEqual(before)
    }
  })
})
