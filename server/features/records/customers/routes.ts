import { writeHandler } from '../../../access/write-handler.ts'
import { requireRight } from '../../../access/record-rights.ts'
import { batch, change } from '../../../http/body.ts'
import { batchAnswer, hal, IdParams } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import {
  changeDocumented,
  createDocumented,
  deleteDocumented,
  listDocumented,
  oneDocumented,
  restoreDocumented,
} from '../../../records/documented.ts'
import {
  oneRecordAnswer,
  sendOneRecord,
  sendRecords,
  writtenRecordAnswer,
  writtenRecordsAnswer,
} from '../../../records/lists/read.ts'
import {
  changeCustomers,
  createCustomers,
  customers,
  deleteCustomers,
  restoreCustomers,
} from './customers.ts'
import {
  ChangedCustomer,
  Customer,
  CustomerChange,
  CustomerQuery,
  NewCustomer,
  OneCustomerChange,
  WrittenCustomers,
} from './schema.ts'
import type { CustomerDraft } from './schema.ts'

const path = '/api/v4/customers'
const user = { access: 'user' } as const
const adding = { ...user, right: { type: 'customers', action: 'add' } } as const
const editing = { ...user, right: { type: 'customers', action: 'edit' } } as const

/** The most customers in one request (interface: Limits). */
const most = 500

export function customerRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    { config: user, schema: listDocumented('customers', CustomerQuery, Customer) },
    ({ query }, reply) => sendRecords(reply, database, customers, query),
  )

  app.get(
    `${path}/:id`,
    { config: user, schema: oneDocumented(customers, Customer) },
    ({ actor, params, query }, reply) => {
      requireRight(actor, 'customers', 'view')
      return sendOneRecord(reply, database, customers, params.id, query.with)
    },
  )

  app.post(
    path,
    {
      config: adding,
      schema: {
        ...createDocumented<CustomerDraft>('customers', NewCustomer),
        body: batch(NewCustomer, most),
        response: { 200: hal('The created customers, in request order', WrittenCustomers) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      writtenRecordsAnswer(tx, actor, base, customers, await createCustomers(tx, actor, body)),
    ),
  )

  app.patch(
    path,
    {
      config: editing,
      schema: {
        ...changeDocumented<CustomerDraft>('customers', CustomerChange),
        body: batch(CustomerChange, most),
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'customers', await changeCustomers(tx, actor, body)),
    ),
  )

  app.patch(
    `${path}/:id`,
    {
      config: editing,
      schema: {
        summary: 'Change a customer',
        tags: ['customers'],
        params: IdParams,
        body: change(CustomerChange, { shown: OneCustomerChange }),
        response: { 200: hal('The customer', ChangedCustomer) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const [changed] = await changeCustomers(tx, actor, body, 'notFound')
      return writtenRecordAnswer(tx, actor, base, customers, changed!)
    }),
  )

  app.delete(
    `${path}/:id`,
    { config: user, schema: deleteDocumented('customers') },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteCustomers(tx, actor, [id]))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/:id/restore`,
    { config: user, schema: restoreDocumented('customers', Customer) },
    writeHandler(database, async (tx, request) => {
      await restoreCustomers(tx, request.actor, [request.params.id])
      return oneRecordAnswer(tx, request, customers, request.params.id)
    }),
  )
}
