// Notes in the bodies of webhooks (interface: Webhook fields): beside the record that they are on.
import sql from 'sql-template-tag'
import type { JournalRow } from '../../../changes/position.ts'
import { idsAmong, payloadText, payloadFields } from '../../../changes/webhook-form.ts'
import type { Payload, PayloadAccount } from '../../../changes/webhook-form.ts'
import type { Reader } from '../../../database/connect.ts'
import type { RecordType } from '../../../records/description.ts'
import { localTime } from '../../../records/fields/days.ts'
import { elementTypes } from '../../../records/webhook.ts'
import type { Params } from './params.ts'
import type { NoteRow } from './queries.ts'

/** The numbers of note types; types without one of their own count as service messages. */
const numbers: Partial<Record<string, number>> = {
  common: 4,
  attachment: 5,
  call_in: 10,
  call_out: 11,
  task_result: 13,
  sms_in: 102,
  sms_out: 103,
}
const serviceMessage = 25

interface Author {
  id: number
  name: string
  group_id: number
}

type PayloadNote = NoteRow & { entity_type: RecordType; account_id: number }

/** Answers the function that makes the note of a change. */
export async function prepareNotes(
  reader: Reader,
  { id: accountId, timezone }: PayloadAccount,
  changes: readonly JournalRow[],
): Promise<(change: JournalRow) => Payload> {
  const notes = changes.map(({ note }) => note)
  const ids = new Set([...idsAmong(notes, 'created_by'), ...idsAmong(notes, 'responsible_user_id')])
  const rows = ids.size === 0 ? [] : await reader.rows<Author>(authors(accountId, [...ids]))
  const people = new Map(rows.map((row) => [row.id, row]))
  return ({ note }) => {
    if (!note) throw new TypeError('the journal has no note')
    const row = note as PayloadNote
    const author = people.get(row.created_by)
    return {
      ...payloadFields(row, {
        id: 'id',
        element_id: 'entity_id',
        account_id: 'account_id',
        created_by: 'created_by',
        modified_by: 'updated_by',
        main_user_id: 'responsible_user_id',
        created_at: 'created_at',
        updated_at: 'updated_at',
      }),
      note_type: payloadText(numbers[row.note_type] ?? serviceMessage),
      text: payloadText(textOf(row)),
      element_type: payloadText(elementTypes[row.entity_type]),
      group_id: payloadText(people.get(row.responsible_user_id)?.group_id ?? row.group_id),
      attachement: row.note_type === 'attachment' ? payloadText(fileName(row.params)) : '',
      date_create: localTime(timezone, row.created_at),
      timestamp_x: localTime(timezone, row.updated_at),
      metadata: JSON.stringify({
        event_source: { id: row.created_by, author_name: author?.name ?? '', type: 1 },
      }),
    }
  }
}

/** The text of a common note, the name of an attached file, or all params as JSON. */
function textOf({ note_type, params }: PayloadNote): unknown {
  if (note_type === 'common' || note_type === 'task_result') return params.text
  return note_type === 'attachment' ? fileName(params) : JSON.stringify(params)
}

const fileName = ({ file_name }: Params) => file_name

export const authors = (accountId: number, ids: number[]) => sql`
  select id, name, group_id from users where account_id = ${accountId} and id = any(${ids}::bigint[])`
