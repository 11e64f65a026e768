// The entity types that the journal holds: each declares its news beside its verbs.
import { declareEntities } from './changes/entity.ts'
import { chats, talks } from './features/conversations/chats/chats.ts'
import { companies } from './features/records/companies/companies.ts'
import { contacts } from './features/records/contacts/contacts.ts'
import { customers } from './features/records/customers/customers.ts'
import { elements } from './features/records/elements/elements.ts'
import { leads } from './features/records/leads/leads.ts'
import { messages } from './features/conversations/messages/messages.ts'
import { tasks } from './features/activity/tasks/tasks.ts'
import { unsortedItems } from './features/records/unsorted/unsorted.ts'

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
