// Custom fields and their groups, as the settings read and change them: one member at a time
// (docs/decisions/0105-options-one-by-one.md).
import { queryOptions } from '@tanstack/react-query'
import type { Job } from '../../../server/features/application/jobs/schema.ts'
import type {
  FieldUsage,
  ManagedField,
  ManagedFields,
} from '../../../server/features/definitions/custom-fields/managed/schema.ts'
import type {
  AddedEnums,
  EnumChange,
} from '../../../server/features/definitions/custom-fields/options/schema.ts'
import { ask } from '../../data/api.ts'

export type { FieldUsage, ManagedField, ManagedFields }
export type FieldOption = NonNullable<ManagedField['enums']>[number]

export type FieldCategory = NonNullable<ManagedField['nested']>[number]

/** The owners of fields, in the order of their tabs. */
export const fieldEntities = ['leads', 'contacts', 'companies', 'customers', 'segments'] as const
/** The fields of elements have no tab: they stand with their catalog. */
export type FieldEntity = (typeof fieldEntities)[number] | `catalogs:${number}`

export const isCatalog = (entity: FieldEntity) => entity.startsWith('catalogs:')

/** The settings of an entity, and its definitions in the interface. */
const settingsOf = (entity: FieldEntity) => `/web/v1/fields/${entity}`
const interfaceOf = (entity: FieldEntity) => {
  const path = entity === 'segments' ? 'customers/segments' : entity.replace(':', '/')
  return `/api/v4/${path}/custom_fields`
}

export const managedFieldsQuery = (entity: FieldEntity) =>
  queryOptions({
    queryKey: ['fields', entity],
    queryFn: ({ signal }) => ask<ManagedFields>(settingsOf(entity), { signal }),
  })

export const fieldUsageQuery = (entity: FieldEntity) =>
  queryOptions({
    queryKey: ['fields', entity, 'usage'],
    queryFn: ({ signal }) => ask<FieldUsage>(`${settingsOf(entity)}/usage`, { signal }),
  })

/** The members of a field that the interface changes alone. */
export type FieldMembers = Partial<
  Pick<
    ManagedField,
    'name' | 'code' | 'is_api_only' | 'remind' | 'currency' | 'is_visible' | 'is_required'
  >
>

export interface FieldOfForm extends FieldMembers {
  name: string
  type: string
  group_id?: string | null
  enums?: { value: string }[]
  search_in?: string
  chained_lists?: { title: string; catalog_id: number; parent_catalog_id: number | null }[]
}

/** The writes of the settings of an entity. */
export const fieldWrites = (entity: FieldEntity) => {
  const [own, open] = [settingsOf(entity), interfaceOf(entity)]
  return {
    add: (field: FieldOfForm, key: string) =>
      ask<{ _embedded: { custom_fields: { id: number }[] } }>(open, {
        method: 'POST',
        body: [field],
        key,
      }),
    change: (id: number, members: FieldMembers) =>
      ask(`${open}/${id}`, { method: 'PATCH', body: members }),
    remove: (id: number) => ask<void>(`${open}/${id}`, { method: 'DELETE' }),
    move: (id: number, group_id: string | null, before: number | null) =>
      ask<ManagedField>(`${own}/${id}/move`, { method: 'POST', body: { group_id, before } }),
    setStage: (
      id: number,
      list: 'required' | 'hidden',
      { pipeline_id, status_id }: { pipeline_id: number; status_id: number },
      isOn: boolean,
    ) =>
      ask<ManagedField>(`${own}/${id}/stages/${list}/${pipeline_id}/${status_id}`, {
        method: isOn ? 'PUT' : 'DELETE',
      }),
    addGroup: (name: string, sort: number, key: string) =>
      ask(`${open}/groups`, { method: 'POST', body: [{ name, sort }], key }),
    renameGroup: (id: string, name: string) =>
      ask(`${open}/groups/${id}`, { method: 'PATCH', body: { name } }),
    removeGroup: (id: string) => ask<void>(`${open}/groups/${id}`, { method: 'DELETE' }),
    moveGroup: (id: string, before: string | null) =>
      ask<ManagedFields>(`${own}/groups/${id}/move`, { method: 'POST', body: { before } }),
    addOptions: (id: number, values: string[]) =>
      ask<AddedEnums>(`${own}/${id}/enums`, { method: 'POST', body: { values } }),
    changeOption: (id: number, option: number, change: EnumChange) =>
      ask<ManagedField>(`${own}/${id}/enums/${option}`, { method: 'PATCH', body: change }),
    moveOption: (id: number, option: number, before: number | null) =>
      ask<ManagedField>(`${own}/${id}/enums/${option}/move`, { method: 'POST', body: { before } }),
    /** `takesValues`: also from the elements of a catalog that have it. */
    removeOption: (id: number, option: number, takesValues = false) =>
      ask<ManagedField>(`${own}/${id}/enums/${option}${taking(takesValues)}`, { method: 'DELETE' }),
    addCategories: (id: number, values: string[], parent_id: number | null) =>
      ask<AddedEnums>(`${own}/${id}/categories`, { method: 'POST', body: { values, parent_id } }),
    renameCategory: (id: number, category: number, value: string) =>
      ask<ManagedField>(`${own}/${id}/categories/${category}`, {
        method: 'PATCH',
        body: { value },
      }),
    moveCategory: (id: number, category: number, { parent_id, before }: CategoryPlace) =>
      ask<ManagedField>(`${own}/${id}/categories/${category}/move`, {
        method: 'POST',
        body: { parent_id, before },
      }),
    removeCategory: (id: number, category: number, takesValues: boolean) =>
      ask<ManagedField>(`${own}/${id}/categories/${category}${taking(takesValues)}`, {
        method: 'DELETE',
      }),
  }
}

const taking = (takesValues: boolean) => (takesValues ? '?takes_values=true' : '')

/** Where a category stands: below another one or on the first level, before a neighbor or last. */
export interface CategoryPlace {
  parent_id: number | null
  before: number | null
}

/** Gives the records of an option another one, or none, and then deletes it: a job, which can be undone. */
export const endOption = (
  field_id: number,
  enum_id: number,
  into: number | undefined,
): Promise<Job> =>
  ask('/web/v1/definition-jobs', {
    method: 'POST',
    body:
      into === undefined
        ? { delete_option: { field_id, enum_id } }
        : { merge_option: { field_id, enum_id, into } },
  })

export type FieldWrites = ReturnType<typeof fieldWrites>

/** The fields of a group, in their order; segments have one list without groups. */
export const fieldsInGroup = ({ fields }: ManagedFields, group: string): ManagedField[] =>
  fields.filter(({ group_id }) => (group_id ?? 'default') === group)

/** The definitions with a field moved as the server moves it, for the time until its answer. */
export function withFieldMoved(
  all: ManagedFields,
  id: number,
  group_id: string | null,
  before: number | null,
): ManagedFields {
  const moved = all.fields.find((field) => field.id === id)
  if (!moved || before === id) return all
  const others = all.fields.filter((field) => field !== moved)
  const at = before === null ? others.length : others.findIndex((field) => field.id === before)
  return {
    ...all,
    fields: others.toSpliced(at < 0 ? others.length : at, 0, { ...moved, group_id }),
  }
}

/** The members of a pasted text, one of each line, without the empty ones. */
export const textLines = (text: string): string[] =>
  text
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim().slice(0, 255))
    .filter((line) => line !== '')
