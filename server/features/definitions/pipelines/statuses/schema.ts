import type { Static } from 'typebox'
import { Type } from '../../../../http/type.ts'
import { readOnly, UserId } from '../../../../records/schema.ts'
import { SelfLink } from '../../../../http/hal.ts'
import type { Fault } from '../../../../http/problem.ts'
import { Id, Name, Nullable, Sort } from '../../../../http/types.ts'
import { withNames } from '../../../../http/with.ts'

const closed = { additionalProperties: false }

/** Every pipeline has these two statuses, under the same ids. */
export const won = 142
export const lost = 143

export function isClosed(status_id: number): boolean {
  return status_id === won || status_id === lost
}

/** Neither the status of unsorted leads nor won or lost. */
export function isOrdinary({ id, type }: { id: number; type: number }): boolean {
  return type === 0 && !isClosed(id)
}

/** The colors of ordinary statuses (interface: Status palette); system statuses have others. */
export const statusColors =
  '#fffeb2 #fffd7f #fff000 #ffeab2 #ffdc7f #ffce5a #ffdbdb #ffc8c8 #ff8f92 #d6eaff #c1e0ff #98cbff #ebffb1 #deff81 #87f2c0 #f9deff #f3beff #ccc8f9 #eb93ff #f2f3f4 #e6e8ea'.split(
    ' ',
  )

/** The color as the palette writes it; the first one where none is sent. */
export function paletteColor(color = statusColors[0]!): string {
  return color.toLowerCase()
}

export function colorFaults(color: string | undefined, path = 'color'): Fault[] {
  if (color === undefined || statusColors.includes(color.toLowerCase())) return []
  return [
    {
      code: 'NotSupportedChoice',
      path,
      detail: `The value you selected is not a valid choice. Colors: ${statusColors.join(', ')}`,
    },
  ]
}

const Level = Type.Union([
  Type.Literal('newbie'),
  Type.Literal('candidate'),
  Type.Literal('master'),
])
export type Level = Static<typeof Level>

const DateText = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, in UTC' })

/** Tells salespeople of a rank what a status means (interface: Status). */
const Description = Type.Object({
  id: Id,
  account_id: Id,
  created_at: DateText,
  updated_at: DateText,
  created_by: UserId,
  updated_by: UserId,
  pipeline_id: Id,
  status_id: Id,
  level: Level,
  description: Type.String(),
})

/** A status as it is read (interface: Status). */
export const Status = Type.Object({
  id: Id,
  name: Type.String(),
  sort: Type.Integer(),
  is_editable: Type.Boolean({
    description: 'False for the unsorted, won and lost statuses: only their names can be changed',
  }),
  pipeline_id: Id,
  color: Type.String(),
  type: Type.Integer({ description: '1: the status of unsorted leads; 0: any other status' }),
  account_id: Id,
  descriptions: Type.Optional(
    Type.Array(Description, { description: 'Shown with=descriptions and in answers to writes' }),
  ),
  _links: SelfLink,
})
export type Status = Static<typeof Status>

const SentDescription = Type.Object(
  {
    id: Type.Optional(Nullable(Id)),
    level: Level,
    description: Type.Optional(Nullable(Name(1000))),
    ...readOnly(
      'account_id',
      'created_at',
      'updated_at',
      'created_by',
      'updated_by',
      'pipeline_id',
      'status_id',
    ),
  },
  closed,
)
export type SentDescription = Static<typeof SentDescription>

const look = {
  color: Type.Optional(
    Type.String({ description: `One of ${statusColors.join(', ')}, in any case` }),
  ),
  descriptions: Type.Optional(
    Type.Array(SentDescription, {
      maxItems: 3,
      description:
        'One per level. In a change, an element with an id and no description deletes that description',
    }),
  ),
}
const shownOfStatus = ['is_editable', 'pipeline_id', 'account_id', '_links']

export const NewStatus = Type.Object(
  { name: Name(255), sort: Sort, ...look, ...readOnly('id', 'type', ...shownOfStatus) },
  closed,
)
export type NewStatus = Static<typeof NewStatus>

export const StatusChange = Type.Object(
  {
    name: Type.Optional(Name(255)),
    sort: Type.Optional(Sort),
    ...look,
    ...readOnly('id', 'type', ...shownOfStatus),
  },
  closed,
)
export type StatusChange = Static<typeof StatusChange>

/**
 * A status of a new pipeline. The statuses that every pipeline has are only named: won and lost by
 * their ids, the unsorted one by its type.
 */
export const EmbeddedStatus = Type.Object(
  {
    id: Type.Optional(Type.Integer({ description: '142: won; 143: lost; other ids are ignored' })),
    type: Type.Optional(Type.Integer({ description: '1: the status of unsorted leads' })),
    name: Name(255),
    sort: Type.Optional(Sort),
    ...look,
    ...readOnly(...shownOfStatus),
  },
  closed,
)
export type EmbeddedStatus = Static<typeof EmbeddedStatus>

/** The parts of a status that `with` asks for. */
export const statusWith = withNames('descriptions')

export const StatusesParams = Type.Object({ pipeline_id: Id })
export const StatusParams = Type.Object({ pipeline_id: Id, id: Id })

/** Closed, because a misspelt key would send the leads to another status. */
export const DeletionQuery = Type.Object(
  {
    move_to: Type.Optional(
      Type.Integer({
        ...Id,
        description: 'Status of the same pipeline that the leads move to',
      }),
    ),
  },
  closed,
)
