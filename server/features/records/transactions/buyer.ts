// A customer as its purchases and bonus points change it: its columns, and the two steps that the
// verbs here begin and end with. One lock of the customer keeps its sums right, so purchases of one
// customer wait for each other, and those of several do not.
import type { Actor, Writer } from '../../../access/actor.ts'
import { requireRight } from '../../../access/record-rights.ts'
import { record } from '../../../changes/record.ts'
import type { NewEvent } from '../../../changes/record.ts'
import type { Tx } from '../../../database/connect.ts'
import { notFound } from '../../../http/problem.ts'
import type { RecordDescription } from '../../../records/description.ts'
import { noFields } from '../../../records/fields/definitions.ts'
import {
  changedFields,
  lockRecords,
  touched,
  updateRecords,
} from '../../../records/writing/change.ts'
import { customers, statusNews } from '../customers/customers.ts'
import type { CustomerRow } from '../customers/schema.ts'
import { countMoves } from '../segments/segments.ts'

/** A customer with its bonus points. */
export interface Buyer extends CustomerRow {
  bonus_points: number
}

export const buyers: RecordDescription = {
  ...customers,
  columns: { ...customers.columns, bonus_points: 'bigint' },
}

/** Locks a customer. Throws 404 where it does not exist, and 403 where the actor may not edit it. */
export async function lockBuyer(tx: Tx, actor: Actor, id: number): Promise<Buyer> {
  requireRight(actor, 'customers', 'edit')
  const buyer = (await lockRecords<Buyer>(tx, actor, buyers, [id], 'edit')).get(id)
  if (!buyer) throw notFound()
  return buyer
}

/** Writes a locked customer, and records the change with these events, and that of its status. */
export async function changeBuyer(
  tx: Tx,
  writer: Writer,
  before: Buyer,
  next: Buyer,
  events: NewEvent[],
): Promise<void> {
  const after = touched(writer, before, next)
  await updateRecords(tx, writer, buyers, noFields, [{ before, after }])
  await countMoves(tx, writer, [{ before: before.segment_ids, after: after.segment_ids }])
  const changed = changedFields(before, after)
  const status = statusNews(before, after)
  await record(tx, writer, [
    {
      type: 'customers',
      id: after.id,
      actions: ['update', ...status.actions],
      before: Object.fromEntries(changed.map((field) => [field, before[field]])),
      events: [...events, ...status.events],
    },
  ])
}
