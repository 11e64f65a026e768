// Definitions as the settings show and change them: one member at a time, so that two
// administrators, or a page and a program, do not undo each other's changes.
import type { Static, TUnsafe } from 'typebox'
import { entityTypes } from '../../../../entity-types.ts'
import type { FieldOwner } from '../../../../entity-types.ts'
import { Type } from '../../../../http/type.ts'
import { Id, Nullable } from '../../../../http/types.ts'
import type { FieldType } from '../../../../records/fields/types.ts'

const closed = { additionalProperties: false }

/** Whose fields: those of an entity type, of segments, or of the elements of one catalog. */
const Entity = Type.String({
  pattern: `^(${[...entityTypes, 'segments'].join('|')}|catalogs:[1-9]\\d{0,15})$`,
  description: 'leads, contacts, companies, customers, segments or catalogs:{id of a catalog}',
}) as unknown as TUnsafe<FieldOwner>
export const EntityParams = Type.Object({ entity: Entity })
export const ManagedFieldParams = Type.Object({ entity: Entity, id: Id })
export const ManagedGroupParams = Type.Object({
  entity: Entity,
  id: Type.String({ pattern: String.raw`^\w{1,100}$` }),
})
export const FieldStageParams = Type.Object({
  entity: Entity,
  id: Id,
  list: Type.Union([Type.Literal('required'), Type.Literal('hidden')]),
  pipeline_id: Id,
  status_id: Id,
})
export type FieldStage = Omit<Static<typeof FieldStageParams>, 'entity' | 'id'>

const Stage = Type.Object({ status_id: Id, pipeline_id: Id })

const ManagedEnum = Type.Object({
  id: Id,
  value: Type.String(),
  sort: Type.Integer(),
  code: Nullable(Type.String()),
  color: Nullable(Type.String({ description: 'One of the colors of statuses; null: none' })),
})

const ManagedCategory = Type.Object({
  id: Id,
  parent_id: Nullable(Id),
  value: Type.String(),
  sort: Type.Integer(),
})

export const ManagedField = Type.Object({
  id: Id,
  name: Type.String(),
  type: Type.String() as unknown as TUnsafe<FieldType>,
  code: Nullable(Type.String()),
  sort: Type.Integer(),
  group_id: Nullable(Type.String({ description: 'null: the default group' })),
  is_api_only: Type.Boolean(),
  is_predefined: Type.Boolean(),
  is_deletable: Type.Boolean(),
  remind: Nullable(Type.String()),
  currency: Nullable(Type.String()),
  tracking_callback: Nullable(Type.String()),
  chained_lists: Nullable(
    Type.Array(
      Type.Object({
        title: Type.String(),
        catalog_id: Id,
        parent_catalog_id: Nullable(Id),
      }),
    ),
  ),
  enums: Nullable(Type.Array(ManagedEnum, { description: 'In their order' })),
  nested: Nullable(
    Type.Array(ManagedCategory, { description: 'The tree of categories, parents first' }),
  ),
  search_in: Nullable(Type.String()),
  is_visible: Type.Boolean({ description: 'True for all but some fields of catalogs' }),
  is_required: Type.Boolean({ description: 'Whether a new element needs a value' }),
  required_statuses: Type.Array(Stage),
  hidden_statuses: Type.Array(Stage),
})
export type ManagedField = Static<typeof ManagedField>

export const ManagedFields = Type.Object({
  groups: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      sort: Type.Integer(),
      is_predefined: Type.Boolean(),
    }),
    { description: 'In their order; segments have none' },
  ),
  fields: Type.Array(ManagedField, { description: 'In their order, over all groups' }),
  types: Type.Array(Type.String() as unknown as TUnsafe<FieldType>, {
    description: 'The types that a new field can have',
  }),
})
export type ManagedFields = Static<typeof ManagedFields>

export const FieldUsage = Type.Object({
  fields: Type.Array(
    Type.Object({
      id: Id,
      at_least: Type.Integer({
        minimum: 0,
        description: 'Records with a value, those in the bin included',
      }),
      is_exact: Type.Boolean({ description: 'False where there may be more' }),
    }),
  ),
})
export type FieldUsage = Static<typeof FieldUsage>

export const FieldMove = Type.Object(
  {
    group_id: Nullable(Type.String({ maxLength: 100, description: 'null: the default group' })),
    before: Nullable(
      Type.Integer({ ...Id, description: 'A field of that group; null: to its end' }),
    ),
  },
  closed,
)
export type FieldMove = Static<typeof FieldMove>

export const GroupMove = Type.Object(
  { before: Nullable(Type.String({ maxLength: 100, description: 'A group; null: to the end' })) },
  closed,
)
