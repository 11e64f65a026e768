// The filters of the event log (interface: Event filters), and which of them go together.
import { fieldKey, valueKey } from '../../../changes/event-keys.ts'
import type { Side } from '../../../changes/event-keys.ts'
import { invalidFor } from '../../../http/problem.ts'
import type { Fault, PlainCode } from '../../../http/problem.ts'
import type { EventFilter, ValueFilter } from './schema.ts'
import { isEventType } from './types.ts'
import type { EventType } from './types.ts'

/** The events of a request, before the rights of the actor. */
export interface EventSearch {
  ids?: string[]
  users?: number[]
  entities?: string[]
  entityIds?: number[]
  /** Types of the list; those that nothing causes find nothing. */
  types?: EventType[]
  /** Groups of keys (changes/event-keys.ts). An event has one key of each group. */
  keys: string[][]
  /** `created_at`, in Unix seconds, both ends included. */
  from?: number | undefined
  to?: number | undefined
}

/** The general type of the changes of fields, which the log stores. */
const fieldChanged = 'custom_field_value_changed'
const ofOneField = /^custom_field_([1-9]\d{0,14})_value_changed$/

/** The field of a type that tells of one field. */
function fieldOf(type: string): number | undefined {
  const [, id] = ofOneField.exec(type) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Whether events of changed fields are shown under their general type, because it was asked for. */
export const isGeneral = ({ type }: EventFilter): boolean => type?.includes(fieldChanged) ?? false

/**
 * Reads the filters. `catalogs` are those of the account, which `catalog_element` stands for. Throws
 * a 400 problem where filters do not go together (interface: Event filters).
 */
export function eventSearchOf(filter: EventFilter, catalogs: readonly number[]): EventSearch {
  const { id, created_at, created_by, entity, entity_id, type } = filter
  const types = type && [...new Set(type)]
  const faults = [
    ...faultsOfTypes(types),
    ...faultsOfEntities(filter),
    ...faultsOfValues(filter, types),
  ]
  if (faults.length > 0) throw invalidFor(...faults)
  const field = types?.map(fieldOf).find((id) => id !== undefined)
  const values = (['before', 'after'] as const).flatMap((side) =>
    valueKeys(side, filter[`value_${side}`], types),
  )
  return {
    ...(id && { ids: [...new Set(id)] }),
    ...(created_by && { users: [...new Set(created_by)] }),
    ...(entity && {
      entities: [
        ...new Set(
          entity.flatMap((name) =>
            name === 'catalog_element' ? catalogs.map((each) => `catalog_${each}`) : name,
          ),
        ),
      ],
    }),
    ...(entity_id && { entityIds: [...new Set(entity_id)] }),
    ...(types && !field && { types: types.filter(isEventType) }),
    keys: values.length > 0 || !field ? values : [[fieldKey(field)]],
    ...timesOf(created_at),
  }
}

/** A single time means later than that (interface: Event filters). */
function timesOf(time: EventFilter['created_at']): Pick<EventSearch, 'from' | 'to'> {
  if (time === undefined) return {}
  if (!Array.isArray(time)) return { from: time.from, to: time.to }
  const [from, to] = time
  return to === undefined ? { from: from! + 1 } : { from, to }
}

const fault = (code: PlainCode, name: string, detail: string): Fault => ({
  code,
  path: `filter[${name}]`,
  detail,
})

function faultsOfTypes(types: string[] = []): Fault[] {
  const unknown = types.filter((name) => !isEventType(name) && !ofOneField.test(name))
  if (unknown.length > 0)
    return [fault('NotSupportedChoice', 'type', `There is no event type ${unknown[0]}.`)]
  return types.length > 1 && types.some((name) => ofOneField.test(name))
    ? [fault('NotSupportedChoice', 'type', 'The type of one field stands alone.')]
    : []
}

function faultsOfEntities({ entity, entity_id }: EventFilter): Fault[] {
  if (!entity_id || (entity && new Set(entity).size === 1)) return []
  const detail = 'filter[entity_id] works only together with filter[entity] of one entity.'
  return [fault(entity ? 'NotSupportedChoice' : 'FieldMissing', 'entity', detail)]
}

/** The value filters: the types that each goes with, and its keys. */
const valueFilters: {
  [Name in keyof ValueFilter]-?: {
    types: readonly string[]
    keys(side: Side, values: NonNullable<ValueFilter[Name]>, type: string): string[]
  }
} = {
  leads_statuses: {
    types: ['lead_status_changed'],
    keys: (side, values) =>
      values.map(({ pipeline_id, status_id }) =>
        valueKey(side, 'stage', `${pipeline_id}:${status_id}`),
      ),
  },
  customers_statuses: {
    types: ['customer_status_changed'],
    keys: (side, values) =>
      values.map(({ status_id }) => valueKey(side, 'customer_status', status_id)),
  },
  responsible_user_id: {
    types: ['entity_responsible_changed'],
    keys: (side, values) => values.map((id) => valueKey(side, 'responsible_user', id)),
  },
  custom_field_values: {
    types: ['custom_field_<id>_value_changed'],
    keys: (side, values, type) =>
      values.map((id) => valueKey(side, `enum of ${fieldOf(type)!}`, id)),
  },
  value: {
    types: [
      'nps_rate_added',
      'sale_field_changed',
      'name_field_changed',
      'ltv_field_changed',
      fieldChanged,
      'custom_field_<id>_value_changed',
    ],
    keys: (side, value, type) => [valueKey(side, nameOf(type), value)],
  },
}

/** The name of the values of a type in keys. */
function nameOf(type: string) {
  const field = fieldOf(type)
  return field === undefined ? (names[type] ?? 'text') : (`text of ${field}` as const)
}

const names: Record<string, 'nps' | 'sale' | 'name' | 'ltv'> = {
  nps_rate_added: 'nps',
  sale_field_changed: 'sale',
  name_field_changed: 'name',
  ltv_field_changed: 'ltv',
}

const named = (filter: ValueFilter = {}) => Object.entries(filter) as [keyof ValueFilter, never][]

function faultsOfValues(filter: EventFilter, types: string[] = []): Fault[] {
  return (['value_before', 'value_after'] as const).flatMap((side) =>
    named(filter[side]).flatMap(([name]) => {
      const fits = valueFilters[name].types
      const [type] = types
      const isRight =
        types.length === 1 &&
        fits.includes(type!.replace(ofOneField, 'custom_field_<id>_value_changed'))
      if (isRight) return []
      const detail = `filter[${side}][${name}] works only together with filter[type] of one of ${fits.join(', ')}.`
      return [fault(types.length === 0 ? 'FieldMissing' : 'NotSupportedChoice', 'type', detail)]
    }),
  )
}

function valueKeys(side: Side, filter: ValueFilter | undefined, types: string[] = []): string[][] {
  return named(filter).map(([name, values]) => [
    ...new Set(valueFilters[name].keys(side, values, types[0]!)),
  ])
}
