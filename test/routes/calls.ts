// What is asked for by the route of calls: to put a call on the contact of a number.
import { responsibleFor } from './cast.ts'
import type { Prepare } from './requests.ts'
import * as things from './things.ts'

export const callRequests: Record<string, Prepare> = {
  'POST /api/v4/calls': async (cast, column) => {
    const phone = String(9_000_000_000 + Math.floor(Math.random() * 1_000_000_000))
    const contact = await things.addRecord(cast, 'contacts', responsibleFor(cast, column))
    const custom_fields_values = [{ field_code: 'PHONE', values: [{ value: phone }] }]
    const changed = await cast.account.api.patch(`/api/v4/contacts/${contact}`, {
      custom_fields_values,
    })
    if (changed.status !== 200) throw new Error(`no phone: ${JSON.stringify(changed.body)}`)
    return { body: [{ direction: 'inbound', duration: 1, source: 'pbx', phone, uniq: cast.mark }] }
  },
}
