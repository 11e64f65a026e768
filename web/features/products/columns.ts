// The columns of the elements of a catalog: the name, then the visible fields in their order.
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { CatalogElement } from '../../crm/catalogs.ts'
import { plainText } from '../../crm/fields/field.ts'
import type { Field, Values } from '../../crm/fields/field.ts'
import { memberField } from '../../crm/fields/members.ts'
import { fieldKinds, isTyped, sentOf } from '../../crm/fields/types.ts'
import type { CatalogField, ElementBody } from './elements.ts'

export interface ElementColumn {
  /** As kept drafts name it: `name`, `field:12`. */
  name: string
  label: string
  field: Field
  read: (element: CatalogElement) => Values
  /** The element with other values in this column. */
  with: (element: CatalogElement, values: Values) => CatalogElement
  /** The change that sets values; undefined where a cell is not edited. */
  body?: (values: Values) => ElementBody
  /** It always has a value. */
  isKept: boolean
  isNumber: boolean
}

/** `zone`: of the account, whose days the fields have. */
export function useElementColumns(
  fields: readonly CatalogField[] | undefined,
  zone: string,
): ElementColumn[] {
  const words = useTranslations('products')
  return useMemo(
    () => [
      nameColumn(words('name')),
      ...(fields ?? [])
        .filter(({ is_visible }) => is_visible)
        .toSorted((one, other) => one.sort - other.sort || one.id - other.id)
        .map((field) => fieldColumn(field, zone)),
    ],
    [fields, words, zone],
  )
}

const nameColumn = (label: string): ElementColumn => ({
  name: 'name',
  label,
  field: memberField({ name: label, type: 'text' }),
  read: ({ name }) => (name === '' ? null : [{ value: name }]),
  with: (element, values) => ({ ...element, name: plainText(values?.[0]?.value) }),
  body: (values) => ({ name: plainText(values?.[0]?.value) }),
  isKept: true,
  isNumber: false,
})

function fieldColumn(own: CatalogField, zone: string): ElementColumn {
  const field = fieldOfCatalog(own)
  const { id: field_id, name: field_name, code: field_code, type: field_type } = own
  return {
    name: `field:${field_id}`,
    label: field_name,
    field,
    read: ({ custom_fields_values: all }) =>
      (all?.find((each) => each.field_id === field_id)?.values as Values | undefined) ?? null,
    with: (element, values) => {
      const others = (element.custom_fields_values ?? []).filter(
        (each) => each.field_id !== field_id,
      )
      const set = values && { field_id, field_name, field_code, field_type, values }
      return {
        ...element,
        custom_fields_values: [...others, ...(set ? [set] : [])],
      } as CatalogElement
    },
    ...((isTyped({ type: field.type, is_api_only: own.is_api_only }) ||
      (field.type === 'file' && !own.is_api_only)) && {
      body: (values) => ({ custom_fields_values: [sentField(own, values, zone)] }),
    }),
    isKept: own.is_required,
    isNumber: fieldKinds[field.type].isAmount === true || field.type === 'numeric',
  }
}

/** The values of a field as a body has them. A category is named by its id alone. */
export function sentField(
  { id, type }: Pick<CatalogField, 'id' | 'type'>,
  values: Values,
  zone: string,
): NonNullable<ElementBody['custom_fields_values']>[number] {
  const sent =
    type === 'category'
      ? (values?.map(({ enum_id }) => ({ enum_id })) ?? null)
      : sentOf({ type }, values, zone)
  return { field_id: id, values: sent }
}

/** A field as the editors take it: a category is chosen from a list of paths. */
export function fieldOfCatalog({
  id,
  name,
  type,
  code,
  currency,
  enums,
  nested,
}: CatalogField): Field {
  const isCategory = type === 'category'
  return {
    id,
    name,
    type: isCategory ? 'select' : type,
    code,
    currency,
    enums: isCategory ? pathsOf(nested ?? []) : enums,
    chained_lists: null,
  }
}

/** The categories of a tree, each behind its parent, with the way to it. */
function pathsOf(tree: NonNullable<CatalogField['nested']>): { id: number; value: string }[] {
  const under = (parent: number | null, path: string): { id: number; value: string }[] =>
    tree
      .filter(({ parent_id }) => parent_id === parent)
      .toSorted((one, other) => one.sort - other.sort)
      .flatMap(({ id, value }) => [{ id, value: path + value }, ...under(id, `${path}${value} / `)])
  return under(null, '')
}
