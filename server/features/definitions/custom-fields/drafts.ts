// Applies drafts and changes to definitions and collects their faults. The functions are pure: the
// state they need is read before, once per batch.
import { isDeepStrictEqual } from 'node:util'
import { partsOfChain } from '../../../records/fields/chains.ts'
import type { Complain } from '../../../records/fields/scalars.ts'
import { addressParts } from '../../../records/fields/types.ts'
import type { FieldType } from '../../../records/fields/types.ts'
import type { Faults, Item } from '../../../http/batch.ts'
import type { PipelineStatus } from '../../../access/rights.ts'
import { faultAt } from '../../../http/problem.ts'
import type { Fault, Said } from '../../../http/problem.ts'
import { currencyCodes } from '../currencies/currencies.ts'
import { workOutEnums, workOutTree } from './enums.ts'
import type { FieldRow } from './queries.ts'
import type { FieldDraft } from './schema.ts'

export interface FieldContext {
  groups: ReadonlySet<string>
  /** The catalogs that the actor may view; none where no definition names one. */
  catalogs: ReadonlySet<number>
  hasStatus(place: PipelineStatus): boolean
}

/** The keys that only some field types have. These types require the key unless it is optional. */
const typesOf: Partial<Record<keyof FieldRow, { types: readonly FieldType[]; isOptional?: true }>> =
  {
    enums: { types: ['select', 'multiselect', 'radiobutton'] },
    nested: { types: ['category'], isOptional: true },
    search_in: { types: ['linked_entity'] },
    currency: { types: ['monetary'] },
    chained_lists: { types: ['chained_list'] },
    remind: { types: ['birthday'], isOptional: true },
    tracking_callback: { types: ['tracking_data'], isOptional: true },
  }

/** The keys that may be changed in a predefined field. */
const changeable = new Set<keyof FieldRow>([
  'name',
  'sort',
  'group_id',
  'is_visible',
  'nested',
  'required_statuses',
  'hidden_statuses',
])

/** A new definition; `sort` is its position if the draft has none. */
export function draftField(
  around: FieldContext,
  item: Item<FieldDraft>,
  sort: number,
  faults: Faults,
): FieldRow {
  const { name, type } = item.value
  const before: FieldRow = {
    id: 0,
    name: name!,
    type: type!,
    code: null,
    sort,
    group_id: null,
    remind: null,
    currency: null,
    is_api_only: false,
    is_visible: true,
    is_required: false,
    is_predefined: false,
    is_deletable: true,
    tracking_callback: null,
    chained_lists: null,
    enums: type === 'smart_address' ? addressParts : null,
    nested: type === 'category' ? [] : null,
    search_in: null,
    required_statuses: [],
    hidden_statuses: [],
  }
  for (const [key, { types, isOptional }] of Object.entries(typesOf)) {
    const sent = item.value[key as keyof FieldDraft]
    if (isOptional || !types.includes(type!) || (sent !== undefined && sent !== null)) continue
    const detail = `A field of the type ${type} needs this.`
    faults.add(item, { code: sent === null ? 'NotNullable' : 'FieldMissing', path: key, detail })
  }
  return changeField(around, item, before, faults)
}

/**
 * A definition after a change. An unchanged value counts as not sent, so that a definition can be
 * sent back as it was read.
 */
export function changeField(
  around: FieldContext,
  item: Item<FieldDraft>,
  before: FieldRow,
  faults: Faults,
): FieldRow {
  const after = { ...before, ...written(around, item, before, faults) }
  const fault = (path: string, ...said: Said) => faults.add(item, faultAt(path, ...said))
  const changed = (Object.keys(after) as (keyof FieldRow)[]).filter(
    (key) => !isDeepStrictEqual(after[key], before[key]),
  )
  for (const key of changed) {
    const { types, isOptional } = typesOf[key] ?? {}
    if (key === 'type')
      fault(key, 'NotSupportedChoice', `The type of a field stays what it is: ${before.type}.`)
    else if (before.is_predefined && !changeable.has(key))
      fault(key, 'NotSupportedChoice', 'This cannot be changed in a predefined field.')
    else if (types && !types.includes(before.type))
      fault(key, 'FieldNotExpected', `A field of the type ${before.type} has none.`)
    else if (types && !isOptional && after[key] === null)
      fault(key, 'NotNullable', 'This value should not be null.')
  }
  if (changed.includes('enums') && after.enums?.length === 0)
    fault('enums', 'TooFew', 'This collection should contain 1 element or more.', 1)
  if (changed.includes('group_id') && after.group_id !== null && !around.groups.has(after.group_id))
    fault('group_id', 'NotSupportedChoice', `There is no group ${after.group_id}.`)
  if (changed.includes('currency') && after.currency !== null && !currencies.has(after.currency))
    fault('currency', 'NotSupportedChoice', 'This is no currency of ISO 4217.')
  if (
    changed.includes('search_in') &&
    after.search_in !== null &&
    !isSearchedIn(around, after.search_in)
  )
    fault('search_in', 'NotSupportedChoice', `There is nothing to look in: ${after.search_in}.`)
  for (const key of ['required_statuses', 'hidden_statuses'] as const)
    if (changed.includes(key))
      for (const each of statusFaults(around, key, after[key], before[key])) faults.add(item, each)
  return after
}

/** Whether a linked entity can stand there: the word of a type, or the id of a catalog. */
const isSearchedIn = ({ catalogs }: FieldContext, searchIn: string) =>
  ['contacts', 'companies', 'contacts_and_companies'].includes(searchIn) ||
  (/^[1-9]\d{0,15}$/.test(searchIn) && catalogs.has(Number(searchIn)))

const currencies = new Set(currencyCodes)

/** The sent values in their stored form. */
function written(
  { catalogs }: FieldContext,
  item: Item<FieldDraft>,
  before: FieldRow,
  faults: Faults,
): Partial<FieldRow> {
  const {
    name,
    type,
    code,
    sort,
    is_api_only,
    is_visible,
    is_required,
    group_id,
    remind,
    currency,
    tracking_callback,
    ...lists
  } = item.value
  const { enums, nested, search_in, chained_lists, required_statuses, hidden_statuses } = lists
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(type !== undefined && { type }),
    ...(code !== undefined && { code: code?.trim() ?? null }),
    ...(sort !== undefined && { sort }),
    ...(is_api_only !== undefined && { is_api_only }),
    ...(is_visible !== undefined && { is_visible }),
    ...(is_required !== undefined && { is_required }),
    ...(group_id !== undefined && { group_id: group_id === 'default' ? null : group_id }),
    ...(remind !== undefined && { remind }),
    ...(currency !== undefined && { currency: currency?.toUpperCase() ?? null }),
    ...(tracking_callback !== undefined && { tracking_callback }),
    ...(enums !== undefined && {
      enums: enums && workOutEnums(enums, before.enums ?? [], (fault) => faults.add(item, fault)),
    }),
    ...(nested !== undefined && {
      nested:
        nested && workOutTree(nested, before.nested ?? [], (fault) => faults.add(item, fault)),
    }),
    ...(search_in !== undefined && { search_in }),
    ...(chained_lists !== undefined && {
      chained_lists:
        chained_lists &&
        chainsOf(chained_lists, withStored(catalogs, before), (path, ...said) => {
          faults.add(item, faultAt(`chained_lists.${path}`, ...said))
        }),
    }),
    ...(required_statuses !== undefined && { required_statuses: required_statuses ?? [] }),
    ...(hidden_statuses !== undefined && { hidden_statuses: hidden_statuses ?? [] }),
  }
}

/** A catalog that the definition already names may be named again, whatever it is. */
const withStored = (catalogs: ReadonlySet<number>, { chained_lists }: FieldRow) =>
  new Set([
    ...catalogs,
    ...(chained_lists ?? []).flatMap(({ catalog_id, parent_catalog_id }) => [
      catalog_id,
      parent_catalog_id ?? catalog_id,
    ]),
  ])

/** The catalogs of a chained list. An object has no order: parents come first. */
function chainsOf(
  sent: NonNullable<FieldDraft['chained_lists']>,
  catalogs: ReadonlySet<number>,
  complain: Complain,
): NonNullable<FieldRow['chained_lists']> {
  const chains = partsOfChain(sent, complain).map(({ key, part }) => {
    const { title, catalog_id, parent_catalog_id = null } = part
    if (!isId(catalog_id))
      complain(`${key}.catalog_id`, 'InvalidType', 'A catalog is named by its id.')
    for (const [name, id] of Object.entries({ catalog_id, parent_catalog_id }))
      if (isId(id) && !catalogs.has(id!))
        complain(`${key}.${name}`, 'NotSupportedChoice', `There is no catalog ${id}.`)
    return { title, catalog_id: catalog_id!, parent_catalog_id }
  })
  if (Array.isArray(sent)) return chains
  const byId = new Map(chains.map((each) => [each.catalog_id, each]))
  const depth = (each: (typeof chains)[number], left = chains.length): number => {
    const parent = byId.get(each.parent_catalog_id ?? 0)
    return parent && left > 0 ? 1 + depth(parent, left - 1) : 0
  }
  return chains.toSorted((one, other) => depth(one) - depth(other))
}

const isId = (id: number | null | undefined) => Number.isSafeInteger(id) && id! > 0

/** A status that the definition already names may be named again, even if it was deleted. */
function statusFaults(
  { hasStatus }: FieldContext,
  path: string,
  named: PipelineStatus[],
  before: PipelineStatus[],
): Fault[] {
  const seen = new Set<string>()
  return named.flatMap((stage, index): Fault[] => {
    const { pipeline_id, status_id } = stage
    const key = `${pipeline_id} ${status_id}`
    const at = `${path}.${index}.status_id`
    if (!hasStatus(stage) && !before.some((known) => isDeepStrictEqual(known, stage)))
      return [
        {
          code: 'NotSupportedChoice',
          path: at,
          detail: `Pipeline ${pipeline_id} has no status ${status_id}.`,
        },
      ]
    if (seen.has(key))
      return [{ code: 'NotUnique', path: at, detail: 'This status is named twice.' }]
    seen.add(key)
    return []
  })
}
