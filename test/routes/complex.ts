// The questions to complex creation: a lead with a contact that is there and a new company; the alien names all that it could know.
import { responsibleFor } from './cast.ts'
import type { Prepare } from './requests.ts'
import * as things from './things.ts'

export const complexRequest: Prepare = async (cast, column) => {
  const responsible = responsibleFor(cast, column)
  const lead = await things.draftsByOurs(cast, 'leads', responsible)
  const company = await things.draftsByOurs(cast, 'companies', responsible)
  // The contact has to be in sight.
  const contact = { id: await things.addRecord(cast, 'contacts', responsible) }
  const parts = [{ contacts: [contact] }, ...company.map((draft) => ({ companies: [draft] }))]
  if (column === 'alien')
    return [...lead, ...parts.map((_embedded) => ({ _embedded }))].map((draft) => ({
      body: [draft],
    }))
  const _embedded = { contacts: [contact], companies: [Object.assign({}, ...company)] }
  return { body: [Object.assign({}, ...lead, { _embedded })] }
}
