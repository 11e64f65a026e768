// Custom field definitions (interface: Custom field). The keys of a definition depend on the entity
// type.
import type { Static, TSchema } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Chain } from '../../../records/fields/chains.ts'
import { fieldTypes, isTypeOf } from '../../../records/fields/types.ts'
import type { FieldType } from '../../../records/fields/types.ts'
import { Filter, Filters, Ids, Order, several } from '../../../records/lists/schema.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { CommaList, Id, LooseText, Name, Nullable, Sort, Text } from '../../../http/types.ts'
import { entityTypes } from '../../../entity-types.ts'
import type { FieldHolder } from '../../../entity-types.ts'

/** The keys that only the fields of some holders have, with those holders. */
const only: Record<string, readonly FieldHolder[]> = {
  is_computed: ['leads'],
  group_id: [...entityTypes, 'catalogs'],
  remind: ['leads', 'contacts', 'companies'],
  required_statuses: entityTypes,
  hidden_statuses: ['leads'],
  chained_lists: ['leads', 'customers'],
  tracking_callback: ['leads'],
  is_visible: ['catalogs'],
  is_required: ['catalogs'],
  catalog_id: ['catalogs'],
  settings: ['catalogs'],
  nested: ['catalogs'],
  search_in: ['catalogs'],
}

/** The keys that definitions for a holder have. */
export function fitting<Value>(
  holder: FieldHolder,
  members: Record<string, Value>,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(members).filter(([key]) => only[key]?.includes(holder) ?? true),
  )
}

const closed = { additionalProperties: false }
const typeNames = Object.keys(fieldTypes) as FieldType[]
/** The most catalogs of a chained list. */
const mostChains = 5
const AnyType = Type.Union(typeNames.map((name) => Type.Literal(name)))
const Status = Type.Object({ status_id: Id, pipeline_id: Id })
const Remind = Type.Union(['never', 'day', 'week', 'month'].map((name) => Type.Literal(name)))

const ShownEnum = Type.Object({
  id: Id,
  value: Type.String(),
  sort: Type.Integer(),
  code: Nullable(Type.String()),
})
const ShownCategory = Type.Object({
  id: Id,
  parent_id: Nullable(Id),
  value: Type.String(),
  sort: Type.Integer(),
})
const ShownChain = Type.Object({
  title: Type.String(),
  catalog_id: Id,
  parent_catalog_id: Nullable(Id),
})

const shown = {
  id: Id,
  name: Type.String(),
  type: AnyType,
  account_id: Id,
  code: Nullable(Type.String()),
  sort: Type.Integer(),
  is_api_only: Type.Boolean({ description: 'Only programs may change values' }),
  enums: Nullable(Type.Array(ShownEnum)),
  group_id: Nullable(
    Type.String({ description: 'Id of a field group; null is the default group' }),
  ),
  required_statuses: Type.Array(Status),
  hidden_statuses: Type.Array(Status),
  is_deletable: Type.Boolean(),
  is_predefined: Type.Boolean(),
  is_computed: Type.Literal(false),
  entity_type: Type.String(),
  tracking_callback: Nullable(Type.String()),
  remind: Nullable(Type.String()),
  triggers: Type.Array(Type.Unknown(), { maxItems: 0 }),
  currency: Nullable(Type.String()),
  chained_lists: Nullable(Type.Array(ShownChain)),
  is_visible: Type.Boolean({ description: 'Whether people see the field' }),
  is_required: Type.Boolean({ description: 'Whether a new element needs a value' }),
  catalog_id: Id,
  settings: Type.Null(),
  nested: Nullable(Type.Array(ShownCategory, { description: 'The tree of categories' })),
  search_in: Nullable(
    Type.String({ description: 'contacts, companies, contacts_and_companies or a catalog id' }),
  ),
  _links: SelfLink,
}

/** A definition as it is read. */
export const CustomField = (holder: FieldHolder) => Type.Object(fitting<TSchema>(holder, shown))

const EnumDraft = Type.Object(
  {
    id: Type.Optional(Nullable(Id)),
    value: Type.Optional(LooseText(255)),
    sort: Type.Optional(Sort),
    code: Type.Optional(Nullable(Name(255))),
  },
  closed,
)
export type EnumDraft = Static<typeof EnumDraft>

const CategoryDraft = Type.Object(
  {
    id: Type.Optional(Nullable(Id)),
    parent_id: Type.Optional(
      Nullable(Type.Integer({ ...Id, description: 'null: on the first level' })),
    ),
    value: Type.Optional(LooseText(255)),
    sort: Type.Optional(Sort),
    request_id: Type.Optional(
      Nullable(
        Type.String({
          ...LooseText(255),
          description: 'A name by which new categories find their parent',
        }),
      ),
    ),
    parent_request_id: Type.Optional(
      Nullable(
        Type.String({
          ...LooseText(255),
          description: 'The request_id of a parent in the same list',
        }),
      ),
    ),
  },
  closed,
)
export type CategoryDraft = Static<typeof CategoryDraft>

const chain = { title: Text(255), parent_catalog_id: Type.Optional(Nullable(Id)) }
const ChainDraft = Type.Object({ ...chain, catalog_id: Id }, closed)
const KeyedChainDraft = Type.Object({ ...chain, catalog_id: Type.Optional(Id) }, closed)
const Statuses = Type.Optional(
  Nullable(Type.Array(Type.Object(Status.properties, closed), { maxItems: 100 })),
)

const sent = {
  name: Type.Optional(Name(255)),
  type: Type.Optional(AnyType),
  code: Type.Optional(
    Nullable(Type.String({ ...Name(255), description: 'Unique within the entity type' })),
  ),
  sort: Type.Optional(Sort),
  is_api_only: Type.Optional(Type.Boolean()),
  is_visible: Type.Optional(Type.Boolean()),
  is_required: Type.Optional(Type.Boolean()),
  group_id: Type.Optional(Nullable(Text(100))),
  enums: Type.Optional(
    Nullable(
      Type.Array(EnumDraft, {
        maxItems: 500,
        description:
          'The complete list: an entry with an id stays, one without is new, and missing entries are deleted',
      }),
    ),
  ),
  nested: Type.Optional(
    Nullable(
      Type.Array(CategoryDraft, {
        maxItems: 500,
        description:
          'The complete tree as a list: an entry with an id stays, one without is new, and missing entries are deleted',
      }),
    ),
  ),
  search_in: Type.Optional(
    Nullable(
      Type.String({
        ...LooseText(30),
        description: 'contacts, companies, contacts_and_companies or a catalog id',
      }),
    ),
  ),
  required_statuses: Statuses,
  hidden_statuses: Statuses,
  remind: Type.Optional(Nullable(Remind)),
  currency: Type.Optional(
    Nullable(Type.String({ pattern: '^[A-Za-z]{3}$', description: 'ISO 4217 currency code' })),
  ),
  chained_lists: Type.Optional(
    Chain(
      Type.Array(ChainDraft, { minItems: 1, maxItems: mostChains }),
      KeyedChainDraft,
      mostChains,
      ', which is read with parents first',
    ),
  ),
  tracking_callback: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 255,
        pattern: '^[A-Za-z_$][\\w$.]*$',
        description: 'Name of a JavaScript function',
      }),
    ),
  ),
}

const AnyDraft = Type.Object({ ...sent, id: Type.Optional(Id) })
export type FieldDraft = Static<typeof AnyDraft>
export type FieldChange = FieldDraft & { id: number }

const ignored = readOnly(
  'account_id',
  'entity_type',
  'is_predefined',
  'is_deletable',
  'is_computed',
  'triggers',
  'catalog_id',
  'settings',
  '_links',
)

/** A new definition. Field types that the entity type cannot have are refused. */
export function NewField(holder: FieldHolder) {
  const types = Type.Union(
    typeNames.filter((name) => isTypeOf(name, holder)).map((name) => Type.Literal(name)),
  )
  const needed = { name: Name(255), type: types }
  return Type.Object(
    fitting<TSchema>(holder, { ...sent, ...ignored, ...readOnly('id'), ...needed }),
    closed,
  )
}

export const FieldChangeOf = (holder: FieldHolder) =>
  Type.Object(fitting<TSchema>(holder, { ...sent, ...ignored, id: Id }), closed)

export const FieldQuery = Type.Object(
  {
    ...Paging,
    filter: Type.Optional(
      Filters({
        type: Filter(CommaList(AnyType, 50, 1), several('type', 'field type')),
        id: Filter(Ids, several('id', 'id')),
      }),
    ),
    order: Type.Optional(Order(['sort', 'id'])),
  },
  { additionalProperties: true },
)
export type FieldQuery = Static<typeof FieldQuery>
