// The event log tells of records that were merged into another and came back. The changes of the
// survivor while the merge stood have values of the other: its e-mails, its name, its tags, its links.
// After the undo they are shown to those who may view the other record, and to nobody else
// (docs/decisions/0078-merges.md). All reads of the log ask here.
import sql, { empty, join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { singular, tableOf } from '../entity-types.ts'
import type { EntityType } from '../entity-types.ts'
import type { Actor } from './actor.ts'
import { may, mayAll } from './record-rights.ts'

const mergedTypes = ['contacts', 'companies'] as const
const isMerged = (type: EntityType): type is (typeof mergedTypes)[number] =>
  mergedTypes.some((each) => each === type)

/** The types of events whose values a merge may have taken from the other record. */
const retelling = [
  'name_field_changed',
  'custom_field_value_changed',
  'entity_responsible_changed',
  'entity_tag_added',
  'entity_tag_deleted',
  ...['entity', 'lead', 'contact', 'company', 'customer'].flatMap((of) => [
    `${of}_linked`,
    `${of}_unlinked`,
  ]),
]

/**
 * A condition in SQL on a row named `event` of records of a type, which begins with `and`: it retells
 * no record that the actor may not view. Empty where the actor may view all of them.
 */
export function andRetellsNothing(actor: Actor, type: EntityType): Sql {
  if (!isMerged(type) || mayAll(actor, type, 'view')) return empty
  return sql`and (event.type <> all(${retelling}::text[]) or not exists (
    select from merges undone
     where undone.account_id = event.account_id and undone.entity_type = ${type} and undone.into_id = event.entity_id
       and undone.undone_at is not null and event.id >= undone.events_from and event.id < undone.events_until
       and not exists (select from ${tableOf(type)} record
                        where record.account_id = undone.account_id and record.id = undone.from_id and ${may(actor, type, 'view')})))`
}

/** The same condition on a row of records of any type. */
export function andRetellsNothingOfAny(actor: Actor): Sql {
  const limited = mergedTypes.filter((type) => !mayAll(actor, type, 'view'))
  const each = limited.map(
    (type) =>
      sql`and (event.entity_type <> ${singular[type]} or (true ${andRetellsNothing(actor, type)}))`,
  )
  return each.length > 0 ? join(each, ' ') : empty
}
