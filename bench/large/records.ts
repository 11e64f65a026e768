// The records of the large account. Each is computed from its number alone: 0 to `leads` - 1, half
// as many contacts, a twentieth as many companies, in the order of creation.
import { lost, won } from '../../server/features/definitions/pipelines/pipelines.ts'
import type { LargeAccount, Type } from './account.ts'
import { leadFields, utmSource } from './fields.ts'
import type { Values } from './kept.ts'
import { dice, isInBin, rarityOf } from './random.ts'
import type { Dice, Rarity } from './random.ts'
import {
  between,
  cities,
  firms,
  firstNames,
  forms,
  lastNames,
  markers,
  qualities,
  shortMarkers,
  streets,
  objects,
} from './words.ts'

/** A row of a table of records, without the forms of its custom fields. */
export interface Made {
  /** The columns except account, id and field values. */
  columns: Record<string, string | number | boolean | null>
  /** The names that begin the record's search text. */
  names: string[]
  values: Values
}

/** The end of the account's two years. Fixed, so that the data is the same each time. */
export const end = Date.UTC(2026, 10, 20) / 1000
const day = 86_400
export const begin = end - 730 * day

/** The name of one lead in twenty. */
export const commonName = 'New lead'
/** The name of `few` leads. */
export const rareName = 'Rare lead'

export function makeLead(account: LargeAccount, number: number): Made {
  const { count, draw, rarity, shared, created_at, seller } = begun(account, 'leads', number)
  const stage = stageOf(account, draw, rarity, number / count)
  const closed_at =
    stage.status_id === won || stage.status_id === lost ? soon(draw, created_at, 60) : null
  const values = leadFields.concat(utmSource).flatMap((definition): Values => {
    const field = account.fields.leads[definition.name]!
    if (!draw.chance(definition.filled)) return []
    return [
      [
        field,
        definition.values({
          dice: draw,
          number,
          count,
          rarity,
          created_at,
          seller,
          enums: field.enums,
        }),
      ],
    ]
  })
  const name = leadName(draw, rarity, number)
  const price = draw.chance(0.1) ? 0 : Math.floor(draw.part() ** 2 * 1_000_000)
  return { columns: { name, price, ...shared, ...stage, closed_at }, names: [name], values }
}

export function makeContact(account: LargeAccount, number: number): Made {
  const { draw, rarity, shared } = begun(account, 'contacts', number)
  const { first_name, last_name } = personOf(draw, rarity)
  const { Position, Phone, 'E-mail': email } = account.fields.contacts
  const kinds = Phone!.enums
  const values: Values = [
    ...(draw.chance(0.5)
      ? ([[Position!, [`${draw.one(qualities)} ${draw.one(objects)}`]]] as Values)
      : []),
    [
      Phone!,
      [
        [phoneOf(number), draw.one(kinds)],
        ...(draw.chance(0.2) ? [[phoneOf(number, 8), kinds[0]]] : []),
      ],
    ],
    [email!, [[emailOf(number), email!.enums[0]]]],
  ]
  const name = rarity === 'name' ? rareName : `${first_name} ${last_name}`
  return {
    columns: { name, first_name, last_name, ...shared },
    names: [name, first_name, last_name],
    values,
  }
}

export function makeCompany(account: LargeAccount, number: number): Made {
  const { draw, rarity, shared } = begun(account, 'companies', number)
  const { Phone, 'E-mail': email, Website, Address } = account.fields.companies
  const firm = `${draw.one(firms)} ${draw.one(objects)} ${draw.one(forms)}`
  const name =
    rarity === 'word'
      ? `${markers.companies} ${firm}`
      : rarity === 'name'
        ? rareName
        : `${firm} ${number}`
  const values: Values = [
    [Phone!, [[phoneOf(number, 4), Phone!.enums[0]]]],
    [email!, [[`office${number}@firm.example`, email!.enums[0]]]],
    [Website!, [`https://firm${number}.example`]],
    [Address!, [`${draw.one(streets)} ${draw.below(200)}, ${draw.one(cities)}`]],
  ]
  return { columns: { name, ...shared }, names: [name], values }
}

/** A phone number that no other contact (9) or company (4) has. 8 gives a contact's second one. */
export function phoneOf(number: number, series = 9): string {
  // Seven digits that vary strongly. Multiplier and modulus have no common factor.
  const digits = String(((number % 10_000_000) * 7_368_787) % 10_000_000).padStart(7, '0')
  return `+7 (${series}${String(Math.floor(number / 10_000_000)).padStart(2, '0')}) ${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}`
}

export function emailOf(number: number): string {
  return `person.${number}@mail${number % 7}.example`
}

/** The columns that every type of record has. */
function begun({ counts, people, tags }: LargeAccount, type: Type, number: number) {
  const count = counts[type]
  const draw = dice(['leads', 'contacts', 'companies'].indexOf(type), number)
  const rarity = rarityOf(number, count)
  const seller = rarity === 'pair' ? 0 : draw.below(people.sellers.length)
  const user = people.sellers[seller]!
  const created_at = begin + Math.floor(((end - begin) * number) / count)
  const is_deleted = isInBin(number, rarity)
  const age = draw.part()
  const recently =
    age < 0.05
      ? Math.max(created_at, end - draw.below(day))
      : soon(draw, created_at, age < 0.3 ? 730 : 30)
  const task = draw.chance(0.1) ? end + (draw.below(37) - 7) * day + draw.below(day) : null
  const shared = {
    responsible_user_id: rarity === 'responsible' ? people.rare : user,
    group_id: 0,
    created_by: rarity === 'author' ? people.rare : draw.one(people.sellers),
    updated_by: rarity === 'editor' ? people.rare : user,
    created_at,
    updated_at: is_deleted ? Math.max(created_at, end - draw.below(20 * day)) : recently,
    closest_task_at: task,
    is_deleted,
    tag_ids: `{${tagsOf(draw, tags[type]).join(',')}}`,
  }
  return { count, draw, rarity, shared, created_at, seller }
}

/** Up to `days` days later, but not after the end. */
function soon(draw: Dice, at: number, days: number): number {
  return Math.min(at + draw.below(days * day), end)
}

function tagsOf(draw: Dice, tags: number[]): number[] {
  const first = draw.below(tags.length)
  return Array.from(
    { length: draw.below(4) },
    (_, index) => tags[(first + index * 37) % tags.length]!,
  ).toSorted((a, b) => a - b)
}

/** Nine in ten old leads are closed. Most of the newest are open. */
function stageOf(
  { pipelines, rare }: LargeAccount,
  draw: Dice,
  rarity: Rarity | undefined,
  age: number,
) {
  if (rarity === 'status') return rare.status
  if (rarity === 'pipeline')
    return { pipeline_id: rare.pipeline.id, status_id: rare.pipeline.statuses[0]! }
  const { id, statuses } = pipelines[Math.floor(draw.part() ** 2 * pipelines.length)]!
  const isClosed = draw.chance(0.9 - 0.6 * age ** 3)
  return {
    pipeline_id: id,
    status_id: isClosed ? (draw.chance(0.35) ? won : lost) : draw.one(statuses),
  }
}

function leadName(draw: Dice, rarity: Rarity | undefined, number: number): string {
  if (rarity === 'name') return rareName
  const what = `${draw.one(qualities)} ${draw.one(objects)}`
  if (rarity === 'word') return `${what} ${markers.leads} ${shortMarkers.few} ${number}`
  if (rarity === 'cyrillic') return `${markers.cyrillic} ${what}`
  if (draw.chance(0.05)) return commonName
  if (number % between === 13) return `${what} ${shortMarkers.between} ${number}`
  return `${what} ${draw.one(lastNames)}${draw.chance(0.7) ? ` ${number}` : ''}`
}

function personOf(draw: Dice, rarity: Rarity | undefined) {
  const first_name = draw.one(firstNames)
  if (rarity === 'word') return { first_name, last_name: markers.contacts }
  if (rarity === 'cyrillic') return { first_name, last_name: markers.cyrillic }
  return { first_name, last_name: draw.one(lastNames) }
}
