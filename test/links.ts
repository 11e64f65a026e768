// Shared by tests of links.
import sql, { raw } from 'sql-template-tag'
import { recordTypes } from '../server/records/description.ts'
import type { RecordType } from '../server/records/description.ts'
import type { LinkEnd } from '../server/records/link-rules.ts'
import type { TestAccount } from './account.ts'
import type { Answer, Client } from './client.ts'
import { pathOf } from './records.ts'

/** One item of a request, for one record or for several. */
export function to(
  to_entity_type: LinkEnd,
  to_entity_id: number,
  metadata?: object | null,
  entity_id?: number,
) {
  return {
    to_entity_id,
    to_entity_type,
    ...(metadata !== undefined && { metadata }),
    ...(entity_id && { entity_id }),
  }
}

export const link = (
  api: Client,
  kind: RecordType,
  id: number,
  ...items: object[]
): Promise<Answer> => api.post(`${pathOf(kind)}/${id}/link`, items)

export const unlink = (
  api: Client,
  kind: RecordType,
  id: number,
  ...items: object[]
): Promise<Answer> => api.post(`${pathOf(kind)}/${id}/unlink`, items)

interface Listed {
  entity_id: number
  to_entity_type: string
  to_entity_id: number
  metadata: { main_contact: boolean } | null
}

/** Links as a list or an answer shows them: `contacts 12 main`. */
export const shownIn = ({ body }: Answer): string[] =>
  body._embedded.links.map(({ to_entity_type, to_entity_id, metadata }: Listed) =>
    [to_entity_type, to_entity_id, ...(metadata?.main_contact ? ['main'] : [])].join(' '),
  )

/** The links of one record. */
export async function linksOf(api: Client, kind: RecordType, id: number): Promise<string[]> {
  return shownIn(await api.get(`${pathOf(kind)}/${id}/links`))
}

/**
 * The stored links of an account in the order of creation. Fails unless each is stored in both
 * directions, and the records at its ends say that they may have links.
 */
export async function keptLinks({ id, kontor: { database } }: TestAccount): Promise<string[]> {
  const rows = await database.rows<{
    one: string
    other: string
    is_main: boolean
    is_holder: boolean
  }>(sql`
    select from_type || ' ' || from_id as one, to_type || ' ' || to_id as other, is_main,
           from_type in ('leads', 'customers') or to_type = 'companies' as is_holder
      from links where account_id = ${id} order by id`)
  const ends = (isHolder: boolean) =>
    rows
      .filter(({ is_holder }) => is_holder === isHolder)
      .map(
        ({ one, other, is_main }) =>
          `${isHolder ? one : other} ${isHolder ? other : one}${is_main ? ' main' : ''}`,
      )
  const [there, back] = [ends(true), ends(false)]
  if (there.toSorted().join() !== back.toSorted().join())
    throw new Error(`links of one end only: ${there.join()} / ${back.join()}`)
  for (const type of recordTypes) {
    const unmarked = await database.rows(sql`
      select from ${raw(type)} record
        join links on links.account_id = record.account_id and from_type = ${type} and from_id = record.id
       where record.account_id = ${id} and not record.may_have_links`)
    if (unmarked.length > 0) throw new Error(`${unmarked.length} links of ${type} are never shown`)
  }
  return there
}

/** An element and its catalog. */
export interface InCatalog {
  catalog: number
  id: number
}

/** A catalog of an account; answers its id. */
export async function addCatalog(api: Client, draft: object = {}): Promise<number> {
  const made = await api.post('/api/v4/catalogs', [{ name: 'Goods', ...draft }])
  return made.body._embedded.catalogs[0].id
}

export async function addElements(
  api: Client,
  catalog: number,
  ...names: string[]
): Promise<InCatalog[]> {
  const { body } = await api.post(
    `/api/v4/catalogs/${catalog}/elements`,
    names.map((name) => ({ name })),
  )
  return body._embedded.elements.map(({ id }: { id: number }) => ({ catalog, id }))
}

/** One item of a request that names an element. */
export const toElement = (
  { catalog, id }: InCatalog,
  metadata: object = {},
  entity_id?: number,
): object => to('catalog_elements', id, { catalog_id: catalog, ...metadata }, entity_id)
