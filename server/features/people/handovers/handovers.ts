// A handover gives everything that one user is responsible for to another: leads, contacts, companies,
// customers and open tasks. Each request hands over one batch in a transaction of its own, by the verbs
// that change records, so that their rights, their events and their webhooks are those of any other
// change. The caller repeats the request until nothing is left: the locks of a batch are short, and a
// handover that was interrupted goes on where it stopped (docs/decisions/0071-handovers.md).
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { newFaults } from '../../../http/batch.ts'
import type { Batch } from '../../../http/batch.ts'
import { invalidValue, notFound } from '../../../http/problem.ts'
import { changeCompanies } from '../../records/companies/companies.ts'
import { changeContacts } from '../../records/contacts/contacts.ts'
import { changeCustomers } from '../../records/customers/customers.ts'
import { changeLeads } from '../../records/leads/leads.ts'
import { changeTasks } from '../../activity/tasks/tasks.ts'
import { findUsers } from '../users/users.ts'
import { countResponsibilities, someOf } from './queries.ts'
import { handedTypes } from './schema.ts'
import type { Responsibilities, HandedType, HandoverStep } from './schema.ts'

/** Records of one request: as many as a batch of the interface, which takes about 150 ms. */
const most = 250

/** The records that a user is responsible for, by number. Unknown: 404. */
export async function readResponsibilities(
  reader: Reader,
  actor: Actor,
  user: number,
): Promise<Responsibilities> {
  if ((await findUsers(reader, actor, [user])).length === 0) throw notFound()
  return (await reader.row<Responsibilities>(countResponsibilities(actor, user)))!
}

/**
 * Hands over the next batch of what `from` is responsible for. An unknown `from`: 404. A `to` that is
 * the same user, unknown or deactivated: 400.
 */
export async function handOver(
  tx: Tx,
  actor: Actor,
  from: number,
  to: number,
): Promise<HandoverStep> {
  const users = await findUsers(tx, actor, [from, to])
  if (!users.some(({ id }) => id === from)) throw notFound()
  const isGood = to !== from && users.some(({ id, is_active }) => id === to && is_active)
  if (!isGood)
    throw invalidValue('NotSupportedChoice', 'to_user_id', 'Choose another user who is active.')
  const moved = Object.fromEntries(handedTypes.map((type) => [type, 0])) as Responsibilities
  for (const type of handedTypes) {
    const next = await tx.rows<{ id: number }>(someOf(actor, type, from, most))
    if (next.length === 0) continue
    await give(tx, actor, type, batchOf(next, to))
    moved[type] = next.length
    return { moved, is_done: false }
  }
  return { moved, is_done: true }
}

type Given = Batch<{ id: number; responsible_user_id: number }>

async function give(tx: Tx, actor: Actor, type: HandedType, batch: Given): Promise<void> {
  switch (type) {
    case 'leads':
      await changeLeads(tx, actor, batch)
      break
    case 'contacts':
      await changeContacts(tx, actor, batch)
      break
    case 'companies':
      await changeCompanies(tx, actor, batch)
      break
    case 'customers':
      await changeCustomers(tx, actor, batch)
      break
    case 'tasks':
      await changeTasks(tx, actor, batch)
  }
}

function batchOf(next: { id: number }[], responsible_user_id: number): Given {
  const items = next.map(({ id }, index) => ({
    index,
    request_id: String(index),
    value: { id, responsible_user_id },
  }))
  return { items, faults: newFaults() }
}
