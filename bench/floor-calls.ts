// The first floor for calls: the statements of features/activity/calls alone.
import sql from 'sql-template-tag'
import { startWriting } from '../server/access/actor.ts'
import type { Actor } from '../server/access/actor.ts'
import { record } from '../server/changes/record.ts'
import type { Database } from '../server/database/connect.ts'
import { recordsOfCalls } from '../server/features/activity/calls/queries.ts'
import { insertNotes, lockParents } from '../server/features/activity/notes/queries.ts'
import type { NewNoteRow, Parent } from '../server/features/activity/notes/queries.ts'
import { lockOrder, refKey } from '../server/records/link-rules.ts'
import type { RecordRef } from '../server/records/link-rules.ts'
import { groupsOfActiveUsers } from '../server/records/people.ts'

interface SentCall {
  phone: string
  duration: number
  source: string
}

/** Adds calls to the records of their phones. Answers the ids of the notes. */
export function addCalls(database: Database, actor: Actor, items: SentCall[]): Promise<number[]> {
  return database.transaction(async (tx) => {
    const numbers = items.map(({ phone }) => phone.slice(-10))
    const find = () => tx.rows<RecordRef & { number: string }>(recordsOfCalls(actor, numbers))
    const found = await find()
    const parents = new Map<string, Parent>()
    for (const type of lockOrder) {
      const ids = found.flatMap((each) => (each.type === type ? each.id : []))
      if (ids.length === 0) continue
      for (const parent of await tx.rows<Parent>(lockParents(actor, type, ids)))
        parents.set(refKey(parent), parent)
    }
    const byNumber = new Map((await find()).map((each) => [each.number, each]))
    await groupsOfActiveUsers(tx, actor, [actor.userId])
    const rows = items.map((params, index): NewNoteRow => {
      const parent = parents.get(refKey(byNumber.get(numbers[index]!)!))!
      return {
        entity_type: parent.type,
        entity_id: parent.id,
        note_type: 'call_in',
        params: { ...params },
        responsible_user_id: parent.responsible_user_id,
        group_id: parent.group_id,
        created_by: actor.userId,
        updated_by: actor.userId,
        created_at: actor.at,
        updated_at: actor.at,
        file_id: null,
        link_by: null,
      }
    })
    const notes = await tx.rows<{ id: number }>(insertNotes(actor, rows))
    await record(
      tx,
      startWriting(tx, actor),
      rows.map(({ entity_type: type, entity_id: id }, index) => ({
        type,
        id,
        actions: ['note'],
        before: null,
        noteId: notes[index]!.id,
        events: [
          {
            type: 'incoming_call',
            value_before: [],
            value_after: [{ note: { id: notes[index]!.id } }],
          },
        ],
      })),
    )
    return notes.map(({ id }) => id)
  })
}

/** The phone of each contact of the bench (scenarios.ts), only where calls find it, and not in what lists show. */
export const manyPhones = (accountId: number, contacts: number, first: number) => sql`
  insert into field_texts (account_id, field_id, entity_type, value, entity_id)
  select ${accountId}::bigint, field.id, 'contacts', (79000000000 + ${first}::bigint + number)::text, ${first}::bigint + number
    from custom_fields field, generate_series(0, ${contacts}::int - 1) number
   where field.account_id = ${accountId}::bigint and field.entity_type = 'contacts' and field.code = 'PHONE'`
