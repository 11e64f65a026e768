import sql from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { serverItself } from '../../access/standing.ts'
import type { Tx } from '../../database/connect.ts'
import { fieldsOfCatalog } from '../../entity-types.ts'
import { accountHead, createAccount, zoneOfServer } from '../accounts/accounts.ts'
import { createCatalogs } from '../catalogs/catalogs.ts'
import type { NewCatalog } from '../catalogs/schema.ts'
import { createCompanies } from '../companies/companies.ts'
import { createContacts } from '../contacts/contacts.ts'
import { changeFields, createFields } from '../custom-fields/custom-fields.ts'
import type { FieldDraft } from '../custom-fields/schema.ts'
import {
  changeCustomers,
  changeCustomerStatus,
  createCustomers,
  createCustomerStatuses,
  findCustomerStatuses,
} from '../customers/customers.ts'
import { createElements } from '../elements/elements.ts'
import type { NewElement } from '../elements/schema.ts'
import { createGroup } from '../groups/groups.ts'
import { createIntegration } from '../integrations/integrations.ts'
import type { Credentials } from '../integrations/integrations.ts'
import { createLeads } from '../leads/leads.ts'
import { linkRecords } from '../links/links.ts'
import { createLossReasons } from '../loss-reasons/loss-reasons.ts'
import { createNotes, pinNote } from '../notes/notes.ts'
import type { NewNote } from '../notes/schema.ts'
import { issueCode } from '../oauth/oauth.ts'
import { createPipeline, isClosed, won } from '../pipelines/pipelines.ts'
import { createRoles } from '../roles/roles.ts'
import { createSegment, setConditions } from '../segments/segments.ts'
import { createSources } from '../sources/sources.ts'
import { createTaskType } from '../task-types/task-types.ts'
import { createTasks } from '../tasks/tasks.ts'
import { addItems } from '../unsorted/unsorted.ts'
import { createTransactions } from '../transactions/transactions.ts'
import { createUser } from '../users/users.ts'
import { newFaults } from '../../http/batch.ts'
import type { Batch } from '../../http/batch.ts'
import type { Kontor } from '../../kontor.ts'
import { randomText } from '../../secrets.ts'
import * as customerData from './demo-customers.ts'
import * as data from './demo-data.ts'
import * as productData from './demo-products.ts'
import * as taskData from './demo-tasks.ts'
import { unsortedDrafts } from './demo-unsorted.ts'
import { rememberRecords } from './queries.ts'

export interface Demo extends Credentials {
  subdomain: string
  email: string
  password: string
  /** Of a user who sees only a part of the leads. */
  sales_email: string
  sales_password: string
  code: string
}

/**
 * Creates a demo account with something of everything, in the time zone of the server, in one
 * transaction: killed in the middle, it leaves nothing. On a server that has a demo account it becomes demo-2, demo-3 …
 */
export async function createDemo(kontor: Kontor): Promise<Demo> {
  const { database, secrets } = kontor
  const at = kontor.now()
  const [password, sales_password] = [randomText(16), randomText(16)]
  return database.transaction(async (tx) => {
    const subdomain = await freeSubdomain(tx)
    const [email, sales_email] = [`admin@${subdomain}.example`, `sales@${subdomain}.example`]
    const accountId = await createAccount(tx, at, {
      subdomain,
      name: 'Demo',
      timezone: await zoneOfServer(tx),
    })
    const admin = { name: 'Administrator', email, password, is_admin: true }
    const userId = await createUser(tx, accountId, at, admin)
    const integration = await createIntegration(
      tx,
      secrets,
      { accountId, userId, at },
      {
        name: 'First integration',
        redirect_uri: 'https://example.com/oauth',
        manages_people: true,
      },
    )
    // Sources belong to the integration that made them.
    const actor: Actor = {
      ...serverItself(accountId, at),
      subdomain,
      userId,
      clientId: integration.client_id,
    }
    const sales = { name: 'Robin Sales', email: sales_email, password: sales_password }
    const salesId = await addSalesperson(tx, actor, sales)
    await fillAccount(tx, actor, salesId)
    await tx.rows(rememberRecords(actor))
    const code = await issueCode(tx, { accountId, clientId: integration.client_id, userId, at })
    return { ...integration, subdomain, email, password, sales_email, sales_password, code }
  })
}

/** Fills a new account, which nobody uses yet, with the demo records; all are the actor's. */
export async function addDemoData(tx: Tx, actor: Actor): Promise<void> {
  await fillAccount(tx, actor, actor.userId)
  await tx.rows(rememberRecords(actor))
}

async function freeSubdomain(tx: Tx): Promise<string> {
  const taken = await tx.rows<{ subdomain: string }>(
    sql`select subdomain from accounts where subdomain like 'demo%'`,
  )
  const names = taken.map(({ subdomain }) => subdomain)
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'demo' : `demo-${number}`
    if (!names.includes(name)) return name
  }
}

/** A limited user: with a role, in a group of its own. */
async function addSalesperson(
  tx: Tx,
  actor: Actor,
  person: { name: string; email: string; password: string },
): Promise<number> {
  const { id: group_id } = await createGroup(tx, actor, { name: 'Field sales' })
  const role = { name: 'Salesperson', rights: data.salesRights }
  const [role_id] = idsOf(await createRoles(tx, actor, '', batchOf([role])))
  return createUser(tx, actor.accountId, actor.at, {
    ...person,
    group_id,
    role_id: role_id!,
    rights: {},
  })
}

/** Settings first, then records that use them; every third record is the salesperson's. */
async function fillAccount(tx: Tx, actor: Actor, salesId: number): Promise<void> {
  const owner = (place: number) => (place % 3 === 1 ? salesId : actor.userId)
  await createPipeline(tx, actor.accountId, data.partnerPipeline)
  const reasons = await createLossReasons(tx, actor, '', batchOf(data.lossReasons))
  await createSources(tx, actor, '', batchOf(data.sources))
  const fields = { ...data.fields, customers: customerData.customerFields }
  for (const type of ['leads', 'contacts', 'companies', 'customers'] as const) {
    const scope = { path: type, holder: type, type }
    await createFields(tx, actor, scope, fieldBatch(fields[type]))
  }
  const catalog = await addProducts(tx, actor)
  const companyIds = idsOf(
    await createCompanies(tx, actor, batchOf(data.companyDrafts(actor.at, owner))),
  )
  const contactIds = idsOf(
    await createContacts(tx, actor, batchOf(data.contactDrafts(actor.at, owner, companyIds))),
  )
  const stages = await tx.rows<{ pipeline_id: number; status_id: number; is_main: boolean }>(sql`
    select pipeline_id, status.id as status_id, pipeline.is_main
      from statuses status
      join pipelines pipeline on pipeline.account_id = status.account_id and pipeline.id = pipeline_id
     where status.account_id = ${actor.accountId} and type = 0
     order by pipeline_id, status.sort`)
  const stagesOf = (isMain: boolean) =>
    stages
      .filter(({ is_main, status_id }) => is_main === isMain && !isClosed(status_id))
      .map(({ pipeline_id, status_id }) => ({ pipeline_id, status_id }))
  const around = {
    owner,
    main: stagesOf(true),
    partners: stagesOf(false),
    companyIds,
    contactIds,
    lossReasonIds: idsOf(reasons),
  }
  const leads = data.leadDrafts(actor.at, around)
  const leadIds = idsOf(await createLeads(tx, actor, batchOf(leads)))
  await linkRecords(tx, actor, 'leads', batchOf(data.leadElements(catalog, leadIds)))
  await addInvoices(tx, actor, data.invoiceDrafts(actor.at, catalog, { leadIds, companyIds }))
  const said = await addNotes(tx, actor, 'leads', data.leadNotes(actor.at, leadIds))
  await pinNote(tx, actor, 'leads', said[0]!, true)
  await addNotes(tx, actor, 'contacts', data.contactNotes(actor.at, contactIds))
  const customerIds = await addCustomers(tx, actor, catalog, { owner, companyIds, contactIds })
  const placed = leads.map(({ status_id }, place) => ({ place, id: leadIds[place]!, status_id }))
  await addTasks(tx, actor, {
    owner,
    openLeads: byPlace(placed.filter(({ status_id }) => !isClosed(status_id!))),
    wonLeads: byPlace(placed.filter(({ status_id }) => status_id === won)),
    contactIds,
    companyIds,
    customerIds,
  })
  await addItems(tx, actor, batchOf(unsortedDrafts(actor.at)))
}

/** The catalog of products, with a tree of categories and a price for wholesale. */
async function addProducts(tx: Tx, actor: Actor): Promise<productData.DemoCatalog> {
  const draft = { name: 'Products', type: 'products' as const, can_show_in_cards: true }
  const id = await addCatalog(tx, actor, draft)
  const scope = {
    path: `catalogs/${id}`,
    holder: 'catalogs' as const,
    type: fieldsOfCatalog(id),
    catalog_id: id,
  }
  await createFields(tx, actor, scope, fieldBatch(productData.productFields))
  const fields = await tx.rows<{ id: number; code: string }>(
    sql`select id, code from custom_fields where account_id = ${actor.accountId} and entity_type = ${scope.type}`,
  )
  const fieldId = (code: string) => fields.find((field) => field.code === code)!.id
  const tree = { id: fieldId('GROUP'), nested: productData.categoryDrafts }
  const [group] = await changeFields(tx, actor, scope, batchOf([tree]))
  const categoryIds = new Map(group!.nested!.map((category) => [category.value, category.id!]))
  return {
    id,
    productIds: await addElements(tx, actor, id, productData.productDrafts(categoryIds)),
    priceId: fieldId('PRICE'),
    wholesaleId: fieldId('WHOLESALE_PRICE'),
  }
}

/** A catalog whose invoices have one lead each. */
async function addInvoices(
  tx: Tx,
  actor: Actor,
  invoices: ReturnType<typeof data.invoiceDrafts>,
): Promise<void> {
  const draft = { name: 'Invoices', type: 'invoices' as const, can_link_multiple: false }
  const catalog_id = await addCatalog(tx, actor, draft)
  const drafts = invoices.map((invoice) => invoice.draft)
  const ids = await addElements(tx, actor, catalog_id, drafts)
  const links = ids.map((id, place) => ({
    entity_id: invoices[place]!.leadId,
    to_entity_id: id,
    to_entity_type: 'catalog_elements' as const,
    metadata: { catalog_id },
  }))
  await linkRecords(tx, actor, 'leads', batchOf(links))
}

async function addCatalog(tx: Tx, actor: Actor, draft: NewCatalog): Promise<number> {
  const [catalog] = await createCatalogs(tx, actor, '', batchOf([draft]))
  return catalog!.id
}

async function addElements(
  tx: Tx,
  actor: Actor,
  catalogId: number,
  drafts: NewElement[],
): Promise<number[]> {
  const texts = await createElements(tx, actor, '', catalogId, batchOf(drafts))
  return idsOf(texts.map((text) => JSON.parse(text) as { id: number }))
}

interface Surroundings {
  owner: data.Owner
  companyIds: number[]
  contactIds: number[]
}

/** Segments first: their conditions then take customers in as these are made and buy. */
async function addCustomers(
  tx: Tx,
  actor: Actor,
  catalog: productData.DemoCatalog,
  { owner, companyIds, contactIds }: Surroundings,
): Promise<number[]> {
  const statusIds = await addCustomerStatuses(tx, actor)
  const segmentIds = await addSegments(tx, actor, catalog)
  const drafts = customerData.customerDrafts(actor.at, {
    owner,
    companyIds,
    contactIds,
    segmentIds,
  })
  const ids = idsOf(await createCustomers(tx, actor, batchOf(drafts)))
  // The verb takes the purchases of one customer.
  for (const [place, id] of ids.entries()) {
    const purchases = customerData.purchaseDrafts(actor.at, place, catalog, owner)
    await createTransactions(tx, actor, id, batchOf(purchases), true)
  }
  const placed = customerData
    .placedCustomers(ids)
    .map(({ id, status }) => ({ id, status_id: statusIds[status]! }))
  await changeCustomers(tx, actor, batchOf(placed))
  const orders = customerData
    .standingOrders(ids)
    .flatMap(({ id, goods, isWholesale }) =>
      productData.elementDrafts(catalog, id, goods, isWholesale),
    )
  await linkRecords(tx, actor, 'customers', batchOf(orders))
  await addNotes(tx, actor, 'customers', customerData.customerNotes(actor.at, ids))
  return ids
}

/** The account's own types first. */
async function addTasks(
  tx: Tx,
  actor: Actor,
  around: Omit<Parameters<typeof taskData.taskDrafts>[1], 'typeIds' | 'timezone'>,
): Promise<void> {
  const { timezone } = (await tx.row<{ timezone: string }>(accountHead(actor)))!
  const typeIds: number[] = []
  // The verb takes one type.
  for (const type of taskData.taskTypes) typeIds.push((await createTaskType(tx, actor, type)).id)
  await createTasks(
    tx,
    actor,
    batchOf(taskData.taskDrafts(actor.at, { ...around, typeIds, timezone })),
  )
}

const byPlace = (records: { place: number; id: number }[]) =>
  new Map(records.map(({ place, id }) => [place, id]))

/** Answers the ids of the further statuses. */
async function addCustomerStatuses(tx: Tx, actor: Actor): Promise<number[]> {
  const [ordinary] = (await findCustomerStatuses(tx, actor, '')).filter(({ type }) => type === 0)
  const [renamed] = batchOf([{ name: customerData.regularStatus }]).items
  await changeCustomerStatus(tx, actor, ordinary!.id, renamed!)
  return createCustomerStatuses(tx, actor, batchOf(customerData.furtherStatuses))
}

async function addSegments(
  tx: Tx,
  actor: Actor,
  catalog: productData.DemoCatalog,
): Promise<number[]> {
  const scope = { path: 'customers/segments', holder: 'segments', type: 'segments' } as const
  await createFields(tx, actor, scope, fieldBatch(customerData.segmentFields))
  const ids: number[] = []
  // The verbs take one segment.
  for (const { draft, conditions } of customerData.demoSegments(catalog)) {
    const id = await createSegment(tx, actor, batchOf([draft]))
    if (conditions) await setConditions(tx, actor, id, conditions)
    ids.push(id)
  }
  return ids
}

async function addNotes(
  tx: Tx,
  actor: Actor,
  type: 'leads' | 'contacts' | 'customers',
  notes: NewNote[],
): Promise<number[]> {
  // The data above has the params that each type takes, and names no files.
  const asTheyAre: Parameters<typeof createNotes>[4] = {
    readParams: (_type, params) => ({ value: params, faults: [] }),
    keepFiles: (_tx, _actor, notes) => Promise.resolve(notes.map(() => null)),
  }
  return idsOf(await createNotes(tx, actor, { type }, batchOf(notes), asTheyAre))
}

function batchOf<Value>(values: readonly Value[]): Batch<Value> {
  const items = values.map((value, index) => ({ index, request_id: String(index), value }))
  return { items, faults: newFaults() }
}

/** The data has types of fields as texts. */
const fieldBatch = (drafts: data.DemoField[]) => batchOf(drafts as unknown as FieldDraft[])

const idsOf = (made: readonly { id: number }[]) => made.map(({ id }) => id)
