import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { may } from '../../../access/record-rights.ts'
import { mayViewTask } from '../../../access/task-rights.ts'
import { entityTypes, tableOf } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { MentioningText } from './mentions.ts'

export interface MentionedUser {
  id: number
  name: string
}

/** The active users of whom one of the texts has the name behind an @. */
export const usersNamed = ({ accountId }: Actor, texts: string[]): Sql => sql`
  select id, name from users
   where account_id = ${accountId} and is_active and name <> ''
     and exists (select from unnest(${texts}::text[]) text where strpos(text, '@' || name) > 0)`

/** A note or a task, by its id. */
export type WrittenText = Pick<MentioningText, 'of' | 'id'>

/** A text that the actor may view, by its place: its record now, with the name if that may be viewed. */
export interface SeenText {
  place: number
  entity_type: EntityType | null
  entity_id: number | null
  name: string | null
}

/** The texts that the actor may view: notes as their records, tasks by their own rule. */
export function seenTexts(actor: Actor, texts: readonly WrittenText[]): Sql {
  const { accountId } = actor
  const written = (kind: WrittenText['of']) =>
    JSON.stringify(
      texts.map(({ of, id }, index) => ({ place: index, id: of === kind ? id : null })),
    )
  const nameOf = (type: EntityType) => sql`
    when ${type} then (
      select record.name from ${tableOf(type)} record
       where record.account_id = ${accountId} and record.id = its.entity_id and not record.is_deleted and ${may(actor, type, 'view')})`
  const ofRecords = entityTypes.map(
    (type) => sql`
      select note.place, its.entity_type, its.entity_id, record.name
        from json_to_recordset(${written('note')}::json) note(place int, id bigint)
        join notes its on its.account_id = ${accountId} and its.id = note.id
        join ${tableOf(type)} record on record.account_id = ${accountId} and record.id = its.entity_id
       where its.entity_type = ${type} and not record.is_deleted and ${may(actor, type, 'view')}`,
  )
  return sql`
    ${join(ofRecords, ' union all ')}
     union all
    select task.place, its.entity_type, its.entity_id, case its.entity_type ${join(entityTypes.map(nameOf), ' ')} end
      from json_to_recordset(${written('task')}::json) task(place int, id bigint)
      join tasks record on record.account_id = ${accountId} and record.id = task.id
     cross join lateral (select record.entity_type, record.entity_id) its
     where not record.is_deleted and ${mayViewTask(actor)}`
}
