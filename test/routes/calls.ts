// The requests to the routes of calls: to put a call on the contact of a number, or on its lead.
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Column } from '../routes.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

async function addPhone({ account: { api } }: RouteFixture, contact: number): Promise<string> {
  const phone = String(9_000_000_000 + Math.floor(Math.random() * 1_000_000_000))
  const custom_fields_values = [{ field_code: 'PHONE', values: [{ value: phone }] }]
  const { status, body } = await api.patch(`/api/v4/contacts/${contact}`, { custom_fields_values })
  if (status !== 200) throw new Error(`the phone was refused: ${JSON.stringify(body)}`)
  return phone
}

/** A call of a new contact, which may have an active lead. */
export const callOf =
  (direction: 'inbound' | 'outbound', { hasLead = false } = {}): Prepare =>
  async (fixture: RouteFixture, column: Column) => {
    const contact = await seed.addRecord(fixture, 'contacts', responsibleFor(fixture, column))
    const phone = await addPhone(fixture, contact)
    const lead = { _embedded: { contacts: [{ id: contact }] } }
    if (hasLead) await fixture.account.api.post('/api/v4/leads', [lead])
    return { body: [{ direction, duration: 1, source: 'pbx', phone, uniq: phone }] }
  }

export const callRequests: Record<string, Prepare> = {
  'POST /api/v4/calls': callOf('inbound'),
}
