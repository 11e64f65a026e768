// The rows of new and changed notes: pure functions of the stored and the sent note.
import { isDeepStrictEqual } from 'node:util'
import { checkPeople } from '../../../records/people.ts'
import { ignoresTime } from '../../../records/writing/change.ts'
import { timeOfChange } from '../../../access/actor.ts'
import type { Writer } from '../../../access/actor.ts'
import type { Faults, Item } from '../../../http/batch.ts'
import type { Params, ReadParams } from './params.ts'
import type { NewNoteRow, NoteRow, Parent } from './queries.ts'
import type { NewNote, NoteChange } from './schema.ts'
import { isNoteType } from './types.ts'
import type { NoteType } from './types.ts'

/** Data besides the notes themselves. */
export interface NoteContext {
  faults: Faults
  readParams: ReadParams
  /** The groups of the active users that the batch names, and of the actor. */
  groups: ReadonlyMap<number, number>
}

/**
 * The row of a new note with its defaults, none where its record does not exist; faults go to the
 * item.
 */
export function draftNote(
  writer: Writer,
  context: NoteContext,
  item: Item<NewNote>,
  parent: Parent | undefined,
): NewNoteRow | undefined {
  const { value } = item
  checkPeople(context.groups, context.faults, item, value)
  const params = checkParams(context, item, value.note_type, value.params)
  if (!parent) return undefined
  const named = value.responsible_user_id === 0 ? writer.userId : value.responsible_user_id
  const responsible_user_id = named ?? parent.responsible_user_id
  const created_at = value.created_at ?? writer.at
  return {
    entity_type: parent.type,
    entity_id: parent.id,
    note_type: value.note_type,
    params,
    responsible_user_id,
    group_id: context.groups.get(responsible_user_id) ?? parent.group_id,
    created_by: value.created_by ?? writer.userId,
    updated_by: value.updated_by ?? writer.userId,
    created_at,
    updated_at: timeOfChange(writer, created_at),
    file_id: null,
    link_by: params['link'] === undefined ? null : writer.userId,
  }
}

/**
 * The note after a change; the same object where nothing changes. A sent value that equals the
 * stored one counts as not sent.
 */
export function changeNote(
  writer: Writer,
  context: NoteContext,
  item: Item<NoteChange>,
  row: NoteRow,
): NoteRow {
  const { value } = item
  const sent = withoutStored(writer, value, row)
  checkPeople(context.groups, context.faults, item, sent)
  const params = changedParams(context, item, row)
  if (Object.keys(sent).length === 0 && isDeepStrictEqual(params, row.params)) return row
  const group =
    sent.responsible_user_id === undefined
      ? undefined
      : context.groups.get(sent.responsible_user_id)
  return {
    ...row,
    updated_by: writer.userId,
    ...sent,
    params,
    link_by: params['link'] === row.params['link'] ? row.link_by : writer.userId,
    group_id: group ?? row.group_id,
    updated_at: timeOfChange(writer, sent.created_at ?? row.created_at),
  }
}

const changeable = ['responsible_user_id', 'created_by', 'updated_by', 'created_at'] as const

function withoutStored(
  writer: Writer,
  value: NoteChange,
  row: NoteRow,
): Partial<Pick<NoteRow, (typeof changeable)[number]>> {
  const changed = changeable.filter(
    (key) =>
      value[key] !== undefined &&
      value[key] !== row[key] &&
      !(key === 'responsible_user_id' && value[key] === 0) &&
      !(key === 'updated_by' && ignoresTime(writer, value, row)),
  )
  return Object.fromEntries(changed.map((key) => [key, value[key]!]))
}

/**
 * Params replace the stored ones as a whole. Params of types that only the system writes cannot be
 * replaced.
 */
function changedParams(
  context: NoteContext,
  item: Item<NoteChange>,
  { note_type, params }: NoteRow,
): Params {
  const { value } = item
  const isOther = value.note_type !== undefined && value.note_type !== note_type
  if (!isOther && !value.params) return params
  if (!isOther && isNoteType(note_type))
    return checkParams(context, item, note_type, value.params as Params)
  const detail = `This note is of type ${note_type}, which ${isOther ? 'cannot change' : 'nobody but the system writes'}.`
  context.faults.add(item, { code: 'NotSupportedChoice', path: 'note_type', detail })
  return params
}

function checkParams(
  { faults, readParams }: NoteContext,
  item: Item<unknown>,
  type: NoteType,
  params: Params,
): Params {
  const { value, faults: paramFaults } = readParams(type, params)
  for (const fault of paramFaults) faults.add(item, fault)
  return value
}
