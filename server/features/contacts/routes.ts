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
import { changeContacts, createContacts, contacts } from './contacts.ts'
import { Contact, ContactChange, ContactQuery, NewContact, OneContactChange } from './schema.ts'
import type { ContactDraft } from './schema.ts'

const path = '/api/v4/contacts'
const user = { access: 'user' } as const

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
    { config: user, schema: createDocumented<ContactDraft>('contacts', NewContact) },
    async ({ actor, body }, reply) => {
      const created = await database.transaction((tx) => createContacts(tx, actor, body))
      return sendBatch(reply, 'contacts', created)
    },
  )

  app.patch(
    path,
    { config: user, schema: changeDocumented<ContactDraft>('contacts', ContactChange) },
    async ({ actor, body }, reply) => {
      const changed = await database.transaction((tx) => changeContacts(tx, actor, body))
      return sendBatch(reply, 'contacts', changed)
    },
  )

  app.patch(
    `${path}/:id`,
    {
      config: user,
      schema: oneChangeDocumented<ContactDraft>('contacts', ContactChange, OneContactChange),
    },
    async ({ actor, body }, reply) => {
      const changed = await database.transaction((tx) =>
        changeContacts(tx, actor, body, 'notFound'),
      )
      return sendOneChanged(reply, 'contacts', changed)
    },
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
    async ({ actor, params: { id } }, reply) => {
      await database.transaction((tx) => restoreRecord(tx, actor, contacts, id))
      return sendOneRecord(reply, database, contacts, id)
    },
  )
}
