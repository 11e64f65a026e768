import type { EntityNames, TaskType } from './schema.ts'

/** The two predefined types (specification, Task: 1 = call, 2 = meeting). */
export const taskTypes: TaskType[] = [
  { id: 1, name: 'Call', color: null, icon_id: null, code: 'FOLLOW_UP' },
  { id: 2, name: 'Meeting', color: null, icon_id: null, code: 'MEETING' },
]

const english = (singular: string, plural: string) => ({
  en: { gender: 'm', singular_form: { default: singular }, plural_form: { default: plural } },
})

/** The names of the entity types, by type and language. */
export const entityNames: EntityNames = {
  leads: english('Lead', 'Leads'),
  contacts: english('Contact', 'Contacts'),
  companies: english('Company', 'Companies'),
  customers: english('Customer', 'Customers'),
}
