// Duplicate control (entities reference, 9 and 26.7), off unless the account has named pipelines
// for the integration. A stored contact with the same phone or e-mail replaces a new one, and its
// open lead in such a pipeline a new lead. More than 3 matching contacts are not one person. Other
// items of the request never match. Matches are found before any lock and checked again under the
// locks (lock.ts).
import { digitsOf, keysOf } from '../../records/fields/values.ts'
import type { Fields } from '../../records/fields/definitions.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import { duplicatePipelines } from '../integrations/integrations.ts'
import type { DraftedRows } from './parties.ts'
import { contactsLike, mostMatches, openLeads } from './queries.ts'
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

/** Finds the stored records that match the new ones of a request, by the index of the items. */
export async function findDuplicates(
  tx: Tx,
  actor: Actor,
  rows: DraftedRows,
  fields: Fields,
): Promise<Map<number, Match>> {
  const known = [...rows.contacts].flatMap(([place, row]) => {
    const texts = keysOf(fields, row.custom_fields_values).texts
    const keys = texts.flatMap(({ field_id, value }): ContactKey[] => {
      const { code } = fields.byId.get(field_id)!
      const isKey = code === 'EMAIL' || (code === 'PHONE' && digitsOf(value) !== '')
      return isKey ? [{ place, field_id, value }] : []
    })
    const { pipeline_id } = rows.leads.get(place)!
    return keys.length > 0 ? [{ place, pipeline_id, keys }] : []
  })
  if (known.length === 0) return new Map()
  const controlled = await duplicatePipelines(tx, actor)
  const candidates = known.filter(({ pipeline_id }) => controlled.includes(pipeline_id))
  if (candidates.length === 0) return new Map()
  const keys = candidates.flatMap((each) => each.keys)
  const places = candidates.map(({ place }) => place)
  const contacts = Map.groupBy(
    await tx.rows<{ place: number; id: number }>(contactsLike(actor, keys, places)),
    ({ place }) => place,
  )
  const matches = candidates.flatMap(({ place, pipeline_id }) => {
    const like = contacts.get(place) ?? []
    if (like.length === 0 || like.length > mostMatches) return []
    return [{ place, pipeline_id, contact_id: Math.min(...like.map(({ id }) => id)) }]
  })
  const leads = await leadsOf(tx, actor, matches)
  return new Map(
    matches.map(({ place, ...match }) => [place, { ...match, lead_id: leads(match) }] as const),
  )
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
