import { queryOptions } from '@tanstack/react-query'
import type {
  Duplicates,
  Merge,
  MergedType,
  NewMerge,
  OpenMerge,
  Preview,
} from '../../../server/features/application/merges/schema.ts'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { FieldType } from '../../crm/fields/field.ts'
import { ask, askList } from '../../data/api.ts'

export type {
  Duplicates,
  MergedType,
  OpenMerge,
  Preview,
} from '../../../server/features/application/merges/schema.ts'

export const duplicatesQuery = (type: MergedType, id: number) =>
  queryOptions({
    queryKey: ['duplicates', type, id],
    queryFn: ({ signal }) => ask<Duplicates>(`/web/v1/duplicates/${type}/${id}`, { signal }),
  })

/** Whether records of a type may be duplicates of one another. */
export const isMergedType = (type: string): type is MergedType =>
  type === 'contacts' || type === 'companies'

/** Whether the user may merge records of a type: one of two is changed, and the other goes to the bin. */
export const mayMerge = ({ is_admin, rights }: Bootstrap['me'], type: MergedType): boolean =>
  is_admin || (rights[type].edit !== 'D' && rights[type].delete !== 'D')

/** The merges of a record that the user can undo. */
export const openMergesQuery = (type: MergedType, id: number) =>
  queryOptions({
    queryKey: ['merges', type, id],
    queryFn: async ({ signal }) => {
      const path = `/web/v1/merges?entity_type=${type}&entity_id=${id}`
      return (await ask<{ merges: OpenMerge[] }>(path, { signal })).merges
    },
  })

// News do not refresh a comparison: those of its own merge would ask for the record that is just gone.
const asItWas = { gcTime: 0, staleTime: Infinity }

export const previewQuery = (type: MergedType, into: number, from: number) =>
  queryOptions({
    ...asItWas,
    queryKey: ['comparisons', type, into, from],
    queryFn: ({ signal }) =>
      ask<Preview>(`/web/v1/merges/preview?entity_type=${type}&into=${into}&from=${from}`, {
        signal,
      }),
  })

/** A record as the comparison shows it. */
export interface Compared {
  id: number
  name: string
  responsible_user_id: number
  created_at: number
  custom_fields_values: ComparedField[] | null
  _embedded: { tags?: { id: number; name: string }[]; companies?: { id: number }[] }
}

export interface ComparedField {
  field_id: number
  field_name: string
  field_code: string | null
  field_type: FieldType
  values: { value: unknown; enum_code?: string | null }[]
}

export const comparedQuery = (type: MergedType, id: number) =>
  queryOptions({
    ...asItWas,
    queryKey: ['comparisons', type, id],
    queryFn: ({ signal }) => ask<Compared>(`/api/v4/${type}/${id}`, { signal }),
  })

/** The names of companies by their ids; one that the user may not see has none. */
export const companyNamesQuery = (ids: number[]) =>
  queryOptions({
    queryKey: ['companies', 'names', ...ids],
    queryFn: async ({ signal }) => {
      const filter = ids.map((id) => `filter[id][]=${id}`).join('&')
      const found = await askList<{ id: number; name: string }>(
        `/api/v4/companies?${filter}`,
        'companies',
        { signal },
      )
      return new Map(found.map(({ id, name }) => [id, name]))
    },
    enabled: ids.length > 0,
  })

export const mergeRecords = (merge: NewMerge): Promise<Merge> =>
  ask('/web/v1/merges', { method: 'POST', body: merge })

export const undoMerge = (id: number): Promise<Merge> =>
  ask(`/web/v1/merges/${id}/undo`, { method: 'POST' })
