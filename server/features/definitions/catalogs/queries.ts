import sql, { empty, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { mayViewCatalog, mayViewElements } from '../../../access/catalog-rights.ts'
import { comesAfter, orderedBy } from '../../../records/lists/schema.ts'
import { selfLink } from '../../../http/self-link.ts'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { FirstField } from './first-fields.ts'
import type { Catalog, CatalogQuery } from './schema.ts'

/** The columns that verbs write, with their types. */
const columns = {
  name: 'text',
  type: 'text',
  sort: 'int',
  can_add_elements: 'boolean',
  can_show_in_cards: 'boolean',
  can_link_multiple: 'boolean',
}
const names = Object.keys(columns)
const typed = raw(
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', '),
)

export type CatalogRow = Pick<Catalog, keyof typeof columns>

/** The public columns of a row named `catalog`. */
const shape = (base: string) => sql`
  catalog.id, catalog.name, catalog.created_by, catalog.updated_by, catalog.created_at, catalog.updated_at,
  catalog.sort, catalog.type, catalog.can_add_elements, catalog.can_show_in_cards, catalog.can_link_multiple,
  catalog.type <> 'products' as can_be_deleted, null as sdk_widget_code, catalog.account_id,
  ${selfLink(sql`${`${base}/api/v4/catalogs/`}::text || catalog.id`)} as _links`

const ordering = { column: 'sort', direction: 'asc' } as const

/** A page of the catalogs that the actor may view. */
export function catalogList(
  actor: Actor,
  base: string,
  { type }: CatalogQuery,
  { after, offset, limit }: PagePosition,
): Sql {
  return sql`
    select row_to_json(shown)::text as json, catalog.sort as key, catalog.id
      from catalogs catalog, lateral (select ${shape(base)}) shown
     where catalog.account_id = ${actor.accountId} and ${mayViewCatalog(actor, sql`catalog.id`)}
       ${type ? sql`and catalog.type = ${type}` : empty} ${comesAfter(ordering, after, 'catalog')}
     ${orderedBy(ordering, 'catalog')} limit ${limit} offset ${offset}`
}

/** One catalog; its text is null where the actor may not view it. */
export const oneCatalog = (actor: Actor, base: string, id: number) => sql`
  select case when ${mayViewCatalog(actor, sql`catalog.id`)} then row_to_json(shown)::text end as json
    from catalogs catalog, lateral (select ${shape(base)}) shown
   where catalog.account_id = ${actor.accountId} and catalog.id = ${id}`

/** Whether the actor may view an existing catalog. */
export const viewedCatalog = (actor: Actor, id: number) => sql`
  select ${mayViewCatalog(actor, sql`catalog.id`)} as allowed from catalogs catalog
   where catalog.account_id = ${actor.accountId} and catalog.id = ${id}`

/** The catalogs whose elements the actor may view. */
export const catalogsWithOpenElements = (actor: Actor) => sql`
  select catalog.id from catalogs catalog
   where catalog.account_id = ${actor.accountId} and ${mayViewElements(actor, sql`catalog.id`)}`

/** The catalogs that the actor may view. */
export const catalogsInView = (actor: Actor) => sql`
  select catalog.id from catalogs catalog
   where catalog.account_id = ${actor.accountId} and ${mayViewCatalog(actor, sql`catalog.id`)}`

/** Catalogs that a verb of an administrator has written. */
export const writtenCatalogs = (actor: Actor, base: string, ids: number[]) => sql`
  select ${shape(base)} from catalogs catalog
   where catalog.account_id = ${actor.accountId} and catalog.id = any(${ids}::bigint[])`

/** The state that new and changed catalogs are checked against: ten rows at most. */
export const knownCatalogs = (actor: Actor) => sql`
  select id, ${raw(names.join(', '))} from catalogs where account_id = ${actor.accountId}`

/** Answers the ids in the order of the rows. */
export const insertCatalogs = (actor: Actor, rows: CatalogRow[]) => sql`
  insert into catalogs (account_id, ${raw(names.join(', '))}, created_by, updated_by, created_at, updated_at)
  select ${actor.accountId}::bigint, ${raw(names.join(', '))}, ${actor.userId}::bigint, ${actor.userId}::bigint,
         ${actor.at}::bigint, ${actor.at}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(${typed})
  returning id`

export const updateCatalogs = (actor: Actor, rows: (CatalogRow & { id: number })[]) => sql`
  update catalogs catalog
     set ${raw(names.map((name) => `${name} = draft.${name}`).join(', '))},
         updated_by = ${actor.userId}, updated_at = greatest(${actor.at}::bigint, catalog.created_at)
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(id bigint, ${typed})
   where catalog.account_id = ${actor.accountId} and catalog.id = draft.id`

/** The catalog of products, of which an account has one at most. */
export const productsCatalog = (actor: Actor) => sql`
  select id, is_enabled from catalogs where account_id = ${actor.accountId} and type = 'products'`

export const enableProducts = (actor: Actor, isEnabled: boolean) => sql`
  update catalogs set is_enabled = ${isEnabled} where account_id = ${actor.accountId} and type = 'products'`

export const priceFieldsOfProducts = (actor: Actor) => sql`
  select field.id from catalogs catalog
    join custom_fields field on field.account_id = catalog.account_id and field.entity_type = 'catalogs:' || catalog.id
                            and field.type = 'price'
   where catalog.account_id = ${actor.accountId} and catalog.type = 'products'`

/** Gives new catalogs the group that fields without a group are shown in. */
export const insertFirstGroups = (actor: Actor, ids: number[]) => sql`
  insert into custom_field_groups (account_id, entity_type, id, name, sort, is_predefined)
  select ${actor.accountId}::bigint, 'catalogs:' || id, 'default', 'General', 1, true
    from unnest(${ids}::bigint[]) as catalog(id)`

/** Adds predefined fields. The choices of a list are named by their codes, in their order. */
export const insertFirstFields = (actor: Actor, fields: FirstField[]) => sql`
  insert into custom_fields (account_id, entity_type, name, type, code, sort, is_visible, is_required,
                             is_predefined, is_deletable, nested, enums)
  select ${actor.accountId}::bigint, owner, name, type, code, sort, is_visible, is_required, true, false,
         case when type = 'category' then '[]'::jsonb end,
         (select jsonb_agg(jsonb_build_object('id', nextval('custom_field_enums_id'), 'value', choice.value,
                                              'sort', choice.sort, 'code', choice.code) order by choice.sort)
            from json_to_recordset(field.choices) as choice(code text, value text, sort int))
    from json_to_recordset(${JSON.stringify(fields)}::json)
      as field(owner text, name text, type text, code text, sort int, is_visible boolean, is_required boolean, choices json)`
