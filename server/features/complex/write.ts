// Writes what was settled, kind by kind: what is new first, then what stored records gain.
import { recordChanged } from '../../changes/record.ts'
import type { RecordChange } from '../../changes/record.ts'
import { fieldsOf } from '../../records/fields/definitions.ts'
import { tooHeavy } from '../../records/fields/values.ts'
import type { RecordDescription } from '../../records/description.ts'
import { nameOf } from '../../records/link-rules.ts'
import type { RecordRow } from '../../records/statements.ts'
import type { Sent } from '../../records/schema.ts'
import { addRecords, writeChanges } from '../../records/writing/steps.ts'
import type { Drafted } from '../../records/writing/steps.ts'
import type { Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import { invalid } from '../../http/problem.ts'
import type { ItemFaults } from '../../http/problem.ts'
import { companies } from '../companies/companies.ts'
import { contacts } from '../contacts/contacts.ts'
import { leads } from '../leads/leads.ts'
import { fill } from './fill.ts'
import type { Held } from './lock.ts'
import type { Party, Settled } from './settle.ts'

type Context = Drafted<RecordRow, unknown>['context']

/** Writes the records of all items and gives the new ones their ids; answers the names (`nameOf`) of those that were added or changed. */
export async function writeParties(
  tx: Tx,
  actor: Actor,
  settled: Settled[],
  held: Held,
  contexts: Record<'leads' | 'contacts' | 'companies', Context>,
): Promise<Set<string>> {
  const of = {
    leads: settled.map(({ lead }) => lead),
    contacts: settled.flatMap(({ contact }) => contact ?? []),
    companies: settled.flatMap(({ company }) => company ?? []),
  }
  const gaining = {
    leads: settled.flatMap(({ request_id, lead }) => gainOf(lead, request_id)),
    contacts: settled.flatMap(({ request_id, contact }) =>
      contact ? gainOf(contact, request_id, '_embedded.contacts.0') : [],
    ),
  }
  return new Set([
    ...(await add(tx, actor, leads, of.leads, contexts.leads)),
    ...(await add(tx, actor, contacts, of.contacts, contexts.contacts)),
    ...(await add(tx, actor, companies, of.companies, contexts.companies)),
    ...(await change(tx, actor, leads, gaining.leads, held.leads, contexts.leads, ['price'])),
    ...(await change(
      tx,
      actor,
      contacts,
      gaining.contacts,
      held.contacts,
      contexts.contacts,
      names,
    )),
  ])
}

const names = ['name', 'first_name', 'last_name'] as const

/** What a stored record gains, and what the faults of that are told under. */
interface Gain<Row extends RecordRow> {
  id: number
  gains: Omit<Row, 'id'>
  request_id: string
  at?: string
}

function gainOf<Row extends RecordRow>(
  { id, gains }: Party<Row>,
  request_id: string,
  at?: string,
): Gain<Row>[] {
  return gains ? [{ id, gains, request_id, ...(at !== undefined && { at }) }] : []
}

async function add<Row extends RecordRow, Draft extends Sent, Own>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Own>,
  parties: Party<Row>[],
  context: Context,
): Promise<string[]> {
  // One record may stand in several items.
  const made = [...new Set(parties)].flatMap((party) =>
    party.row ? [{ party, row: party.row }] : [],
  )
  const ids = await addRecords(
    tx,
    actor,
    kind,
    made.map(({ row }) => row),
    context,
  )
  for (const [place, { party }] of made.entries()) party.id = ids[place]!
  return made.map(({ party }) => nameOf(party))
}

async function change<Row extends RecordRow, Draft extends Sent, Own>(
  tx: Tx,
  actor: Actor,
  kind: RecordDescription<Row, Draft, Own>,
  gaining: Gain<Row>[],
  before: ReadonlyMap<number, Row>,
  { tags }: Context,
  own: readonly (keyof Omit<Row, 'id'>)[],
): Promise<string[]> {
  if (gaining.length === 0) return []
  const fields = await fieldsOf(tx, actor.accountId, kind.type)
  const after = new Map<number, Row>()
  const refused: ItemFaults[] = []
  for (const { id, gains, request_id, at } of gaining) {
    const was = after.get(id) ?? before.get(id)!
    const is = fill(actor, fields, was, gains, own)
    after.set(id, is)
    const fault = is === was ? undefined : tooHeavy(is.custom_fields_values)
    if (fault)
      refused.push({
        request_id,
        errors: [{ ...fault, path: at ? `${at}.${fault.path}` : fault.path }],
      })
  }
  if (refused.length > 0) throw invalid(refused)
  const ids = await writeChanges(tx, actor, kind, { fields, tags }, before, after)
  return ids.map((id) => nameOf({ type: kind.type, id }))
}

/** Tells stored leads that new ones went into them: an event, whether or not that changed anything. */
export async function recordMerges(tx: Tx, actor: Actor, settled: Settled[]): Promise<void> {
  const ids = new Set(settled.flatMap(({ lead }) => (lead.row ? [] : lead.id)))
  const events = [{ type: 'entity_merged', value_before: [], value_after: [] }]
  await recordChanged(
    tx,
    actor,
    'leads',
    [...ids].map((id): RecordChange => ({ id, actions: [], before: {}, events })),
  )
}
