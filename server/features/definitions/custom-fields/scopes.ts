// Each entity type, the segments of customers, and each catalog have custom fields of their own.
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import { entityTypes, fieldsOfCatalog } from '../../../entity-types.ts'
import type { FieldHolder, FieldOwner } from '../../../entity-types.ts'
import { Id } from '../../../http/types.ts'
import { requireCatalog } from '../catalogs/catalogs.ts'

export interface FieldScope {
  /** The beginning of the path: leads, catalogs/1001. */
  path: string
  holder: FieldHolder
  /** The name in the tables. */
  type: FieldOwner
  catalog_id?: number
}

/** The routes of one holder, and the scope that the path of a request names. */
export interface FieldPlace {
  holder: FieldHolder
  /** With a parameter where the path names a catalog. */
  path: string
  params: { catalog_id?: typeof Id }
  hasGroups: boolean
  scopeOf(reader: Reader, actor: Actor, params: object): Promise<FieldScope>
}

const segmentsPath = 'customers/segments'

export const fieldPlaces: FieldPlace[] = [
  ...entityTypes.map((type): FieldPlace => ({
    holder: type,
    path: type,
    params: {},
    hasGroups: true,
    scopeOf: async () => ({ path: type, holder: type, type }),
  })),
  {
    holder: 'segments',
    path: segmentsPath,
    params: {},
    hasGroups: false,
    scopeOf: async () => ({ path: segmentsPath, holder: 'segments', type: 'segments' }),
  },
  {
    holder: 'catalogs',
    path: 'catalogs/:catalog_id',
    params: { catalog_id: Id },
    hasGroups: true,
    async scopeOf(reader, actor, params) {
      const { catalog_id } = params as { catalog_id: number }
      await requireCatalog(reader, actor, catalog_id)
      return {
        path: `catalogs/${catalog_id}`,
        holder: 'catalogs',
        type: fieldsOfCatalog(catalog_id),
        catalog_id,
      }
    },
  },
]
