// The requests to complex creation: a lead with a contact that is there and a new company; the alien names all that it could know.
import { responsibleFor } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

export const complexRequest: Prepare = async (fixture, column) => {
  const responsible = responsibleFor(fixture, column)
  const lead = await seed.draftsByOurs(fixture, 'leads', responsible)
  const company = await seed.draftsByOurs(fixture, 'companies', responsible)
  // The contact has to be in sight.
  const contact = { id: await seed.addRecord(fixture, 'contacts', responsible) }
  const parts = [{ contacts: [contact] }, ...company.map((draft) => ({ companies: [draft] }))]
  if (column === 'alien')
    return [...lead, ...parts.map((_embedded) => ({ _embedded }))].map((draft) => ({
      body: [draft],
    }))
  const _embedded = { contacts: [contact], companies: [Object.assign({}, ...company)] }
  return { body: [Object.assign({}, ...lead, { _embedded })] }
}
