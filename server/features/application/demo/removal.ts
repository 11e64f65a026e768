// The removal of the demo's records. They go as if a user deleted them, with their news, and into the
// bin: what somebody made of one in the meantime is not lost at once. Users and settings stay, such
// as fields, stages and catalogs, whose elements no method deletes.
import type { Actor } from '../../../access/actor.ts'
import type { Database, Reader, Tx } from '../../../database/connect.ts'
import { deleteRecord } from '../../../records/writing/bin.ts'
import { companies } from '../../records/companies/companies.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import { deleteCustomers } from '../../records/customers/customers.ts'
import { deleteLeads } from '../../records/leads/leads.ts'
import { deleteTask } from '../../activity/tasks/tasks.ts'
import { declineItems } from '../../records/unsorted/unsorted.ts'
import { countDemo, forgetDemo, lockDemo, nextOfDemo } from './queries.ts'
import { demoTypes } from './schema.ts'
import type { DemoCounts, DemoType } from './schema.ts'

export async function countDemoData(reader: Reader, actor: Actor): Promise<DemoCounts> {
  return (await reader.row<DemoCounts>(countDemo(actor)))!
}

/**
 * Removes the demo's records that are still there, each in a transaction of its own, and answers
 * their numbers. A removal that was interrupted may be repeated. All take about a second.
 */
export async function removeDemoData(database: Database, actor: Actor): Promise<DemoCounts> {
  const removed = Object.fromEntries(demoTypes.map((type) => [type, 0])) as DemoCounts
  for (const type of demoTypes)
    while (await database.transaction((tx) => removeNext(tx, actor, type))) removed[type]++
  await database.transaction((tx) => tx.rows(forgetDemo(actor)))
  return removed
}

interface Known {
  id: number
  uid: string | null
}

/** Answers whether there was one. */
async function removeNext(tx: Tx, actor: Actor, type: DemoType): Promise<boolean> {
  // Two requests at once remove one after the other.
  await tx.rows(lockDemo(actor))
  const next = await tx.row<Known>(nextOfDemo(actor, type))
  if (next) await removeOne(tx, actor, type, next)
  return next !== undefined
}

async function removeOne(tx: Tx, actor: Actor, type: DemoType, { id, uid }: Known): Promise<void> {
  switch (type) {
    case 'unsorted_items':
      await declineItems(tx, actor, [uid!], {})
      break
    case 'tasks':
      await deleteTask(tx, actor, id)
      break
    case 'leads':
      await deleteLeads(tx, actor, [id])
      break
    case 'customers':
      await deleteCustomers(tx, actor, [id])
      break
    case 'contacts':
      await deleteRecord(tx, actor, contacts, id)
      break
    case 'companies':
      await deleteRecord(tx, actor, companies, id)
  }
}
