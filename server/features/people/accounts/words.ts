import type { EntityNames } from './schema.ts'

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
