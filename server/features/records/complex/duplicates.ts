// Duplicate control (interface: Duplicate control), off unless the account has named pipelines for
// the integration. A stored contact with the same phone or e-mail replaces a new one, and its open
// lead in such a pipeline a new lead. Of more than 3 matching contacts only those with the same name
// count (decision 29). Other items of the request never match. The phones and e-mails are held until
// the transaction ends, so that equal requests follow one another; the matches themselves are
// checked again once they are locked (lock.ts).
import { digitsOf } from '../../../records/fields/phones.ts'
import { keysOf } from '../../../records/fields/values.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Actor } from '../../../access/actor.ts'
import type { ContactRow } from '../contacts/schema.ts'
import type { DraftedRows } from './parties.ts'
import {
  contactsLike,
  duplicatePipelines,
  lockAllKeys,
  lockKeys,
  mostKeysLocked,
  openLeads,
  shareKeys,
} from './queries.ts'
import type { ContactKey } from './queries.ts'

/**
 * The stored contact that replaces the new contact of an item, and the stored lead, if any, that
 * replaces its lead.
 */
export interface Match {
  contact_id: number
  pipeline_id: number
  lead_id: number | undefined
}

/**
 * Finds the stored records that match the new ones of a request, by the index of the items. Holds
 * their phones and e-mails first; records are locked later.
 */
export async function findDuplicates(
  tx: Tx,
  actor: Actor,
  rows: Pick<DraftedRows, 'contacts'> & { leads: ReadonlyMap<number, { pipeline_id: number }> },
  fields: Fields,
): Promise<Map<number, Match>> {
  const known = [...rows.contacts].flatMap(([index, row]) => {
    const keys = keysOfContact(fields, index, row)
    const { pipeline_id } = rows.leads.get(index)!
    return keys.length > 0 ? [{ place: index, pipeline_id, keys }] : []
  })
  if (known.length === 0 || actor.clientId === null) return new Map()
  const controlled = (await tx.rows<{ id: number }>(duplicatePipelines(actor))).map(({ id }) => id)
  const candidates = known.filter(({ pipeline_id }) => controlled.includes(pipeline_id))
  if (candidates.length === 0) return new Map()
  const keys = candidates.flatMap((each) => each.keys)
  const named = candidates.map(({ place: index }) => ({
    place: index,
    name: rows.contacts.get(index)!.name,
  }))
  await lockKeysOf(tx, actor, keys)
  const contacts = new Map(
    (await tx.rows<{ place: number; id: number }>(contactsLike(actor, keys, named))).map(
      ({ place: index, id }) => [index, id],
    ),
  )
  const matches = candidates.flatMap(({ place: index, pipeline_id }) => {
    const contact_id = contacts.get(index)
    return contact_id === undefined ? [] : [{ place: index, pipeline_id, contact_id }]
  })
  const leads = await leadsOf(tx, actor, matches)
  return new Map(
    matches.map(
      ({ place: index, ...match }) => [index, { ...match, lead_id: leads(match) }] as const,
    ),
  )
}

/** The phones and e-mails of a drafted contact; `place` is that of the contact in its request. */
export function keysOfContact(
  fields: Fields,
  index: number,
  { custom_fields_values }: Pick<ContactRow, 'custom_fields_values'>,
): ContactKey[] {
  return keysOf(fields, custom_fields_values).texts.flatMap(({ field_id, value }): ContactKey[] => {
    const { code } = fields.byId.get(field_id)!
    const isKey = code === 'EMAIL' || (code === 'PHONE' && digitsOf(value) !== '')
    return isKey ? [{ place: index, field_id, value }] : []
  })
}

/**
 * Waits until no other request with one of the keys is under way. Every request takes the account
 * first and then its keys in one order, so that none waits in a circle.
 */
async function lockKeysOf(tx: Tx, actor: Actor, keys: ContactKey[]): Promise<void> {
  if (keys.length > mostKeysLocked) {
    await tx.rows(lockAllKeys(actor))
  } else {
    await tx.rows(shareKeys(actor))
    await tx.rows(lockKeys(actor, keys))
  }
}

/**
 * Answers a function that gives the open lead of a contact in a pipeline, for the contacts and
 * pipelines of `matches`. `among` restricts the leads.
 */
export async function leadsOf(
  tx: Tx,
  actor: Actor,
  matches: Omit<Match, 'lead_id'>[],
  among?: number[],
) {
  const contacts = matches.map(({ contact_id }) => contact_id)
  const pipelines = matches.map(({ pipeline_id }) => pipeline_id)
  const rows =
    matches.length === 0
      ? []
      : await tx.rows<Omit<Match, 'lead_id'> & { id: number }>(
          openLeads(actor, contacts, pipelines, among),
        )
  const ids = new Map(
    rows.map(({ contact_id, pipeline_id, id }) => [`${contact_id} ${pipeline_id}`, id]),
  )
  return ({ contact_id, pipeline_id }: Omit<Match, 'lead_id'>) =>
    ids.get(`${contact_id} ${pipeline_id}`)
}
