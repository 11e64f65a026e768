import type { App, Kontor } from '../../../kontor.ts'
import { recordRoutes } from '../../../records/routes.ts'
import { deleteRecord } from '../../../records/writing/bin.ts'
import { changeContacts, createContacts, contacts } from './contacts.ts'
import { Contact, ContactChange, ContactQuery, NewContact, OneContactChange } from './schema.ts'
import type { ContactDraft } from './schema.ts'

export function contactRoutes(app: App, kontor: Kontor): void {
  recordRoutes<ContactDraft>(
    app,
    kontor,
    contacts,
    {
      Shown: Contact,
      Query: ContactQuery,
      New: NewContact,
      Change: ContactChange,
      OneChange: OneContactChange,
    },
    {
      create: createContacts,
      change: changeContacts,
      remove: (tx, actor, id) => deleteRecord(tx, actor, contacts, id),
    },
  )
}
