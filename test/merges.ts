// Shared by the tests of merges.
import sql, { join, raw } from 'sql-template-tag'
import type { TestAccount } from './account.ts'
import type { Answer, Client } from './client.ts'

export const merges = '/web/v1/merges'

export type MergedKind = 'contacts' | 'companies'

export const merge = (
  api: Client,
  entity_type: MergedKind,
  into: number,
  from: number,
  picks?: object,
): Promise<Answer> => api.post(merges, { entity_type, into, from, ...(picks && { picks }) })

/** A merge that is made; answers its id. */
export async function merged(...asked: Parameters<typeof merge>): Promise<number> {
  const { status, body } = await merge(...asked)
  if (status !== 201) throw new Error(`the merge was refused: ${JSON.stringify(body)}`)
  return body.id
}

export const undoMerge = (api: Client, id: number): Promise<Answer> =>
  api.post(`${merges}/${id}/undo`)

export const duplicatesOf = async (api: Client, kind: MergedKind, id: number) =>
  (await api.get(`/web/v1/duplicates/${kind}/${id}`)).body

/** The tables that a merge writes, and the columns that say when and by whom, which no undo restores. */
const written = {
  leads: 'updated_at updated_by',
  customers: 'updated_at updated_by status_due_at segments_due_at',
  contacts: 'updated_at updated_by',
  companies: 'updated_at updated_by',
  links: '',
  element_links: '',
  catalog_elements: 'updated_at updated_by',
  notes: '',
  tasks: '',
  chats: 'updated_at',
  talks: 'updated_at',
  messages: '',
  field_numbers: '',
  field_texts: '',
  record_texts: '',
} as const

/** All rows of these tables, as texts that can be compared. */
export async function rowsAround({ id, kontor }: TestAccount): Promise<Record<string, string[]>> {
  const lists = Object.entries(written).map(
    ([table, left]) => sql`
      select ${table} as name, coalesce(json_agg(text order by text), '[]') as rows
        from (select (to_jsonb(whole) - ${left.split(' ')}::text[])::text as text from ${raw(table)} whole where account_id = ${id}) each`,
  )
  const rows = await kontor.database.list<{ name: string; rows: string[] }>(
    join(lists, ' union all '),
  )
  return Object.fromEntries(rows.map(({ name, rows: texts }) => [name, texts]))
}
