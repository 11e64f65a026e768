// Presence: who has the card of a record open, and in which field. Nothing is kept: browsers repeat it
// every 20 seconds and forget others after 45, so a lost message or a closed laptop heals by itself.
import type { Actor } from '../../../access/actor.ts'
import type { ViewedRow } from '../../../access/record-rights.ts'
import type { Signals } from '../../../changes/signals.ts'
import type { Reader } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import { forbidden, notFound } from '../../../http/problem.ts'
import { viewedRecord } from './queries.ts'
import type { Presence } from './schema.ts'

/** The channel of signals that somebody is at a card; the payload is a `PresenceSignal`. */
export const presenceChannel = 'kontor_presence'

/** Somebody is at the card of a record. `record` decides who may learn of it. */
export interface PresenceSignal extends Presence {
  account_id: number
  user_id: number
  record: ViewedRow
}

/** The message that browsers get of a signal. */
export const shownPresence = ({ account_id: _, record: _row, ...shown }: PresenceSignal): object =>
  shown

/** Tells browsers that may view the record that the actor is at its card. Throws 404 and 403 as a read of it does. */
export async function announcePresence(
  reader: Reader,
  signals: Signals,
  actor: Actor,
  presence: Presence,
): Promise<void> {
  const { entity_type, entity_id } = presence
  const row = await reader.row<ViewedRow & { allowed: boolean }>(
    viewedRecord(actor, entity_type, entity_id),
  )
  if (!row) throw notFound()
  if (!row.allowed)
    throw forbidden(`You have no right to view ${singular[entity_type]} ${entity_id}`)
  const { allowed: _, ...record } = row
  const signal: PresenceSignal = {
    ...presence,
    account_id: actor.accountId,
    user_id: actor.userId,
    record,
  }
  signals.notify(presenceChannel, JSON.stringify(signal))
}
