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
import { deleteRecord, restoreRecord } from '../../records/writing/bin.ts'
import { changeContacts, createContacts, contacts } from './contacts.ts'
import { Contact, ContactChange, ContactQuery, NewContact, OneContactChange } from './schema.ts'
import type { ContactDraft } from './schema.ts'

const path = '/api/v4/contacts'
const user = { access: 'user' } as const
const adding = { ...user, right: { type: 'contacts', action: 'add' } } as const
const editing = { ...user, right: { type: 'contacts', action: 'edit' } } as const

export function contactRoutes(app: App, { database }: Kontor): void {
  app.get(
    path,
    { config: user, schema: listDocumented('contacts', ContactQuery, Contact) },
    ({ query }, reply) => sendRecords(reply, database, contacts, query),
  )

  app.get(
    `${path}/:id`,
    { config: user, schema: oneDocumented(contacts, Contact) },
    ({ actor, params, query }, reply) => {
      requireRight(actor, 'contacts', 'view')
      return sendOneRecord(reply, database, contacts, params.id, query.with)
    },
  )

  app.post(
    path,
    { config: adding, schema: createDocumented<ContactDraft>('contacts', NewContact) },
    answerWrite(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'contacts', await createContacts(tx, actor, body)),
    ),
  )

  app.patch(
    path,
    { config: editing, schema: changeDocumented<ContactDraft>('contacts', ContactChange) },
    answerWrite(database, async (tx, { actor, base, body }) =>
      batchAnswer(base, 'contacts', await changeContacts(tx, actor, body)),
    ),
  )

  app.patch(
    `${path}/:id`,
    {
      config: editing,
      schema: oneChangeDocumented<ContactDraft>('contacts', ContactChange, OneContactChange),
    },
    answerWrite(database, async (tx, { actor, base, body }) =>
      oneChangeAnswer(base, 'contacts', await changeContacts(tx, actor, body, 'notFound')),
    ),
  )

  app.delete(
    `${path}/:id`,
    { config: user, schema: deleteDocumented('contacts') },
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => deleteRecord(tx, actor, contacts, id))
      return reply.code(204).send()
    },
  )

  app.post(
    `${path}/:id/restore`,
    { config: user, schema: restoreDocumented('contacts', Contact) },
    answerWrite(database, async (tx, request) => {
      await restoreRecord(tx, request.actor, contacts, request.params.id)
      return oneRecordAnswer(tx, request, contacts, request.params.id)
    }),
  )
}
