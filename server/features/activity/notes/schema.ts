import type { Static, TSchema } from 'typebox'
import { Type } from '../../../http/type.ts'
import {
  Filter,
  Filters,
  Ids,
  Order,
  pollingHint,
  range,
  several,
  TimeRange,
} from '../../../records/lists/schema.ts'
import { readOnly, ResponsibleUserId, RecordTime, UserId } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { CommaList, Id, Nullable, Text, Timestamp } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'
import { attachmentMembers } from '../files/schema.ts'
import type { Params } from './params.ts'
import { noteTypeFacts, noteTypeNames } from './types.ts'
import type { NoteType } from './types.ts'

const closed = { additionalProperties: false }
const open = { additionalProperties: true }

/** A note in an answer (interface: Note). */
export const Note = Type.Object({
  id: Id,
  entity_id: Type.Integer({ minimum: 1, description: 'Id of the record that the note belongs to' }),
  created_by: UserId,
  updated_by: UserId,
  created_at: RecordTime,
  updated_at: RecordTime,
  responsible_user_id: UserId,
  group_id: Type.Integer({ description: 'Group of the responsible user; 0 is the default group' }),
  note_type: Type.String(),
  params: Type.Object({}, { ...open, description: 'Depends on the note type' }),
  account_id: Id,
  is_pinned: Type.Optional(Type.Boolean({ description: 'with=is_pinned' })),
  _links: SelfLink,
})

/** The file of a note, as the web application shows or plays it. */
export const NoteFile = Type.Object({
  ...attachmentMembers,
  type: Nullable(Type.String({ description: 'The media type of the copy' })),
  state: Nullable(
    Type.Enum(['fetching', 'stored', 'failed'], {
      description: 'The state of the copy; null where Kontor makes none',
    }),
  ),
  _links: SelfLink,
})
export type NoteFile = Static<typeof NoteFile>

const AnyParams = Type.Object({}, open)

const sent = {
  responsible_user_id: Type.Optional(ResponsibleUserId),
  created_by: Type.Optional(UserId),
  updated_by: Type.Optional(UserId),
  created_at: Type.Optional(Timestamp),
  updated_at: Type.Optional(
    Type.Integer({
      ...Timestamp,
      description: 'Accepted but not stored: Kontor sets the time of the last write',
    }),
  ),
  is_need_to_trigger_digital_pipeline: Type.Optional(
    Type.Boolean({ description: 'Accepted but not stored' }),
  ),
  ...readOnly('group_id', 'account_id', 'is_pinned', '_links'),
}

const added = {
  note_type: Type.Enum(noteTypeNames),
  params: AnyParams,
  ...sent,
  ...readOnly('id'),
}
/** A new note that names its record. Its params are checked by its type. */
export const NewNote = Type.Object({ entity_id: Id, ...added }, closed)
/** A note for the record that the path names. */
export const NewNoteOfOne = Type.Object({ ...readOnly('entity_id'), ...added }, closed)
export type NewNote = Omit<Static<typeof NewNote>, 'entity_id' | 'note_type' | 'params'> & {
  entity_id?: unknown
  note_type: NoteType
  params: Params
}

const shapes = new Map(
  noteTypeNames.map((name) => [noteTypeFacts(name).params, namesWith(noteTypeFacts(name).params)]),
)
const TypedParams = Type.Union(
  [...shapes].map(([params, names]) => Type.Object(params.properties, { ...closed, title: names })),
)

/** The same for the OpenAPI document, with the params of each type. */
export const described = ({ properties }: typeof NewNote | typeof NewNoteOfOne) =>
  Type.Object({ ...properties, params: TypedParams }, closed)

function namesWith(params: TSchema): string {
  return noteTypeNames.filter((name) => noteTypeFacts(name).params === params).join(', ')
}

const changed = {
  note_type: Type.Optional(
    Type.String({ maxLength: 255, description: 'Must be the current type of the note' }),
  ),
  params: Type.Optional(
    Type.Object({}, { ...open, description: 'All params of the note, as its type defines them' }),
  ),
  ...sent,
  ...readOnly('entity_id'),
}
export const NoteChange = Type.Object({ id: Id, ...changed }, closed)
export const OneNoteChange = Type.Object({ ...readOnly('id'), ...changed }, closed)
export type NoteChange = Static<typeof NoteChange>

const written = { id: Id, entity_id: Id, _links: SelfLink }
const answer = (item: TSchema) =>
  Type.Object({ _links: SelfLink, _embedded: Type.Object({ notes: Type.Array(item) }) })

/** The answers to creating notes, changing several, and changing one. */
export const AddedNotes = answer(Type.Object({ ...written, request_id: Type.String() }))
export const ChangedNotes = answer(
  Type.Object({ ...written, updated_at: Timestamp, request_id: Type.String() }),
)
export const ChangedNoteAnswer = Type.Object({ ...written, updated_at: Timestamp })

const filters = {
  id: Filter(Ids, several('id', 'id')),
  // Any name is accepted and may match nothing: there are more types than clients may write.
  note_type: Filter(CommaList(Text(64), 100, 1), several('note_type', 'note type')),
  updated_at: Filter(
    TimeRange,
    pollingHint(range('updated_at', 'Unix seconds', 'for later than that')),
  ),
}

/** The parts of a note that `with` asks for. */
export const noteWith = withNames('is_pinned')
export type NoteWanted = ReturnType<typeof noteWith.wanted>

const query = <Filters extends Record<string, TSchema>>(allowed: Filters) =>
  Type.Object(
    {
      ...Paging,
      with: noteWith.parameter,
      filter: Type.Optional(Filters(allowed)),
      order: Type.Optional(Order(['updated_at', 'id'])),
    },
    open,
  )

export const NoteQuery = query({
  ...filters,
  entity_id: Filter(Ids, several('entity_id', 'id')),
})
export const NoteQueryOfOne = query(filters)
export type NoteQuery = Static<typeof NoteQuery>

export const OneNoteQuery = Type.Object({ with: noteWith.parameter }, open)
