import { answerWrite } from '../../access/answer-write.ts'
import { batchAnswer, oneChangeAnswer } from '../../http/hal.ts'
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
import { oneRecordAnswer, sendOneRecord, sendRecords } from '../../records/lists/read.ts'
import { requireRight } from '../../access/record-rights.ts'
import { restoreRecord } from '../../records/writing/bin.ts'
import { keepingFiles } from '../notes/notes.ts'
import { changeOrAcceptLeads } from '../unsorted/unsorted.ts'
import { createLeads, deleteLead, leads } from './leads.ts'
import { Lead, LeadChange, LeadQuery, NewLead, OneLeadChange } from './schema.ts'
import type { LeadDraft } from './schema.ts'

const path = '/api/v4/leads'
const user = { access: 'user' } as const
const adding = { ...user, right: { type: 'leads', action: 'add' } } as const
const editing = { ...user, right: { type: 'leads', action: 'edit' } } as const

export function leadRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const keepFiles = keepingFiles(kontor)
  // The interface has the singular path beside the plural (interface: Filtered lists).
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
    { config: adding, schema: createDocumented<LeadDraft>('leads', NewLead) },
    answerWrite(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'leads', await createLeads(tx, actor, body)),
    ),
  )

  app.patch(
    path,
    { config: editing, schema: changeDocumented<LeadDraft>('leads', LeadChange) },
    answerWrite(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'leads', await changeOrAcceptLeads(tx, actor, body, keepFiles)),
    ),
  )

  app.patch(
    `${path}/:id`,
    {
      config: editing,
      schema: oneChangeDocumented<LeadDraft>('leads', LeadChange, OneLeadChange),
    },
    answerWrite(database, async (tx, { actor, base, body }) =>
      oneChangeAnswer(
        base,
        'leads',
        await changeOrAcceptLeads(tx, actor, body, keepFiles, 'notFound'),
      ),
    ),
  )

  app.delete(
    `${path}/:id`,
    { config: user, schema: deleteDocumented('leads') },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteLead(tx, actor, id))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/:id/restore`,
    { config: user, schema: restoreDocumented('leads', Lead) },
    answerWrite(database, async (tx, request) => {
      await restoreRecord(tx, request.actor, leads, request.params.id)
      return oneRecordAnswer(tx, request, leads, request.params.id)
    }),
  )
}
