// The entity types that the journal holds: each declares its news beside its verbs.
import { declareEntities } from './changes/entity.ts'
import { chats, talks } from './features/chats/chats.ts'
import { companies } from './features/companies/companies.ts'
import { contacts } from './features/contacts/contacts.ts'
import { customers } from './features/customers/customers.ts'
import { elements } from './features/elements/elements.ts'
import { leads } from './features/leads/leads.ts'
import { messages } from './features/messages/messages.ts'
import { tasks } from './features/tasks/tasks.ts'
import { unsortedItems } from './features/unsorted/unsorted.ts'

/** The news of each entity type, for the followers of the journal. */
export const entities = declareEntities([
  leads,
  contacts,
  companies,
  customers,
  elements,
  tasks,
  unsortedItems,
  chats,
  talks,
  messages,
])
