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
export async function merged(...parameters: Parameters<typeof merge>): Promise<number> {
  const { status, body } = await merge(...parameters)
  if (status !== 201) throw new Error(`the merge was refused: ${JSON.stringify(body)}`)
  return body.id
}

export const undoMerge = (api: Client, id: number): Promise<Answer> =>
  api.post(`${merges}/${id}/undo`)

export const duplicatesOf = async (api: Client, kind: MergedKind, id: number) =>
  (await api.get(`/web/v1/duplicates/${kind}/${id}`)).body

/**
 * The tables that a merge writes, and the columns that no undo restores: those that say when and by whom,
 * and that a record was linked once.
 */
const written = {
  leads: 'updated_at updated_by may_have_links',
  customers: 'updated_at updated_by may_have_links status_due_at segments_due_at',
  contacts: 'updated_at updated_by may_have_links',
  companies: 'updated_at updated_by may_have_links',
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

/** An element of a catalog. */
interface Naming {
  catalog: number
  id: number
  field: number
}

/**
 * Catalogs whose elements name records: one with fields of the type linked_entity, and the invoices with a
 * payer and a supplier. `add` makes an element of a value, whose members say which field has it.
 */
export async function addNamingCatalogs(api: Client) {
  const made = await api.post('/api/v4/catalogs', [
    { name: 'Devices' },
    { name: 'Invoices', type: 'invoices' },
  ])
  const [devices, invoices] = made.body._embedded.catalogs.map(({ id }: { id: number }) => id)
  const added = await api.post(
    `/api/v4/catalogs/${devices}/custom_fields`,
    ['contacts', 'companies'].map((search_in) => ({
      name: `Of ${search_in}`,
      type: 'linked_entity',
      search_in,
    })),
  )
  const [ofContacts, ofCompanies] = added.body._embedded.custom_fields
  const { body } = await api.get(`/api/v4/catalogs/${invoices}/custom_fields`)
  const fieldOf = (code: string): number =>
    body._embedded.custom_fields.find((each: { code: string }) => each.code === code).id
  const [payer, supplier] = [fieldOf('PAYER'), fieldOf('SUPPLIER')]
  const status = { field_code: 'BILL_STATUS', values: [{ enum_code: 'created' }] }
  const keyOf = (value: object & { entity_type?: unknown }) => {
    if ('catalog_id' in value)
      return [devices, (value.entity_type === 'contacts' ? ofContacts : ofCompanies).id]
    return [invoices, 'name' in value ? payer : supplier]
  }
  return {
    async add(value: { entity_id: number; [member: string]: unknown }): Promise<Naming> {
      const [catalog, field] = keyOf(value)
      const named = { field_id: field, values: [{ value }] }
      const answer = await api.post(`/api/v4/catalogs/${catalog}/elements`, [
        { name: 'Of one', custom_fields_values: catalog === invoices ? [status, named] : [named] },
      ])
      return { catalog, id: answer.body._embedded.elements[0].id, field }
    },
    async read({ catalog, id, field }: Naming): Promise<object | undefined> {
      const answer = await api.get(`/api/v4/catalogs/${catalog}/elements/${id}`)
      const values = answer.body.custom_fields_values as {
        field_id: number
        values: { value: object }[]
      }[]
      return values.find(({ field_id }) => field_id === field)?.values[0]?.value
    },
    change: ({ catalog, id, field }: Naming, value: object) =>
      api.patch(`/api/v4/catalogs/${catalog}/elements/${id}`, {
        custom_fields_values: [{ field_id: field, values: [{ value }] }],
      }),
  }
}
