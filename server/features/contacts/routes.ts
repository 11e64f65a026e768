import type { App } from '../../app.ts'
import { recordRoutes } from '../../entities/routes.ts'
import type { Kontor } from '../../kontor.ts'
import { contacts } from './contacts.ts'
import { Contact, ContactChange, ContactQuery, NewContact, OneContactChange } from './schema.ts'

export function contactRoutes(app: App, kontor: Kontor): void {
  const shapes = { record: Contact, query: ContactQuery, draft: NewContact, change: ContactChange, oneChange: OneContactChange }
  recordRoutes(app, kontor, contacts, shapes)
}
