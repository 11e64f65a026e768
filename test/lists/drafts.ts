// Records that may be sent, with values of every type in several alphabets.
import fc from 'fast-check'
import type { Field } from '../../server/records/fields/definitions.ts'
import type { RecordType } from '../../server/records/description.ts'
import type { Stage } from './reference.ts'

export const words = [
  ...'Ёлка елка ЁЖИК Йод Straße STRASSE Größe Işık ISIK İzmir café cafe\u0301 ΟΔΟΣ οδός № №5'.split(
    ' ',
  ),
  ...String.raw`100% a_b axb a\b ivan IVAN Petrov anna@example.com ANNA@example.com O'Neil 😀 --`.split(
    ' ',
  ),
]
export const phones = [
  '+7 (999) 123-45-67',
  '79991234567',
  '8 800 555 35 35',
  '555-35-35',
  'ask Anna',
  '+1/212/5550100',
]
export const numbers = [
  '0',
  '-0.5',
  '12',
  '12.5',
  '13',
  '1000000',
  '99999999999999999999',
  '0.0000000001',
]
export const times = [0, 1000, 1001, 5000, 1_772_000_000]

const phrase = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(' '))

/**
 * Drafts are made of these: users, places of leads in pipelines, statuses of customers, times, and
 * the ids of records that may be linked to.
 */
export interface Materials {
  users: number[]
  stages: Stage[]
  statuses: number[]
  moments: number[]
  made?: Record<RecordType, number[]>
}

export function draftOf(
  kind: RecordType,
  fields: Field[],
  { users, stages, statuses, moments, made }: Materials,
) {
  const who = fc.constantFrom(...users)
  const at = fc.constantFrom(...times)
  const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
  const linked = (other: RecordType, maxLength: number) =>
    fc.subarray(made![other], { maxLength }).map((ids) => ids.map((id) => ({ id })))
  const values = fc
    .tuple(...fields.map((field) => some(valuesFor(field, moments))))
    .map((all) =>
      all.flatMap((values, index) => (values ? [{ field_id: fields[index]!.id, values }] : [])),
    )
  return fc
    .record(
      {
        name: phrase,
        responsible_user_id: who,
        created_by: fc.oneof(who, fc.constant(0)),
        created_at: at,
        custom_fields_values: values,
        ...(kind === 'contacts' && {
          first_name: phrase,
          last_name: phrase,
        }),
        ...(kind === 'leads' && {
          price: fc.integer({
            min: 0,
            max: 5,
          }),
          place: fc.constantFrom(...stages),
        }),
        ...(kind === 'customers' && {
          next_price: fc.integer({ min: 0, max: 5 }),
          next_date: at,
          status_id: fc.constantFrom(...statuses),
        }),
        ...(made &&
          (kind === 'leads' || kind === 'customers') && {
            _embedded: fc.record({
              contacts: linked('contacts', 2),
              companies: linked('companies', 1),
              tags: fc.constantFrom(
                [{ name: 'a' }],
                [{ name: 'b' }, { name: 'a' }],
                [{ name: 'c' }],
              ),
            }),
          }),
      },
      {
        requiredKeys: [
          'name',
          'custom_fields_values',
          ...(kind === 'customers' ? ['next_date' as const] : []),
        ],
      },
    )
    .map(({ place: stage, ...draft }) => ({
      ...draft,
      ...(stage && {
        ...stage,
        ...(stage.status_id < 1000 && { closed_at: draft.created_at ?? 1000 }),
      }),
    }))
}

function valuesFor({ type, code, enums }: Field, moments: number[]): fc.Arbitrary<object[]> {
  const one = <Value>(value: fc.Arbitrary<Value>) => value.map((each) => [{ value: each }])
  const choice = () => fc.constantFrom(...enums.map(({ id }) => ({ enum_id: id })))
  switch (type) {
    case 'numeric':
    case 'monetary':
      return one(fc.constantFrom(...numbers))
    case 'checkbox':
      return one(fc.boolean())
    case 'select':
    case 'radiobutton':
      return choice().map((each) => [each])
    case 'multiselect':
      return fc.array(choice(), { minLength: 1, maxLength: 3 })
    case 'date':
    case 'birthday':
    case 'date_time':
      return one(fc.constantFrom(...moments))
    case 'multitext':
      return fc.array(
        fc.constantFrom(...(code === 'PHONE' ? phones : words)).map((value) => ({ value })),
        { minLength: 1, maxLength: 2 },
      )
    case 'smart_address':
      return phrase.map((value) => [{ value, enum_code: 'city' }])
    case 'legal_entity':
      return phrase.map((name) => [{ value: { name } }])
    case 'chained_list':
    case 'file':
      return fc.constant([])
    default:
      return one(phrase)
  }
}
