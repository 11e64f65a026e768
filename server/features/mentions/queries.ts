import sql, { join } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { may } from '../../access/record-rights.ts'
import { mayViewTask } from '../../access/task-rights.ts'
import { entityTypes, tableOf } from '../../entity-types.ts'
import type { EntityType } from '../../entity-types.ts'
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

/** A text that the actor may view, by its place, and the name of its record, if that may be viewed. */
export interface SeenText {
  place: number
  name: string | null
}

/** The texts that the actor may view: notes as their records, tasks by their own rule. */
export function seenTexts(actor: Actor, texts: MentioningText[]): Sql {
  const { accountId } = actor
  const notes = texts.map(({ of, entity_type, entity_id }, place) => ({
    place,
    type: of === 'note' ? entity_type : null,
    id: entity_id,
  }))
  const tasks = texts.map(({ of, id, entity_type, entity_id }, place) => ({
    place,
    id: of === 'task' ? id : null,
    type: entity_type,
    entity_id,
  }))
  const nameOf = (type: EntityType) => sql`
    when ${type} then (
      select record.name from ${tableOf(type)} record
       where record.account_id = ${accountId} and record.id = task.entity_id and not record.is_deleted and ${may(actor, type, 'view')})`
  const ofRecords = entityTypes.map(
    (type) => sql`
      select note.place, record.name from json_to_recordset(${JSON.stringify(notes)}::json) note(place int, type text, id bigint)
        join ${tableOf(type)} record on record.account_id = ${accountId} and record.id = note.id
       where note.type = ${type} and not record.is_deleted and ${may(actor, type, 'view')}`,
  )
  return sql`
    ${join(ofRecords, ' union all ')}
     union all
    select task.place, case task.type ${join(entityTypes.map(nameOf), ' ')} end
      from json_to_recordset(${JSON.stringify(tasks)}::json) task(place int, id bigint, type text, entity_id bigint)
      join tasks record on record.account_id = ${accountId} and record.id = task.id
     where not record.is_deleted and ${mayViewTask(actor)}`
}
