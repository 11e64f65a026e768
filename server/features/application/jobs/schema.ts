// Changes of many records at once, in the background: a job has progress, can be cancelled, and can
// be undone where each of its changes can.
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Text, Timestamp } from '../../../http/types.ts'

/** The most ids that a request names; a filter may find more, up to `mostRecords`. */
const mostNamed = 1000
export const mostRecords = 100_000
/** A job shows why this many of its records were skipped. */
export const mostFaultsShown = 20
/** Jobs that a list shows. */
export const mostListed = 50

export const bulkKinds = ['move', 'assign', 'tag', 'task', 'delete'] as const
export type BulkKind = (typeof bulkKinds)[number]

const Action = {
  move: Type.Object({
    pipeline_id: Id,
    status_id: Id,
    loss_reason_id: Type.Optional(Nullable(Id)),
  }),
  assign: Type.Object({ responsible_user_id: Id }),
  tag: Type.Object({
    add: Type.Optional(Type.Array(Name(255), { maxItems: 20 })),
    remove: Type.Optional(Type.Array(Id, { maxItems: 20 })),
  }),
  task: Type.Object({
    text: Name(4096),
    task_type_id: Id,
    complete_till: Timestamp,
    responsible_user_id: Type.Optional(
      Nullable(Type.Integer({ ...Id, description: 'null: that of each lead' })),
    ),
  }),
  delete: Type.Object({}),
}

/** Exactly one of these. */
export type BulkAction = {
  [Kind in BulkKind]: { kind: Kind; value: Static<(typeof Action)[Kind]> }
}[BulkKind]

/**
 * Either `ids`, or `filter`. The records are those that the caller may view and that match when the
 * job is begun; a record that is made after the request is not among them.
 */
export const BulkRequest = Type.Object({
  entity_type: Type.Enum(['leads']),
  ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: mostNamed })),
  filter: Type.Optional(
    Type.String({
      ...Text(4000),
      description:
        'The query string of GET /api/v4/leads without `?`, of which `filter` and `query` count',
    }),
  ),
  action: Type.Partial(Type.Object(Action), { minProperties: 1, maxProperties: 1 }),
})
export type BulkRequest = Static<typeof BulkRequest>

const jobStates = ['waiting', 'running', 'done', 'cancelled', 'failed'] as const
export type JobState = (typeof jobStates)[number]

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const Job = Type.Object({
  id: Id,
  kind: Type.Enum([...bulkKinds, 'undo']),
  undoes: Nullable(Type.Integer({ ...Id, description: 'The job that an undo takes back' })),
  state: Type.Enum([...jobStates]),
  is_cancelling: Type.Boolean({ description: 'It ends with the batch that is being changed' }),
  detail: Nullable(Type.String({ description: 'Why the job failed' })),
  total: Nullable(count('null until the records are found')),
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
