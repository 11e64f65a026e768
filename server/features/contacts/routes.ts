import { recordRoutes } from '../../records/routes.ts'
import type { App, Kontor } from '../../kontor.ts'
import { contacts } from './contacts.ts'
import { Contact, ContactChange, ContactQuery, NewContact, OneContactChange } from './schema.ts'

export function contactRoutes(app: App, kontor: Kontor): void {
  const shapes = {
    record: Contact,
    query: ContactQuery,
    draft: NewContact,
    change: ContactChange,
    oneChange: OneContactChange,
  }
  recordRoutes(app, kontor, contacts, shapes)
}
