// Changes of many records at once, in the background: a job has progress, can be cancelled, and can
// be undone where each of its changes can.
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Text, Timestamp } from '../../../http/types.ts'
import { SentValues } from '../../../records/fields/schema.ts'
import { LeadPrice } from '../../records/leads/schema.ts'
import { rowTypes } from '../rows/schema.ts'
import type { RowType } from '../rows/schema.ts'

/** The records that jobs change: those that have a list. */
export const jobTypes = rowTypes
export type JobType = RowType
/** The records of a job: a merge of task types changes tasks, which no request names. */
export type JobEntity = JobType | 'tasks'

/** The most ids that a request names; a filter may find more, up to the setting JOB_RECORDS. */
const mostNamed = 1000
/** A job shows why this many of its records were skipped. */
export const mostFaultsShown = 20
/** Jobs that a list shows. */
export const mostListed = 50

export const bulkKinds = [
  'move',
  'assign',
  'tag',
  'field',
  'task',
  'delete',
  'restore',
  'purge',
] as const
export type BulkKind = (typeof bulkKinds)[number]

/** Jobs that move the records of a definition elsewhere and then delete it. */
export const definitionKinds = [
  'delete_status',
  'merge_loss_reason',
  'merge_option',
  'delete_option',
  'merge_task_type',
  'merge_tag',
  'delete_tag',
] as const
export type DefinitionKind = (typeof definitionKinds)[number]

const Action = {
  move: Type.Object(
    {
      pipeline_id: Id,
      status_id: Id,
      loss_reason_id: Type.Optional(Nullable(Id)),
    },
    { description: 'Of leads only' },
  ),
  assign: Type.Object({ responsible_user_id: Id }),
  tag: Type.Object({
    add: Type.Optional(Type.Array(Name(255), { maxItems: 20 })),
    remove: Type.Optional(Type.Array(Id, { maxItems: 20 })),
  }),
  field: Type.Object(
    {
      price: Type.Optional({ ...LeadPrice, description: 'Of leads only' }),
      custom_fields_values: Type.Optional(SentValues),
    },
    { minProperties: 1 },
  ),
  task: Type.Object({
    text: Name(4096),
    task_type_id: Id,
    complete_till: Timestamp,
    responsible_user_id: Type.Optional(
      Nullable(Type.Integer({ ...Id, description: 'null: that of each record' })),
    ),
  }),
  delete: Type.Object({}),
  restore: Type.Object({}, { description: 'Of records in the bin' }),
  purge: Type.Object(
    {},
    {
      description: 'Of records in the bin, for good. Administrators only; no undo brings them back',
    },
  ),
}

/** Exactly one of these. */
export type BulkAction = {
  [Kind in BulkKind]: { kind: Kind; value: Static<(typeof Action)[Kind]> }
}[BulkKind]

/** Gives tasks of one type another. */
export interface Retyping {
  kind: 'retype'
  value: { from: number; into: number }
}

/** What jobs do with a record. A merge of loss reasons leaves leads in their stages. */
export type JobAction =
  | BulkAction
  | { kind: 'move'; value: { loss_reason_id: number } }
  | { kind: 'field'; value: ReplacedOption }
  | { kind: 'tag'; value: ReplacedTag }
  | Retyping

/** A choice of a field that records lose; they get the other one, or none for null. */
export interface ReplacedOption {
  field_id: number
  enum_id: number
  into_id: number | null
}

/** A tag that records lose; they get the other one, or none for null. */
export interface ReplacedTag {
  tag_id: number
  into_id: number | null
}

/**
 * Either `ids`, or `filter`. The records are those that the caller may view and that match when the
 * job is begun; a record that is made after the request is not among them.
 */
export const BulkRequest = Type.Object({
  entity_type: Type.Enum([...rowTypes]),
  ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: mostNamed })),
  filter: Type.Optional(
    Type.String({
      ...Text(4000),
      description:
        'The query string of the list of the interface without `?`, such as that of GET /api/v4/leads. `filter` and `query` count, and for `restore` and `purge` with=only_deleted is needed',
    }),
  ),
  except: Type.Optional(
    Type.Array(Id, {
      maxItems: mostNamed,
      description: 'Records that the filter finds and that stay as they are',
    }),
  ),
  action: Type.Partial(Type.Object(Action), { minProperties: 1, maxProperties: 1 }),
})
export type BulkRequest = Static<typeof BulkRequest>

/** Exactly one of these. */
export const DefinitionRequest = Type.Partial(
  Type.Object({
    delete_status: Type.Object(
      {
        pipeline_id: Id,
        status_id: Id,
        move_to: Type.Integer({ ...Id, description: 'The stage of the pipeline that leads go to' }),
      },
      { description: 'A stage of a pipeline; its undo brings it back under the same id' },
    ),
    merge_loss_reason: Type.Object(
      {
        loss_reason_id: Id,
        into: Type.Integer({ ...Id, description: 'The reason that its leads get' }),
      },
      { description: 'A loss reason; its undo brings it back under the same id' },
    ),
    merge_option: Type.Object(
      {
        field_id: Id,
        enum_id: Id,
        into: Type.Integer({ ...Id, description: 'The choice that its records get' }),
      },
      { description: 'A choice of a custom field; its undo brings it back under the same id' },
    ),
    delete_option: Type.Object(
      { field_id: Id, enum_id: Id },
      { description: 'The same; its records lose the choice and get no other' },
    ),
    merge_task_type: Type.Object(
      {
        task_type_id: Id,
        into: Type.Integer({ ...Id, description: 'The type that its tasks get' }),
      },
      { description: 'A task type of the account; its undo brings it back under the same id' },
    ),
    merge_tag: Type.Object(
      {
        tag_id: Id,
        into: Type.Integer({
          ...Id,
          description: 'The tag of the same entity type that its records get',
        }),
      },
      { description: 'A tag; its undo brings it back under the same id' },
    ),
    delete_tag: Type.Object(
      { tag_id: Id },
      { description: 'The same; its records lose the tag and get no other' },
    ),
  }),
  { minProperties: 1, maxProperties: 1, additionalProperties: false },
)
export type DefinitionRequest = Static<typeof DefinitionRequest>

const jobStates = ['waiting', 'running', 'done', 'cancelled', 'failed'] as const
export type JobState = (typeof jobStates)[number]

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const Job = Type.Object({
  id: Id,
  kind: Type.Enum([...bulkKinds, ...definitionKinds, 'undo']),
  entity_type: Type.Enum([...jobTypes, 'tasks']),
  definition: Nullable(
    Type.Object(
      {
        kind: Type.Enum([...definitionKinds]),
        name: Type.String(),
        into: Type.String({ description: 'The name of what takes its place; empty: nothing does' }),
      },
      { description: 'What the job deletes at its end, and an undo brings back' },
    ),
  ),
  undoes: Nullable(Type.Integer({ ...Id, description: 'The job that an undo takes back' })),
  state: Type.Enum([...jobStates]),
  is_cancelling: Type.Boolean({ description: 'It ends with the batch that is being changed' }),
  detail: Nullable(Type.String({ description: 'Why the job failed' })),
  total: Nullable(
    count('null until the records are found; of a deletion of a definition, until its end'),
  ),
  done: count('Records changed, or found to be so already'),
  skipped: count('Records that the user may not change, that are gone, or that were refused'),
  faults: Type.Array(Type.Object({ id: Id, detail: Type.String() }), {
    description: `Why records were skipped; the first ${mostFaultsShown}`,
  }),
  may_undo: Type.Boolean({ description: 'Within 24 hours after the end' }),
  undone_by: Nullable(Type.Integer({ ...Id, description: 'The last job that undoes it' })),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
})
export type Job = Static<typeof Job>

/** Those of the caller, the latest first. */
export const Jobs = Type.Object({ jobs: Type.Array(Job, { maxItems: mostListed }) })
