import { sendBatch, sendOneChanged } from '../../http/hal.ts'
import type { App, Kontor } from '../../kontor.ts'
import {
  changeDocumented,
  createDocumented,
  deleteDocumented,
  listDocumented,
  oneChangeDocumented,
  oneDocumented,
  restoreDocumented,
} from '../../records/documented.ts'
import { sendOneRecord, sendRecords } from '../../records/lists/read.ts'
import { requireRight } from '../../access/record-rights.ts'
import { deleteRecord, restoreRecord } from '../../records/writing/bin.ts'
import { changeLeads, createLeads, leads } from './leads.ts'
import { Lead, LeadChange, LeadQuery, NewLead, OneLeadChange } from './schema.ts'
import type { LeadDraft } from './schema.ts'

const path = '/api/v4/leads'
const user = { access: 'user' } as const

export function leadRoutes(app: App, { database }: Kontor): void {
  // The specification has the singular path beside the plural.
  for (const listed of [path, '/api/v4/lead'])
    app.get(
      listed,
      { config: user, schema: listDocumented('leads', LeadQuery, Lead) },
      ({ query }, reply) => sendRecords(reply, database, leads, query),
    )

  app.get(
    `${path}/:id`,
    { config: user, schema: oneDocumented(leads, Lead) },
    ({ actor, params, query }, reply) => {
      requireRight(actor, 'leads', 'view')
      return sendOneRecord(reply, database, leads, params.id, query.with)
    },
  )

  app.post(
    path,
    { config: user, schema: createDocumented<LeadDraft>('leads', NewLead) },
    async ({ actor, body }, reply) => {
      const created = await database.transaction((tx) => createLeads(tx, actor, body))
      return sendBatch(reply, 'leads', created)
    },
  )

  app.patch(
    path,
    { config: user, schema: changeDocumented<LeadDraft>('leads', LeadChange) },
    async ({ actor, body }, reply) => {
      const changed = await database.transaction((tx) => changeLeads(tx, actor, body))
      return sendBatch(reply, 'leads', changed)
    },
  )

  app.patch(
    `${path}/:id`,
    {
      config: user,
      schema: oneChangeDocumented<LeadDraft>('leads', LeadChange, OneLeadChange),
    },
    async ({ actor, body }, reply) => {
      const changed = await database.transaction((tx) => changeLeads(tx, actor, body, 'notFound'))
      return sendOneChanged(reply, 'leads', changed)
    },
  )

  app.delete(
    `${path}/:id`,
    { config: user, schema: deleteDocumented('leads') },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteRecord(tx, actor, leads, id))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/:id/restore`,
    { config: user, schema: restoreDocumented('leads', Lead) },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => restoreRecord(tx, actor, leads, id))
      return sendOneRecord(reply, database, leads, id)
    },
  )
}
