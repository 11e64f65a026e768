// The card of a record: the record, what the caller may do with it, and its links. One statement
// answers it; the definitions of fields and the tags are remembered.
import type { Actor } from '../../../access/actor.ts'
import { activeActors } from '../../../access/on-behalf.ts'
import { requireRight, sees } from '../../../access/record-rights.ts'
import type { ViewedRow } from '../../../access/record-rights.ts'
import type { Reader } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import { forbidden, notFound } from '../../../http/problem.ts'
import type { Problem } from '../../../http/problem.ts'
import type { RecordDescription, RecordType } from '../../../records/description.ts'
import { choicesOf, fieldsOf, noFields } from '../../../records/fields/definitions.ts'
import type { Fields } from '../../../records/fields/definitions.ts'
import { embed } from '../../../records/lists/embed.ts'
import { linesOf } from '../../../records/lists/select.ts'
import { companies } from '../../records/companies/companies.ts'
import { contacts } from '../../records/contacts/contacts.ts'
import { customers } from '../../records/customers/customers.ts'
import { leads } from '../../records/leads/leads.ts'
import { fileOfValue } from '../../activity/files/files.ts'
import type { FileRow } from '../../activity/files/files.ts'
import { anyRecord, cardLists, fileValue, isCut, oneCard, recordForRights } from './queries.ts'
import type { CardBase } from './queries.ts'
import { mostOnCard } from './schema.ts'
import type {
  CardCompany,
  CardContact,
  CardCustomer,
  CardElement,
  CardLead,
  Reached,
  RecordCard,
} from './schema.ts'

const descriptions: Record<EntityType, RecordDescription> = {
  leads,
  contacts,
  companies,
  customers,
}

/** The members of the record besides its links, which are lists of their own here. */
const wanted = new Set(['loss_reason', 'source', 'group_id', 'is_price_modified_by_robot'])

/** A stored phone or e-mail: its text and the id of its label. */
type KeptReach = [text: string, label: number]

/** A list as the statement answers it: the links that it looked at, and one record more than shown. */
interface Listed<Item> {
  tried?: number | null
  items?: Item[] | null
}

/** A contact or company with phones and e-mails as they are stored. */
type Reachable<Item> = Omit<Item, 'phones' | 'emails'> & {
  phones: KeptReach[] | null
  emails: KeptReach[] | null
}

/** The lists of a card as the statement answers them. */
interface StoredLists {
  leads: Listed<CardLead>
  contacts: Listed<Reachable<CardContact>>
  companies: Listed<Reachable<CardCompany>>
  customers: Listed<CardCustomer>
  elements: Listed<CardElement>
}

/** Throws 404 where there is no such record, and 403 where the actor may not view it. */
export async function readRecordCard(
  reader: Reader,
  actor: Actor,
  base: string,
  type: RecordType,
  id: number,
): Promise<RecordCard> {
  requireRight(actor, type, 'view')
  const description = descriptions[type]
  const [row] = await reader.cells('page', oneCard(description, actor, base, id, wanted))
  if (!row) throw await absence(reader, actor, type, id)
  const parsed = JSON.parse(row[0]!) as CardBase
  const texts = row.slice(1, 1 + cardLists.length)
  const lines = linesOf(description, actor, wanted, [row.slice(1 + cardLists.length)])
  const [page] = await embed(reader, actor, base, description, wanted, lines)
  const record = JSON.parse(page!.json) as RecordCard['record']
  const listed = (name: keyof StoredLists) =>
    JSON.parse(texts[cardLists.indexOf(name)] ?? '{}') as unknown
  const [people, firms] = [
    shownList(listed('contacts') as StoredLists['contacts']),
    shownList(listed('companies') as StoredLists['companies']),
  ]
  const labelsOf = (type: 'contacts' | 'companies', { items }: { items: object[] }) =>
    items.length > 0 ? fieldsOf(reader, actor.accountId, type, parsed.fields_version) : noFields
  const labels = {
    contacts: await labelsOf('contacts', people),
    companies: await labelsOf('companies', firms),
  }
  const { is_deleted, may_edit, may_delete, updated_at: at, updated_by: by, entered_at } = parsed
  return {
    record: { ...record, is_deleted },
    may: {
      edit: may_edit && !is_deleted,
      delete: may_delete && !is_deleted,
      restore: may_delete && is_deleted,
    },
    // A record in the bin is left as it is, so its last change is the deletion.
    deleted: is_deleted ? { at, by } : null,
    entered_at,
    leads: shownList(listed('leads') as StoredLists['leads']),
    contacts: { ...people, items: people.items.map((each) => reachedBy(labels.contacts, each)) },
    companies: { ...firms, items: firms.items.map((each) => reachedBy(labels.companies, each)) },
    customers: shownList(listed('customers') as StoredLists['customers']),
    elements: shownList(listed('elements') as StoredLists['elements']),
  }
}

/**
 * The active users who may not view a record, by their ids: whoever writes to colleagues about it learns
 * who would not see that. Throws 404 and 403 as the card does.
 */
export async function usersWithoutView(
  reader: Reader,
  actor: Actor,
  type: RecordType,
  id: number,
): Promise<number[]> {
  requireRight(actor, type, 'view')
  const row = await reader.row<ViewedRow>(recordForRights(actor, type, id))
  if (!row) throw await absence(reader, actor, type, id)
  const users = await activeActors(reader, actor)
  const without = users.filter((user) => !sees(user, type, row)).map(({ userId }) => userId)
  return without.toSorted((one, other) => one - other)
}

/** Why an actor sees no record: there is none, or no right to view it. */
async function absence(
  reader: Reader,
  actor: Actor,
  type: RecordType,
  id: number,
): Promise<Problem> {
  if ((await reader.row(anyRecord(actor, type, id))) === undefined) return notFound()
  return forbidden(`You have no right to view ${singular[type]} ${id}`)
}

/**
 * The stored file that a field of a record names. Throws 404 where the actor may not view the record, and
 * where the field has no file, or one of another drive.
 */
export async function readFileOfField(
  reader: Reader,
  actor: Actor,
  type: RecordType,
  id: number,
  fieldId: number,
): Promise<FileRow> {
  requireRight(actor, type, 'view')
  const value = await reader.row<{ file_uuid: string; version_uuid: string }>(
    fileValue(actor, type, id, fieldId),
  )
  const file = value && (await fileOfValue(reader, actor, value))
  if (!file) throw notFound('There is no such file')
  return file
}

const shownList = <Item>({ tried = 0, items }: Listed<Item>) => ({
  items: (items ?? []).slice(0, mostOnCard),
  is_more: isCut(tried) || (items ?? []).length > mostOnCard,
})

/** A contact or company with the codes of the labels of its phones and e-mails. */
function reachedBy<Item extends Reachable<object>>(
  fields: Fields,
  { phones, emails, ...rest }: Item,
) {
  const shown = (code: string, kept: KeptReach[] | null): Reached[] => {
    const field = fields.byCode.get(code)
    const labels = field ? choicesOf(field).byId : undefined
    return (kept ?? []).map(([value, label]) => ({
      value,
      enum_code: labels?.get(label)?.code ?? null,
    }))
  }
  return { ...rest, phones: shown('PHONE', phones), emails: shown('EMAIL', emails) }
}
