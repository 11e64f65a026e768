// Changes of many records at once, in the background: a job has progress, can be cancelled, and can
// be undone where each of its changes can.
import type { Static } from 'typebox'
import { Type } from '../../http/type.ts'
import { Id, Name, Nullable, Timestamp } from '../../http/types.ts'

/** The most ids that a request names; a filter may find more, up to `mostRecords`. */
export const mostNamed = 1000
export const mostRecords = 100_000

/** Exactly one action. */
export const BulkAction = Type.Union([
  Type.Object({
    move: Type.Object({
      pipeline_id: Id,
      status_id: Id,
      loss_reason_id: Type.Optional(Nullable(Id)),
    }),
  }),
  Type.Object({ assign: Type.Object({ responsible_user_id: Id }) }),
  Type.Object({
    tag: Type.Object({
      add: Type.Optional(Type.Array(Name(255), { maxItems: 20 })),
      remove: Type.Optional(Type.Array(Id, { maxItems: 20 })),
    }),
  }),
  Type.Object({
    task: Type.Object({
      text: Type.String({ maxLength: 4096 }),
      task_type_id: Id,
      complete_till: Timestamp,
      responsible_user_id: Type.Optional(
        Nullable(Type.Integer({ minimum: 1, description: 'null: that of each lead' })),
      ),
    }),
  }),
  Type.Object({ delete: Type.Object({}) }),
])
export type BulkAction = Static<typeof BulkAction>

/**
 * `POST /web/v1/bulk` answers 202 with the job. Either `ids`, or `filter`: the query string of
 * `GET /api/v4/leads` with `pipeline_id` and `filter[…]`, without `?`. `expected` is the number that
 * the user was shown, for the progress until the records are found.
 */
export const BulkRequest = Type.Object(
  {
    entity_type: Type.Enum(['leads']),
    ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: mostNamed })),
    filter: Type.Optional(Type.String({ maxLength: 4000 })),
    action: BulkAction,
  },
  { additionalProperties: false },
)

export const jobStates = ['waiting', 'running', 'done', 'cancelled', 'failed'] as const

/** `GET /web/v1/jobs/:id`, `GET /web/v1/jobs` (own, latest first); `POST …/cancel`, `POST …/undo`. */
export const Job = Type.Object({
  id: Id,
  kind: Type.String({ description: '`move`, `assign`, `tag`, `task`, `delete`, `undo`' }),
  state: Type.Enum([...jobStates]),
  total: Nullable(Type.Integer({ description: 'null until the records are found' })),
  done: Type.Integer({ description: 'Records changed, or found to be so already' }),
  skipped: Type.Integer({ description: 'Records that the user may not change, or that are gone' }),
  faults: Type.Array(Type.Object({ id: Id, detail: Type.String() }), {
    description: 'Why records were skipped; the first 20',
  }),
  may_undo: Type.Boolean(),
  undone_by: Nullable(Type.Integer({ minimum: 1, description: 'The job that undoes it' })),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
})
export type Job = Static<typeof Job>
