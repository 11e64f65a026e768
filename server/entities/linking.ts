// Links of new records: what `_embedded.contacts` and `_embedded.companies` name. A link is kept from both ends; both ends are told.
import sql, { raw } from 'sql-template-tag'
import { recordChanged } from '../changes/record.ts'
import type { Change } from '../changes/record.ts'
import type { Tx } from '../database/connect.ts'
import type { Actor } from '../http/access.ts'
import type { Faults, Item } from '../http/batch.ts'
import type { RecordType } from './kind.ts'
import { singular } from '../kinds.ts'
import { may } from './rights.ts'
import type { Sent } from './schema.ts'

/** What one new record is linked to. */
export interface NewLink {
  type: 'contacts' | 'companies'
  id: number
  is_main: boolean
}

/**
 * Reads and locks the records that a batch of new ones names, contacts first, each kind in the order of ids. A record that is not
 * there, or that the actor may not view, is a fault. Answers the links of each item, in the order of the items.
 */
export async function checkLinks(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  items: Item<Sent>[],
  faults: Faults,
): Promise<NewLink[][]> {
  const links = items.map(({ value }) => linksOf(type, value))
  for (const kind of ['contacts', 'companies'] as const) {
    const ids = [...new Set(links.flat().flatMap((link) => (link.type === kind ? link.id : [])))]
    if (ids.length === 0) continue
    const there = await tx.rows<{ id: number }>(sql`
      select record.id from ${raw(kind)} record
       where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[]) and not record.is_deleted
         and ${may(actor, kind, 'view')}
       order by record.id for no key update`)
    const known = new Set(there.map(({ id }) => id))
    for (const item of items) {
      for (const [place, { id }] of (item.value._embedded?.[kind] ?? []).entries()) {
        const path = `_embedded.${kind}.${place}.id`
        if (!known.has(id))
          faults.add(item, { code: 'NotSupportedChoice', path, detail: `There is no ${singular[kind]} ${id}.` })
      }
    }
  }
  return links
}

/** The first contact is the main one where none is said to be. A contact that is named twice is linked once. */
function linksOf(type: RecordType, { _embedded }: Sent): NewLink[] {
  const contacts = type === 'contacts' ? [] : (_embedded?.contacts ?? [])
  const main = type === 'leads' ? (contacts.find(({ is_main }) => is_main) ?? contacts[0])?.id : undefined
  const companies = type === 'companies' ? [] : (_embedded?.companies ?? [])
  return [
    ...[...new Set(contacts.map(({ id }) => id))].map((id) => ({ type: 'contacts' as const, id, is_main: id === main })),
    ...companies.map(({ id }) => ({ type: 'companies' as const, id, is_main: false })),
  ]
}

/** Links new records and tells both ends: `<kind>_linked` on each, and the other end is touched. */
export async function linkNew(tx: Tx, actor: Actor, type: RecordType, ids: number[], links: NewLink[][]): Promise<void> {
  const rows = links.flatMap((each, place) => each.map((link) => ({ ...link, from: ids[place]! })))
  if (rows.length === 0) return
  await tx.rows(insertLinks(actor, type, rows))
  const own = ids.flatMap((id, place): Change[] =>
    links[place]!.length === 0
      ? []
      : [{ id, actions: [], before: {}, events: links[place]!.map((link) => linked(link.type, link.id)) }],
  )
  await recordChanged(tx, actor, type, own)
  for (const kind of ['contacts', 'companies'] as const) {
    const others = Map.groupBy(
      rows.filter((row) => row.type === kind),
      ({ id }) => id,
    )
    if (others.size === 0) continue
    const before = await touch(tx, actor, kind, [...others.keys()])
    const told = [...others].map(([id, from]): Change => ({
      id,
      actions: ['update'],
      before: before.get(id)!,
      events: from.map((row) => linked(type, row.from)),
    }))
    await recordChanged(tx, actor, kind, told)
  }
}

function linked(type: RecordType, id: number): Change['events'][number] {
  const kind = singular[type]
  return { type: `${kind}_linked`, value_before: [], value_after: [{ link: { entity: { type: kind, id } } }] }
}

const insertLinks = (actor: Actor, type: RecordType, rows: (NewLink & { from: number })[]) => sql`
  insert into links (account_id, from_type, from_id, to_type, to_id, is_main)
  select ${actor.accountId}::bigint, either.*
    from json_to_recordset(${JSON.stringify(rows)}::json) as link("from" bigint, type text, id bigint, is_main boolean),
         lateral (values (${type}::text, link."from", link.type, link.id, link.is_main),
                         (link.type, link.id, ${type}::text, link."from", link.is_main)) either
  on conflict do nothing`

/** Touches records that are locked; answers of each what the touch has changed, as it was. */
async function touch(tx: Tx, actor: Actor, type: RecordType, ids: number[]): Promise<Map<number, object>> {
  const rows = await tx.rows<{ id: number; updated_at: number; updated_by: number }>(sql`
    update ${raw(type)} record set updated_at = ${actor.at}, updated_by = ${actor.userId}
      from ${raw(type)} old
     where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[])
       and old.account_id = record.account_id and old.id = record.id
    returning old.id, old.updated_at, old.updated_by`)
  return new Map(
    rows.map(({ id, updated_at, updated_by }) => [
      id,
      { ...(updated_at !== actor.at && { updated_at }), ...(updated_by !== actor.userId && { updated_by }) },
    ]),
  )
}
