// The history of the large account: five events per lead, the system note of each record, and a
// user's note for every fifth lead. It is made in turns, one per lead, so that ids and times grow
// together as in real use.
import { singular } from '../../server/entity-types.ts'
import { types } from './account.ts'
import type { LargeAccount, Type } from './account.ts'
import { cell } from './copy.ts'
import { dice } from './random.ts'
import type { Dice } from './random.ts'
import { begin, end } from './records.ts'
import { qualities, objects } from './words.ts'

export const eventColumns =
  'account_id id type entity_type entity_id created_by created_at value_before value_after'.split(
    ' ',
  )
export const noteColumns =
  'account_id id entity_type entity_id note_type params responsible_user_id group_id created_by updated_by created_at updated_at'.split(
    ' ',
  )

/** Events per turn. */
const perTurn = 5

/** The number of ids that the history takes. */
export function historySize({ counts }: LargeAccount): { events: number; notes: number } {
  const { leads, contacts, companies } = counts
  return { events: leads * perTurn, notes: leads + contacts + companies + Math.ceil(leads / 5) }
}

/** Makes the turns in order, from the first ids on, and adds rows to the two tables. */
export function historian(account: LargeAccount, first: { event: number; note: number }) {
  const { id: accountId, counts, first: firsts, people, pipelines } = account
  let { event, note } = first

  const idOf = (type: Type, number: number) => firsts[type] + number
  const eventRow = (
    type: string,
    on: Type,
    id: number,
    by: number,
    at: number,
    before: object[],
    after: object[],
  ) =>
    `${accountId}\t${ulid(at * 1000, event++)}\t${type}\t${singular[on]}\t${id}\t${by}\t${at}\t${JSON.stringify(before)}\t${JSON.stringify(after)}`
  const noteRow = (on: Type, id: number, type: string, params: object, by: number, at: number) =>
    `${accountId}\t${note++}\t${on}\t${id}\t${type}\t${cell(JSON.stringify(params))}\t${by}\t0\t${by}\t${by}\t${at}\t${at}`

  return (number: number, rows: { events(row: string): void; notes(row: string): void }): void => {
    const draw = dice(3, number)
    const at = begin + Math.floor(((end - begin) * number) / counts.leads)
    const by = draw.one(people.sellers)
    let made = 0
    for (const type of types) {
      const apart = counts.leads / counts[type]
      if (number % apart !== 0) continue
      const id = idOf(type, number / apart)
      rows.events(
        eventRow(`${singular[type]}_added`, type, id, by, at, [], [{ note: { id: note } }]),
      )
      rows.notes(noteRow(type, id, 'entity_added', {}, by, at))
      made++
    }
    for (; made < perTurn; made++) {
      // Mostly of recent leads.
      const id = idOf('leads', number - Math.floor(draw.part() ** 3 * (number + 1)))
      const [type, before, after] = changeOf(draw)
      rows.events(eventRow(type, 'leads', id, by, at, [before], [after]))
    }
    if (number % 5 !== 0) return
    const on = draw.chance(0.75) ? 'leads' : draw.chance(0.8) ? 'contacts' : 'companies'
    const { type, params } = written(draw)
    rows.notes(noteRow(on, idOf(on, draw.below(counts[on])), type, params, by, at))
  }

  function changeOf(draw: Dice): [type: string, before: object, after: object] {
    const kind = draw.below(4)
    if (kind === 0)
      return [
        'sale_field_changed',
        ...both(() => ({ sale_field_value: { sale: draw.below(1_000_000) } })),
      ]
    if (kind === 1)
      return [
        'entity_responsible_changed',
        ...both(() => ({ responsible_user: { id: draw.one(people.sellers) } })),
      ]
    if (kind === 2) {
      const { id, enums } = account.fields.leads['Channel']!
      const value = () => ({
        custom_field_value: { field_id: id, field_type: 4, enum_id: draw.one(enums), text: null },
      })
      return ['custom_field_value_changed', ...both(value)]
    }
    const { id: pipeline_id, statuses } = draw.one(pipelines)
    return [
      'lead_status_changed',
      ...both(() => ({ lead_status: { id: draw.one(statuses), pipeline_id } })),
    ]
  }
}

function both(value: () => object): [object, object] {
  return [value(), value()]
}

function written(draw: Dice): { type: string; params: object } {
  const text = `${draw.one(qualities)} ${draw.one(objects)}, ${draw.one(qualities)} ${draw.one(objects)}`
  if (draw.chance(0.6)) return { type: 'common', params: { text } }
  const phone = `+7999${String(draw.below(1e7)).padStart(7, '0')}`
  if (draw.chance(0.2)) return { type: 'sms_in', params: { text, phone } }
  const call = {
    uniq: draw.below(1e9).toString(36),
    duration: draw.below(600),
    source: 'pbx',
    link: null,
    phone,
    call_status: 4,
  }
  return { type: draw.chance(0.5) ? 'call_in' : 'call_out', params: call }
}

const letters = '0123456789abcdefghjkmnpqrstvwxyz'

/** The id of an event: ten characters for the time (milliseconds), sixteen for its number. */
function ulid(time: number, number: number): string {
  let text = ''
  for (let index = 9; index >= 0; index--) text += letters[Math.floor(time / 32 ** index) % 32]
  return text + number.toString(16).padStart(16, '0')
}
