// The first floor for notes: the statements of features/activity/notes alone.
import sql from 'sql-template-tag'
import { record } from '../server/changes/record.ts'
import type { Database } from '../server/database/connect.ts'
import { groupsOfActiveUsers } from '../server/records/people.ts'
import { insertNotes, lockParents, noteList } from '../server/features/activity/notes/queries.ts'
import { noteText } from '../server/features/activity/notes/show.ts'
import type { NoteLine } from '../server/features/activity/notes/show.ts'
import { startWriting } from '../server/access/actor.ts'
import type { Actor } from '../server/access/actor.ts'

/** A page of the notes of all leads, as JSON. */
export async function listNotes(
  database: Database,
  actor: Actor,
  base: string,
  query: URLSearchParams,
): Promise<string> {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? 50)]
  const after = ends.get(`${page} ${limit}`)
  const seek = { after, offset: after ? 0 : (page - 1) * limit, limit: limit + 1 }
  const lines = await database.list<NoteLine & { key: number; id: number }>(
    noteList(actor, base, 'leads', {}, seek),
  )
  if (lines.length > limit) lines.pop()
  const { key, id } = lines.at(-1) ?? { key: 0, id: 0 }
  ends.set(`${page + 1} ${limit}`, { key, id })
  return `{"_page":${page},"_links":{},"_embedded":{"notes":[${lines.map(noteText).join(',')}]}}`
}

const ends = new Map<string, { key: number; id: number }>()

interface Sent {
  entity_id: number
  note_type: string
  params: Record<string, unknown>
}

/** Adds notes to leads. Answers their ids. */
export function createNotes(database: Database, actor: Actor, items: Sent[]): Promise<number[]> {
  return database.transaction(async (tx) => {
    await tx.rows(
      lockParents(actor, 'leads', [...new Set(items.map(({ entity_id }) => entity_id))]),
    )
    const groups = await groupsOfActiveUsers(tx, actor, [actor.userId])
    const group_id = groups.get(actor.userId)!
    const times = {
      created_at: actor.at,
      updated_at: actor.at,
      created_by: actor.userId,
      updated_by: actor.userId,
    }
    const rows = items.map((item) => ({
      ...item,
      ...times,
      entity_type: 'leads' as const,
      responsible_user_id: actor.userId,
      group_id,
      file_id: null,
      link_by: null,
    }))
    const ids = (await tx.rows<{ id: number }>(insertNotes(actor, rows))).map(({ id }) => id)
    await record(
      tx,
      startWriting(tx, actor),
      ids.map((noteId, index) => ({
        type: 'leads',
        id: items[index]!.entity_id,
        actions: ['note'],
        before: null,
        noteId,
        events: [
          {
            type: 'common_note_added',
            value_before: [],
            value_after: [{ note: { id: noteId } }],
          },
        ],
      })),
    )
    return ids
  })
}

/** A note for each lead of the bench, written without the verbs. */
export const manyNotes = (accountId: number, userId: number, leads: number, first: number) => sql`
  insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by,
                     created_at, updated_at)
  select ${accountId}::bigint, 'leads', ${first}::bigint + number, 'common', json_build_object('text', 'Called back, number ' || number),
         ${userId}::bigint, 0, ${userId}::bigint, ${userId}::bigint, 1760000000 + number, 1760000000 + number
    from generate_series(0, ${leads}::int - 1) number`
