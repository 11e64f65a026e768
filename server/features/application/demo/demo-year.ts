// The year of the demo account: what its people did, each act by the verb of the server and at its own
// time, in their order. So records, notes and news bear the times that a real year would have given them.
import type { Actor } from '../../../access/actor.ts'
import { earlier } from '../../../database/connect.ts'
import type { Tx } from '../../../database/connect.ts'
import { batchOf } from '../../../http/batch.ts'
import { createCompanies } from '../../records/companies/companies.ts'
import { createContacts } from '../../records/contacts/contacts.ts'
import {
  changeCustomers,
  createCustomers,
  turnDueCustomers,
} from '../../records/customers/customers.ts'
import { createElements } from '../../records/elements/elements.ts'
import type { NewElement } from '../../records/elements/schema.ts'
import { changeLeads, createLeads } from '../../records/leads/leads.ts'
import { linkRecords } from '../../records/links/links.ts'
import { createNotes, pinNote } from '../../activity/notes/notes.ts'
import { won } from '../../definitions/pipelines/pipelines.ts'
import { changeTasks, createTasks } from '../../activity/tasks/tasks.ts'
import { createTransactions } from '../../records/transactions/transactions.ts'
import { addItems } from '../../records/unsorted/unsorted.ts'
import { daySeconds } from './demo-calendar.ts'
import type { Calendar } from './demo-calendar.ts'
import * as customerData from './demo-customers.ts'
import * as data from './demo-data.ts'
import type { DemoCatalog } from './demo-products.ts'
import * as taskData from './demo-tasks.ts'
import { unsortedDrafts } from './demo-unsorted.ts'

/** The settings that the year begins with, and the ids of its records by their places, as they come. */
export interface Year {
  calendar: Calendar
  owner: data.DemoOwner
  catalog: DemoCatalog
  invoicesId: number
  /** The open stages of the main pipeline, and those of partners. */
  main: data.DemoStage[]
  partners: data.DemoStage[]
  lossReasonIds: number[]
  /** The statuses that people put customers into. */
  statusIds: number[]
  segmentIds: number[]
  /** The task types of the account's own. */
  typeIds: number[]
  companyIds: number[]
  contactIds: number[]
  leadIds: number[]
  customerIds: number[]
}

/** An act of a user, and when it happened, in Unix seconds. */
interface Act {
  at: number
  userId: number
  run: (tx: Tx, actor: Actor) => Promise<unknown>
}

export async function liveYear(tx: Tx, actor: Actor, year: Year): Promise<void> {
  const acts = [
    ...actsOnCompanies(year),
    ...actsOnContacts(year),
    ...actsOnLeads(year),
    ...actsOnCustomers(year),
    ...ownTasks(year),
    ...weeks(year),
    ...requests(year),
  ]
  const { now } = year.calendar
  for (const { at, userId, run } of acts.toSorted((one, other) => one.at - other.at))
    await run(earlier(tx, now - at), { ...actor, userId, at })
}

function actsOnCompanies(year: Year): Act[] {
  const { calendar, owner, companyIds } = year
  const came = data.companyNames.map((_, position): Act => ({
    at: data.companyBorn(calendar, position),
    userId: owner(position),
    run: async (tx, actor) => {
      const batch = batchOf([data.companyDraft(position, owner)])
      ;[companyIds[position]] = madeIds(await createCompanies(tx, actor, batch)) as [number]
    },
  }))
  return [
    ...came,
    ...taskData.companyTasks(calendar).flatMap((each) => task(year, each, companyIds)),
  ]
}

function actsOnContacts(year: Year): Act[] {
  const { calendar, owner, companyIds, contactIds } = year
  const acts = indexes(data.contactCount).flatMap((position): Act[] => [
    {
      at: data.contactBorn(calendar, position),
      userId: owner(position),
      run: async (tx, actor) => {
        const batch = batchOf([data.contactDraft(position, owner, companyIds)])
        ;[contactIds[position]] = madeIds(await createContacts(tx, actor, batch)) as [number]
      },
    },
    ...data
      .contactNotes(calendar, position)
      .map((each) => note('contacts', owner(position), each, () => contactIds[position]!)),
  ])
  return [
    ...acts,
    ...taskData.contactTasks(calendar).flatMap((each) => task(year, each, contactIds)),
  ]
}

function actsOnLeads(year: Year): Act[] {
  return indexes(data.leadCount).flatMap((position) => {
    const { calendar, owner, leadIds } = year
    const life = data.leadLife(calendar, position, year)
    const moves = life.moves.map(({ at }, move): Act => ({
      at,
      userId: owner(position),
      run: async (tx, actor) => {
        const change = { id: leadIds[position]!, ...data.leadChange(position, life, move, year) }
        await changeLeads(tx, actor, batchOf([change]))
      },
    }))
    const tasks = taskData.leadTasks(calendar, position, life, year.typeIds)
    return [
      { at: life.born, userId: owner(position), run: leadCame(year, position, life) },
      ...moves,
      ...(life.closed === won
        ? [{ at: life.end + 1800, userId: owner(position), run: invoice(year, position, life) }]
        : []),
      ...data
        .leadNotes(calendar, position, life)
        .map((each, index) =>
          note(
            'leads',
            owner(position),
            each,
            () => leadIds[position]!,
            position === 0 && index === 0,
          ),
        ),
      ...tasks.flatMap((each) => task(year, each, leadIds)),
    ]
  })
}

const leadCame =
  (year: Year, position: number, life: data.LeadLife): Act['run'] =>
  async (tx, actor) => {
    const draft = data.leadDraft(year.calendar, position, life, year)
    const [id] = madeIds(await createLeads(tx, actor, batchOf([draft]))) as [number]
    year.leadIds[position] = id
    const goods = data.leadElements(year.catalog, position, id)
    if (goods.length > 0) await linkRecords(tx, actor, 'leads', batchOf(goods))
  }

const invoice =
  (year: Year, position: number, life: data.LeadLife): Act['run'] =>
  async (tx, actor) => {
    const { catalog, invoicesId: catalog_id, companyIds, leadIds } = year
    const draft = data.invoiceDraft(position, life, catalog, companyIds)
    const [id] = await addElements(tx, actor, catalog_id, [draft])
    const link = {
      entity_id: leadIds[position]!,
      to_entity_id: id!,
      to_entity_type: 'catalog_elements' as const,
      metadata: { catalog_id },
    }
    await linkRecords(tx, actor, 'leads', batchOf([link]))
  }

function actsOnCustomers(year: Year): Act[] {
  return indexes(customerData.customerCount).flatMap((position) => {
    const { calendar, owner, catalog, customerIds } = year
    const purchases = customerData.purchaseTimes(calendar, position).map((at, time): Act => ({
      at,
      userId: owner(position),
      run: (tx, actor) => {
        const draft = customerData.purchaseDraft(calendar, position, time, catalog)
        return createTransactions(tx, actor, customerIds[position]!, batchOf([draft]), true)
      },
    }))
    const tasks = taskData.customerTasks(calendar, position)
    return [
      {
        at: customerData.customerBorn(calendar, position),
        userId: owner(position),
        run: customerCame(year, position),
      },
      ...purchases,
      ...placing(year, position),
      ...customerData
        .customerNotes(calendar, position)
        .map((each) => note('customers', owner(position), each, () => customerIds[position]!)),
      ...tasks.flatMap((each) => task(year, each, customerIds)),
    ]
  })
}

const customerCame =
  (year: Year, position: number): Act['run'] =>
  async (tx, actor) => {
    const draft = customerData.customerDraft(year.calendar, position, year)
    const [id] = madeIds(await createCustomers(tx, actor, batchOf([draft]))) as [number]
    year.customerIds[position] = id
    const goods = customerData.standingOrder(year.catalog, position, id)
    if (goods.length > 0) await linkRecords(tx, actor, 'customers', batchOf(goods))
  }

/** A person puts a customer into a further status, where the clock leaves it until now. */
function placing({ calendar, owner, statusIds, customerIds }: Year, position: number): Act[] {
  const status = customerData.placedIn(position)
  if (status === undefined) return []
  return [
    {
      at: calendar.now - 2 * daySeconds,
      userId: owner(position),
      run: (tx, actor) => {
        const change = { id: customerIds[position]!, status_id: statusIds[status]! }
        return changeCustomers(tx, actor, batchOf([change]))
      },
    },
  ]
}

/** Since there are customers, each week and now, the clock moves those that are due. */
const weeks = ({ calendar: { now } }: Year): Act[] =>
  indexes(Math.ceil(customerData.firstOrderDaysAgo / 7)).map((week) => ({
    at: now - week * 7 * daySeconds,
    userId: 0,
    run: (tx, { accountId, at }) => turnDueCustomers(tx, accountId, at),
  }))

const requests = ({ calendar: { now }, owner }: Year): Act[] =>
  unsortedDrafts(now).map((draft) => ({
    at: draft.created_at!,
    userId: owner(0),
    run: (tx, actor) => addItems(tx, actor, batchOf([draft])),
  }))

const ownTasks = (year: Year): Act[] =>
  taskData.ownTasks(year.calendar).flatMap((each) => task(year, each))

/** Makes a task of the record at its place, and completes it if it was done. */
function task(
  { owner }: Year,
  { at, position, draft, done }: taskData.DatedTask,
  ids?: number[],
): Act[] {
  const userId = owner(position)
  let id: number
  const made: Act = {
    at,
    userId,
    run: async (tx, actor) => {
      const made = {
        ...draft,
        responsible_user_id: userId,
        ...(ids && { entity_id: ids[position]! }),
      }
      ;[id] = madeIds(await createTasks(tx, actor, batchOf([made]))) as [number]
    },
  }
  if (!done) return [made]
  const completed: Act = {
    at: done.at,
    userId,
    run: (tx, actor) =>
      changeTasks(tx, actor, batchOf([{ id, is_completed: true, result: { text: done.result } }])),
  }
  return [made, completed]
}

function note(
  type: 'leads' | 'contacts' | 'customers',
  userId: number,
  { at, note: draft }: data.DatedNote,
  recordId: () => number,
  isPinned = false,
): Act {
  // The data has the params that each type takes, and names no files.
  const asTheyAre: Parameters<typeof createNotes>[4] = {
    readParams: (_type, params) => ({ value: params, faults: [] }),
    keepFiles: (_tx, _actor, notes) => Promise.resolve(notes.map(() => null)),
  }
  return {
    at,
    userId,
    run: async (tx, actor) => {
      const batch = batchOf([{ ...draft, entity_id: recordId() }])
      const [id] = madeIds(await createNotes(tx, actor, { type }, batch, asTheyAre)) as [number]
      if (isPinned) await pinNote(tx, actor, type, id, true)
    },
  }
}

/** Answers the ids of new elements of a catalog. */
export async function addElements(
  tx: Tx,
  actor: Actor,
  catalogId: number,
  drafts: NewElement[],
): Promise<number[]> {
  const texts = await createElements(tx, actor, '', catalogId, batchOf(drafts))
  return madeIds(texts.map((text) => JSON.parse(text) as { id: number }))
}

export const madeIds = (made: readonly { id: number }[]) => made.map(({ id }) => id)

const indexes = (count: number) => Array.from({ length: count }, (_, position) => position)
