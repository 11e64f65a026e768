// Duplicates, and merges of two records into one (docs/decisions/0078-merges.md).
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, Timestamp } from '../../../http/types.ts'

/** The types whose records are merged. */
export const mergedTypes = ['contacts', 'companies'] as const
export type MergedType = (typeof mergedTypes)[number]

const MergedTypeName = Type.Enum([...mergedTypes])

export const DuplicatesParams = Type.Object({ type: MergedTypeName, id: Id })

/** The most duplicates in an answer. */
export const mostDuplicates = 20

const Shared = Type.Object({
  field_code: Type.Enum(['PHONE', 'EMAIL']),
  value: Type.String({ description: 'As the record that was asked about has it' }),
})

const Duplicate = Type.Object({ id: Id, name: Type.String(), shared: Type.Array(Shared) })
export type Duplicate = Static<typeof Duplicate>

export const Duplicates = Type.Object({
  duplicates: Type.Array(Duplicate, {
    description: `Those that share the most come first, ${mostDuplicates} at most`,
  }),
  is_more: Type.Boolean(),
})
export type Duplicates = Static<typeof Duplicates>

/** The most records whose duplicates are counted in one request. */
const mostCountedRecords = 100

export const DuplicateCountsParams = Type.Object({ type: MergedTypeName })
export const DuplicateCountsQuery = Type.Object(
  { ids: CommaList(Id, mostCountedRecords, 1) },
  { additionalProperties: false },
)

export const DuplicateCounts = Type.Object({
  records: Type.Array(
    Type.Object({
      id: Id,
      count: Type.Integer({ minimum: 1, maximum: mostDuplicates }),
      is_more: Type.Boolean({ description: 'There are more than `count`' }),
    }),
    { description: 'Those of the records that have duplicates' },
  ),
})
export type DuplicateCounts = Static<typeof DuplicateCounts>

const Either = Type.Enum(['into', 'from'])

/** The record of a merge whose value the survivor gets. */
export type MergeSide = 'into' | 'from'
/** For a field of several values: those of both records, without doubles. */
export type FieldPick = MergeSide | 'both'

/** As many fields as a type of records may have. */
const mostPicks = 1000

/**
 * A value that is not picked is that of `into`; where it has none, that of `from`. Phones and e-mails that
 * are not picked are those of both.
 */
const Picks = Type.Object(
  {
    name: Type.Optional(Either),
    responsible_user_id: Type.Optional(Either),
    company: Type.Optional(Type.Enum(['into', 'from'], { description: 'Of contacts' })),
    fields: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[1-9][0-9]{0,15}$' }),
        Type.Enum(['into', 'from', 'both']),
        {
          maxProperties: mostPicks,
          description: 'By the id of the custom field; `both` for fields of several values',
        },
      ),
    ),
  },
  { additionalProperties: false },
)
export type Picks = Static<typeof Picks>

const pair = {
  entity_type: MergedTypeName,
  into: Type.Integer({ ...Id, description: 'The record that stays' }),
  from: Type.Integer({ ...Id, description: 'The record that goes to the bin' }),
}

export const NewMerge = Type.Object(
  { ...pair, picks: Type.Optional(Picks) },
  { additionalProperties: false },
)
export type NewMerge = Static<typeof NewMerge>

export const Merge = Type.Object({
  id: Id,
  into: Id,
  from: Id,
  undo_until: Type.Integer({ ...Timestamp, description: 'The merge can be undone until then' }),
})
export type Merge = Static<typeof Merge>

export const MergesQuery = Type.Object(
  { entity_type: MergedTypeName, entity_id: Id },
  { additionalProperties: false },
)
export type MergesQuery = Static<typeof MergesQuery>

const OpenMerge = Type.Object({
  ...Merge.properties,
  into_name: Type.String(),
  from_name: Type.String(),
  created_by: Id,
  created_at: Timestamp,
})
export type OpenMerge = Static<typeof OpenMerge>

/** The latest first. */
export const OpenMerges = Type.Object({ merges: Type.Array(OpenMerge) })

export const PreviewQuery = Type.Object(pair, { additionalProperties: false })
export type PreviewQuery = Static<typeof PreviewQuery>

const Count = Type.Integer({ minimum: 0 })

/** All that would go over to the survivor, and whether the caller may merge the two. */
export const Preview = Type.Object({
  may_merge: Type.Boolean(),
  moves: Type.Object({
    leads: Count,
    customers: Count,
    contacts: Count,
    companies: Count,
    notes: Count,
    tasks: Count,
    chats: Count,
    elements: Count,
  }),
})
export type Preview = Static<typeof Preview>

/** Why a merge cannot be undone: the member `code` of the answer 409. */
export type UndoRefusal =
  | 'AlreadyUndone'
  | 'Expired'
  | 'SurvivorGone'
  | 'RecordGone'
  | 'LaterMerge'
  | 'NoRoom'
