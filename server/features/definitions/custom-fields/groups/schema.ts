// Groups of custom fields, the tabs of a card (interface: Field group).
import type { Static } from 'typebox'
import { Type } from '../../../../http/type.ts'
import { readOnly } from '../../../../records/schema.ts'
import { SelfLink } from '../../../../http/hal.ts'
import { Id, Name, Sort } from '../../../../http/types.ts'

const closed = { additionalProperties: false }

export const FieldGroup = Type.Object({
  id: Type.String({
    description:
      'default, statistic, or the entity type and a number, such as leads_1001 or catalogs_1002',
  }),
  name: Type.String(),
  sort: Type.Integer(),
  is_predefined: Type.Boolean(),
  type: Type.Union([Type.Literal('custom_field_group'), Type.Literal('linked_group')]),
  entity_type: Type.String(),
  fields: Type.Array(Id, { description: 'Ids of the fields, sorted by `sort`' }),
  _links: SelfLink,
})
export type FieldGroup = Static<typeof FieldGroup>

const ignored = readOnly('id', 'is_predefined', 'type', 'entity_type', '_links')

export const NewFieldGroup = Type.Object(
  { name: Name(255), sort: Sort, ...ignored, ...readOnly('fields') },
  closed,
)
export type NewFieldGroup = Static<typeof NewFieldGroup>

export const FieldGroupChange = Type.Object(
  {
    name: Type.Optional(Name(255)),
    sort: Type.Optional(Sort),
    fields: Type.Optional(
      Type.Array(Id, {
        maxItems: 1000,
        description: 'These fields move into the group; fields already in it stay',
      }),
    ),
    ...ignored,
  },
  closed,
)
export type FieldGroupChange = Static<typeof FieldGroupChange>

export const FieldGroupParams = Type.Object({ id: Type.String({ pattern: '^\\w{1,100}$' }) })
