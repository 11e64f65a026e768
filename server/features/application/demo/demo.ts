import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { serverItself } from '../../../access/user-access.ts'
import { earlier } from '../../../database/connect.ts'
import type { Tx } from '../../../database/connect.ts'
import { fieldsOfCatalog } from '../../../entity-types.ts'
import { accountSummary, createAccount, zoneOfServer } from '../../people/accounts/accounts.ts'
import { createCatalogs } from '../../definitions/catalogs/catalogs.ts'
import type { NewCatalog } from '../../definitions/catalogs/schema.ts'
import { changeFields, createFields } from '../../definitions/custom-fields/custom-fields.ts'
import type { FieldDraft } from '../../definitions/custom-fields/schema.ts'
import {
  changeCustomerStatus,
  createCustomerStatuses,
  findCustomerStatuses,
} from '../../records/customers/customers.ts'
import { batchOf } from '../../../http/batch.ts'
import { createGroup } from '../../people/groups/groups.ts'
import { createIntegration } from '../../programs/integrations/integrations.ts'
import type { Credentials } from '../../programs/integrations/integrations.ts'
import { createLossReasons } from '../../definitions/loss-reasons/loss-reasons.ts'
import { issueCode } from '../../programs/oauth/oauth.ts'
import { createPipeline, isClosed } from '../../definitions/pipelines/pipelines.ts'
import { createRoles } from '../../people/roles/roles.ts'
import { createSegment, setConditions } from '../../records/segments/segments.ts'
import { createSources } from '../../definitions/sources/sources.ts'
import { createTaskType } from '../../definitions/task-types/task-types.ts'
import { createUser } from '../../people/users/users.ts'
import type { Kontor } from '../../../kontor.ts'
import { randomText } from '../../../secrets.ts'
import { daySeconds } from './demo-calendar.ts'
import * as customerData from './demo-customers.ts'
import * as data from './demo-data.ts'
import * as productData from './demo-products.ts'
import { taskTypes } from './demo-tasks.ts'
import { addElements, madeIds, liveYear } from './demo-year.ts'
import type { Year } from './demo-year.ts'
import { rememberRecords } from './queries.ts'

export { partnerPipeline } from './demo-data.ts'

/** The account is a little older than the oldest record. */
const yearSeconds = 370 * daySeconds

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
    const born = at - yearSeconds
    const accountId = await createAccount(tx, born, {
      subdomain,
      name: 'Demo',
      timezone: await zoneOfServer(tx),
    })
    const admin = { name: 'Administrator', email, password, is_admin: true }
    const userId = await createUser(tx, accountId, born, admin)
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
    const salesId = await addSalesperson(earlier(tx, yearSeconds), { ...actor, at: born }, sales)
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
  const [role_id] = madeIds(await createRoles(tx, actor, '', batchOf([role])))
  return createUser(tx, actor.accountId, actor.at, {
    ...person,
    group_id,
    role_id: role_id!,
    rights: {},
  })
}

/** Settings first, then the year that uses them; every third record is the salesperson's. */
async function fillAccount(tx: Tx, actor: Actor, salesId: number): Promise<void> {
  const { timezone } = (await tx.row<{ timezone: string }>(accountSummary(actor)))!
  const calendar = { now: actor.at, timezone }
  const settings = await addSettings(earlier(tx, yearSeconds), {
    ...actor,
    at: actor.at - yearSeconds,
  })
  await liveYear(tx, actor, {
    calendar,
    owner: (index) => (index % 3 === 1 ? salesId : actor.userId),
    ...settings,
    companyIds: [],
    contactIds: [],
    leadIds: [],
    customerIds: [],
  })
}

type Settings = Pick<
  Year,
  | 'catalog'
  | 'invoicesId'
  | 'main'
  | 'partners'
  | 'lossReasonIds'
  | 'statusIds'
  | 'segmentIds'
  | 'typeIds'
>

async function addSettings(tx: Tx, actor: Actor): Promise<Settings> {
  await createPipeline(tx, actor.accountId, data.partnerPipeline)
  const lossReasonIds = madeIds(await createLossReasons(tx, actor, '', batchOf(data.lossReasons)))
  await createSources(tx, actor, '', batchOf(data.sources))
  const fields = { ...data.fields, customers: customerData.customerFields }
  for (const type of ['leads', 'contacts', 'companies', 'customers'] as const) {
    const scope = { path: type, holder: type, type }
    await createFields(tx, actor, scope, fieldBatch(fields[type]))
  }
  const catalog = await addProducts(tx, actor)
  const invoices = { name: 'Invoices', type: 'invoices' as const, can_link_multiple: false }
  const invoicesId = await addCatalog(tx, actor, invoices)
  const stages = await tx.rows<data.DemoStage & { is_main: boolean }>(sql`
    select pipeline_id, status.id as status_id, pipeline.is_main
      from statuses status
      join pipelines pipeline on pipeline.account_id = status.account_id and pipeline.id = pipeline_id
     where status.account_id = ${actor.accountId} and type = 0
     order by pipeline_id, status.sort`)
  const stagesOf = (isMain: boolean) =>
    stages
      .filter(({ is_main, status_id }) => is_main === isMain && !isClosed(status_id))
      .map(({ pipeline_id, status_id }) => ({ pipeline_id, status_id }))
  const typeIds: number[] = []
  // The verb takes one type.
  for (const type of taskTypes) typeIds.push((await createTaskType(tx, actor, type)).id)
  return {
    catalog,
    invoicesId,
    main: stagesOf(true),
    partners: stagesOf(false),
    lossReasonIds,
    statusIds: await addCustomerStatuses(tx, actor),
    // Their conditions take customers in as these come and buy.
    segmentIds: await addSegments(tx, actor, catalog),
    typeIds,
  }
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

async function addCatalog(tx: Tx, actor: Actor, draft: NewCatalog): Promise<number> {
  const [catalog] = await createCatalogs(tx, actor, '', batchOf([draft]))
  return catalog!.id
}

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

/** The data has types of fields as texts. */
const fieldBatch = (drafts: data.DemoField[]) => batchOf(drafts as unknown as FieldDraft[])
