// The custom fields of the large account, and the values of its records, in the form of
// fields/types.ts.
import { addressParts } from '../../server/records/fields/types.ts'
import type { FieldType } from '../../server/records/fields/types.ts'
import type { Dice, Rarity } from './random.ts'
import { cities, firms, forms, qualities, streets, objects } from './words.ts'

export interface Definition {
  name: string
  type: FieldType
  /** The names of the choices. */
  enums?: string[]
  /** The part of the records that have a value, from 0 to 1. */
  filled: number
  values(about: Drawn): unknown[]
}

/** A value may depend on these. */
export interface Drawn {
  dice: Dice
  number: number
  count: number
  rarity: Rarity | undefined
  /** Unix seconds. */
  created_at: number
  /** The index of the responsible user among the sellers. */
  seller: number
  /** The ids of the choices. */
  enums: number[]
}

const day = 86_400
const options = (name: string, count = 8) =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}`)

/** Twenty products. Each is in one of twenty leads. */
export const products = objects
  .slice(0, 20)
  .map((thing, index) => `${thing} ${qualities[index % qualities.length]}`)
/** Sources of leads. Each is in a twelfth of the leads that have a source. */
export const utmSources =
  'google,bing,yandex,facebook,linkedin,newsletter,partner,direct,youtube,telegram,blog,fair'.split(
    ',',
  )

/**
 * A twentieth as many values as leads: each value stands in twenty leads, spread over the account.
 */
export const contractOf = (number: number, count: number) => `C-${number % Math.ceil(count / 20)}`

/** Nineteen fields. The twentieth, UTM_SOURCE, is in every account. */
export const leadFields: Definition[] = [
  {
    name: 'Contract',
    type: 'text',
    filled: 1,
    values: ({ number, count }) => [contractOf(number, count)],
  },
  { name: 'Product', type: 'text', filled: 1, values: ({ dice }) => [dice.one(products)] },
  {
    name: 'Reference',
    type: 'text',
    filled: 0.7,
    values: ({ dice }) => [`${dice.one(firms)} ${dice.below(1e9).toString(36)}`],
  },
  {
    name: 'Area',
    type: 'numeric',
    filled: 0.9,
    values: ({ dice }) => [String(dice.below(10_000_000))],
  },
  {
    name: 'Discount',
    type: 'numeric',
    filled: 0.8,
    values: ({ dice }) => [String(dice.below(61) / 2)],
  },
  { name: 'VIP', type: 'checkbox', filled: 0.6, values: ({ dice }) => [dice.chance(0.5)] },
  { name: 'Channel', type: 'select', enums: options('Channel'), filled: 1, values: channel },
  { name: 'Region', type: 'select', enums: options('Region'), filled: 1, values: region },
  {
    name: 'Interests',
    type: 'multiselect',
    enums: options('Interest'),
    filled: 0.7,
    values: interests,
  },
  {
    name: 'Delivery',
    type: 'date',
    filled: 0.8,
    values: ({ dice, created_at }) => [dayOf(created_at) + dice.below(90) * day],
  },
  {
    name: 'Page',
    type: 'url',
    filled: 0.6,
    values: ({ number }) => [`https://shop.example/orders/${number.toString(36)}`],
  },
  { name: 'Description', type: 'textarea', filled: 0.6, values: ({ dice }) => [sentence(dice)] },
  {
    name: 'Site',
    type: 'streetaddress',
    filled: 0.7,
    values: ({ dice }) => [`${street(dice)}, ${dice.one(cities)}`],
  },
  {
    name: 'Payment',
    type: 'radiobutton',
    enums: options('Payment', 4),
    filled: 0.9,
    values: ({ dice, enums }) => [dice.one(enums)],
  },
  { name: 'Office', type: 'smart_address', filled: 0.3, values: ({ dice }) => office(dice) },
  {
    name: 'Anniversary',
    type: 'birthday',
    filled: 0.4,
    values: ({ dice }) => [dice.below(18_000) * day - 7000 * day],
  },
  { name: 'Payer', type: 'legal_entity', filled: 0.3, values: ({ dice }) => [payer(dice)] },
  {
    name: 'Call',
    type: 'date_time',
    filled: 0.6,
    values: ({ dice, created_at }) => [created_at + dice.below(30 * day)],
  },
  {
    name: 'Budget',
    type: 'monetary',
    filled: 0.8,
    values: ({ dice }) => [String(dice.below(100_000_000) / 100)],
  },
]
export const utmSource: Definition = {
  name: 'utm_source',
  type: 'tracking_data',
  filled: 0.6,
  values: ({ dice }) => [dice.one(utmSources)],
}

/** Each choice is half as frequent as the one before. The last is rare. */
function channel({ dice, rarity, enums }: Drawn): unknown[] {
  if (rarity === 'enum') return [enums[7]]
  return [enums[Math.min(6, Math.floor(-Math.log2(1 - dice.part())))]]
}

/**
 * Evenly distributed, but few leads have both the first choice (an eighth of all) and the first
 * seller (a tenth).
 */
function region({ dice, rarity, seller, enums }: Drawn): unknown[] {
  if (rarity === 'pair') return [enums[0]]
  return [enums[seller === 0 ? 1 + dice.below(7) : dice.below(8)]]
}

function interests({ dice, enums }: Drawn): unknown[] {
  const first = dice.below(8)
  return enums.map((_, index) => enums[(first + index * 3) % 8]).slice(0, 1 + dice.below(3))
}

function sentence(dice: Dice): string {
  return Array.from({ length: 6 + dice.below(8) }, (_, index) =>
    dice.one(index % 2 ? objects : qualities),
  ).join(' ')
}

function street(dice: Dice): string {
  return `${dice.one(streets)} ${1 + dice.below(200)}`
}

function office(dice: Dice): unknown[] {
  const parts = {
    address_line_1: street(dice),
    city: dice.one(cities),
    zip: String(10_000 + dice.below(90_000)),
    country: 'DE',
  }
  return addressParts.flatMap(({ id, code }) =>
    code in parts ? [[parts[code as keyof typeof parts], id]] : [],
  )
}

function payer(dice: Dice): object {
  return {
    name: `${dice.one(firms)} ${dice.one(forms)}`,
    entity_type: 2,
    vat_id: String(1e9 + dice.below(9e9)),
  }
}

function dayOf(at: number): number {
  return at - (at % day)
}
