import { writeHandler } from '../../../access/write-handler.ts'
import { forbidIntegrations } from '../../../access/actor.ts'
import { requireRight } from '../../../access/record-rights.ts'
import { batch, one } from '../../../http/body.ts'
import {
  hal,
  halAnswer,
  IdParams,
  json,
  nothing,
  Page,
  sendJson,
  sendRecord,
} from '../../../http/hal.ts'
import type { Answer } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { invalid } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { checkParent } from '../../activity/notes/notes.ts'
import { changeBonusPoints } from './bonus-points.ts'
import { findTransactions } from './find.ts'
import { oneTransaction, purchasesByMonth } from './queries.ts'
import * as shapes from './schema.ts'
import type { AddedTransaction, TransactionQuery } from './schema.ts'
import { createTransactions, deleteTransaction } from './transactions.ts'

const customers = '/api/v4/customers'
const user = { access: 'user' } as const
const editing = { ...user, right: { type: 'customers', action: 'edit' } } as const

/** Rows per page at most (interface: Limits). */
const most = 500

/** The ids in the paths: of all purchases, and of those of one customer. */
interface Named {
  customer_id?: number
  id: number
}

export function transactionRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  // Static paths are registered before those with parameters: `transactions` is no customer.
  transactionsAt(app, kontor, `${customers}/transactions`, {})
  const ofCustomer = `${customers}/:customer_id/transactions`
  transactionsAt(app, kontor, ofCustomer, shapes.CustomerParams.properties)
  purchasesByMonthAt(app, kontor)

  app.post(
    ofCustomer,
    {
      config: editing,
      schema: {
        ...about('Add transactions of one customer'),
        params: shapes.CustomerParams,
        querystring: shapes.AccrualQuery,
        body: batch(shapes.NewTransaction),
        response: {
          200: hal('The added transactions, in request order', shapes.AddedTransactions),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params, query }) => {
      const { accrue_bonus: accrues = true } = query
      const id = params.customer_id
      return addedAnswer(base, id, await createTransactions(tx, actor, id, body, accrues))
    }),
  )

  app.post(
    `${customers}/:id/bonus_points`,
    {
      config: editing,
      schema: {
        ...about('Add bonus points to a customer, or take some'),
        params: IdParams,
        body: one(shapes.BonusPointsChange, { check: shapes.checkBonusPoints }),
        response: { 200: hal('The points of the customer', shapes.BonusPoints) },
      },
    },
    writeHandler(database, async (tx, { actor, body, params: { id } }) =>
      halAnswer({ bonus_points: await changeBonusPoints(tx, actor, id, body) }),
    ),
  )
}

/** Private to the web application. */
function purchasesByMonthAt(app: App, { database }: Kontor): void {
  app.get(
    '/web/v1/customers/:id/purchases-by-month',
    {
      config: user,
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Count the purchases of a customer by months',
        params: IdParams,
        response: { 200: json('The months with purchases', shapes.PurchasesByMonth) },
      },
    },
    async ({ actor, params: { id } }, reply) => {
      await checkParent(database, actor, { type: 'customers', entityId: id }, 'view')
      const counted = purchasesByMonth(actor, id, shapes.monthsShown)
      return sendJson(reply, { months: await database.rows(counted) })
    },
  )
}

/** The methods that both paths have. */
function transactionsAt(
  app: App,
  { database }: Kontor,
  path: string,
  named: Partial<typeof shapes.CustomerParams.properties>,
): void {
  const whose = named.customer_id ? 'one customer' : 'any customer'
  const ofOne = Type.Object({ ...named, ...IdParams.properties })

  app.get(
    path,
    {
      config: user,
      schema: {
        ...about(`List transactions of ${whose}`),
        params: Type.Object(named),
        querystring: shapes.TransactionQuery,
        response: {
          200: hal('A page of transactions', Page('transactions', shapes.Transaction)),
          204: nothing,
        },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      const { customer_id: entityId } = params as Named
      const skip = skipOf(query)
      await checkParent(database, actor, { type: 'customers', entityId }, 'view')
      return sendPage(reply, { collection: 'transactions', most, skip }, (seek) =>
        findTransactions(database, actor, base, query, seek, entityId),
      )
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: user,
      schema: {
        ...about(`Read a transaction of ${whose}`),
        params: ofOne,
        response: { 200: hal('The transaction', shapes.Transaction) },
      },
    },
    async ({ actor, base, params }, reply) => {
      requireRight(actor, 'customers', 'view')
      const { customer_id, id } = params as Named
      const row = await database.row<{ json: string | null }>(
        oneTransaction(actor, base, id, customer_id),
      )
      return sendRecord(reply, row, 'always 404')
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: editing,
      schema: {
        ...about(`Delete a transaction of ${whose}`),
        params: ofOne,
        response: {
          204: Type.Null({
            description: 'The transaction is deleted, and its sums are taken back',
          }),
        },
      },
    },
    async ({ actor, params }, reply) => {
      const { customer_id, id } = params as Named
      await database.transaction((tx) => deleteTransaction(tx, actor, id, customer_id))
      return reply.code(204).send()
    },
  )
}

const about = (summary: string) => ({ summary, tags: ['transactions'] })

/** `offset` works only together with `limit` (interface: Transaction). */
function skipOf({ offset = 0, limit }: TransactionQuery): number {
  if (offset > 0 && limit === undefined)
    throw invalid([
      {
        request_id: '0',
        errors: [
          { code: 'FieldMissing', path: 'limit', detail: 'offset works only together with limit.' },
        ],
      },
    ])
  return offset
}

function addedAnswer(base: string, customerId: number, added: AddedTransaction[]): Answer {
  const customer = `${base}${customers}/${customerId}`
  const href = `${customer}/transactions`
  return halAnswer({
    _total_items: added.length,
    _links: { self: { href } },
    _embedded: {
      transactions: added.map((each) => ({
        ...each,
        _links: { self: { href: `${href}/${each.id}` } },
        _embedded: { customer: { id: customerId, _links: { self: { href: customer } } } },
      })),
    },
  })
}
