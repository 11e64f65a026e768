// The choices of a list, which the settings change one by one.
import type { Static, TUnsafe } from 'typebox'
import { Type } from '../../../../http/type.ts'
import { Id, Name, Nullable } from '../../../../http/types.ts'
import { statusColors } from '../../pipelines/statuses/schema.ts'
import { ManagedField, ManagedFieldParams } from '../managed/schema.ts'

const closed = { additionalProperties: false }

/** Choices of one field at most: as many as the interface takes in one list. */
export const mostEnums = 500

export const EnumParams = Type.Object({ ...ManagedFieldParams.properties, enum_id: Id })

export const NewEnums = Type.Object(
  { values: Type.Array(Name(255), { minItems: 1, maxItems: mostEnums }) },
  closed,
)

export const AddedEnums = Type.Object({
  field: ManagedField,
  skipped: Type.Array(Type.String(), {
    description: 'Names that the field had already, or that were sent twice',
  }),
})
export type AddedEnums = Static<typeof AddedEnums>

const Color = Type.Union(
  statusColors.map((color) => Type.Literal(color)),
) as unknown as TUnsafe<string>

export const EnumChange = Type.Object(
  {
    value: Type.Optional(Name(255)),
    code: Type.Optional(Nullable(Name(255))),
    color: Type.Optional(Nullable(Color)),
  },
  closed,
)
export type EnumChange = Static<typeof EnumChange>

export const EnumMove = Type.Object(
  { before: Nullable(Type.Integer({ ...Id, description: 'A choice; null: to the end' })) },
  closed,
)

export const EnumEnd = Type.Object(
  {
    takes_values: Type.Optional(
      Type.Boolean({ description: 'Of a catalog: also where elements have it, and they lose it' }),
    ),
  },
  closed,
)
