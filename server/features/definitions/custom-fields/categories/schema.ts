// The tree of a field of the type category, which the settings change category by category.
import type { Static } from 'typebox'
import { Type } from '../../../../http/type.ts'
import { Id, Name, Nullable } from '../../../../http/types.ts'
import { ManagedFieldParams } from '../managed/schema.ts'
import { mostEnums } from '../options/schema.ts'

const closed = { additionalProperties: false }
const Parent = Nullable(
  Type.Integer({ ...Id, description: 'The category above; null: on the first level' }),
)

export const CategoryParams = Type.Object({ ...ManagedFieldParams.properties, category_id: Id })

export const NewCategories = Type.Object(
  {
    values: Type.Array(Name(255), { minItems: 1, maxItems: mostEnums }),
    parent_id: Type.Optional(Parent),
  },
  closed,
)
export type NewCategories = Static<typeof NewCategories>

export const CategoryName = Type.Object({ value: Name(255) }, closed)

export const CategoryMove = Type.Object(
  {
    parent_id: Parent,
    before: Nullable(
      Type.Integer({ ...Id, description: 'A category of that parent; null: behind all of them' }),
    ),
  },
  closed,
)
export type CategoryMove = Static<typeof CategoryMove>
