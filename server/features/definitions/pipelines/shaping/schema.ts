import type { Static } from 'typebox'
import { Type } from '../../../../http/type.ts'
import { Id, Name, Nullable } from '../../../../http/types.ts'

const closed = { additionalProperties: false }

export const PipelineCopy = Type.Object({ name: Name(255) }, closed)

export const PipelineId = Type.Object({ id: Id })

/** The members of a stage that the interface does not have. */
export const StageChange = Type.Object(
  {
    stale_after_days: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Days after which an open lead of the stage is marked; null: never',
      }),
    ),
  },
  closed,
)
export type StageChange = Static<typeof StageChange>

export const StageMove = Type.Object(
  {
    before: Nullable(
      Type.Integer({ ...Id, description: 'The ordinary stage that follows then; null: none' }),
    ),
  },
  closed,
)
export type StageMove = Static<typeof StageMove>
