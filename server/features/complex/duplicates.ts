// Duplicate control (entities reference, 9 and 26.7): off unless the account has named pipelines for the integration. A new contact that has
// a phone or an e-mail of a stored one is that one, and a new lead in such a pipeline is the open lead that this contact has there. More
// than 3 contacts with what was sent are not the same person: nothing is merged. Only what is stored counts, never other items of the
// request. What is found is found before anything is locked; whether it still holds is asked again under the locks (lock.ts).
import { digitsOf, keysOf } from '../../records/fields/values.ts'
import type { Fields } from '../../records/fields/definitions.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import { duplicatePipelines } from '../integrations/integrations.ts'
import type { DraftedRows } from './parties.ts'
import { contactsLike, mostMatches, openLeads } from './queries.ts'
import type { ContactKey } from './queries.ts'

/** What takes the place of the new contact of an item and, where there is one, of its lead. */
export interface Match {
  contact_id: number
  pipeline_id: number
  lead_id: number | undefined
}

/** Finds the stored records that are like those a request would make, by the index of its items. */
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
  const asked = known.filter(({ pipeline_id }) => controlled.includes(pipeline_id))
  if (asked.length === 0) return new Map()
  const keys = asked.flatMap((each) => each.keys)
  const places = asked.map(({ place }) => place)
  const found = Map.groupBy(
    await tx.rows<{ place: number; id: number }>(contactsLike(actor, keys, places)),
    ({ place }) => place,
  )
  const matches = asked.flatMap(({ place, pipeline_id }) => {
    const like = found.get(place) ?? []
    if (like.length === 0 || like.length > mostMatches) return []
    return [{ place, pipeline_id, contact_id: Math.min(...like.map(({ id }) => id)) }]
  })
  const leads = await leadsOf(tx, actor, matches)
  return new Map(
    matches.map(({ place, ...match }) => [place, { ...match, lead_id: leads(match) }] as const),
  )
}

/** The open lead of a contact in a pipeline, for some contacts and pipelines; `among`: one of these. */
export async function leadsOf(
  tx: Tx,
  actor: Actor,
  matches: Omit<Match, 'lead_id'>[],
  among?: number[],
) {
  const contacts = matches.map(({ contact_id }) => contact_id)
  const pipelines = matches.map(({ pipeline_id }) => pipeline_id)
  const found =
    matches.length === 0
      ? []
      : await tx.rows<Omit<Match, 'lead_id'> & { id: number }>(
          openLeads(actor, contacts, pipelines, among),
        )
  const ids = new Map(
    found.map(({ contact_id, pipeline_id, id }) => [`${contact_id} ${pipeline_id}`, id]),
  )
  return ({ contact_id, pipeline_id }: Omit<Match, 'lead_id'>) =>
    ids.get(`${contact_id} ${pipeline_id}`)
}
