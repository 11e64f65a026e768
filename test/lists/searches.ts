// Any search that a filtered list takes, in any of its forms.
import fc from 'fast-check'
import type { Field } from '../../server/records/fields/definitions.ts'
import type { RecordType } from '../../server/records/description.ts'
import { formatNested } from '../../server/http/nested.ts'
import type { Nested, NestedValue } from '../../server/http/nested.ts'
import { numbers, phones, times, words } from './drafts.ts'
import type { Ground } from './dataset.ts'
import { days } from './dataset.ts'

type Value = fc.Arbitrary<NestedValue>

/** Queries of a list, without paging. */
export function searchesOf(ground: Ground, kind: RecordType): fc.Arbitrary<Nested> {
  const { fields, stages, statuses, viewers, dataset } = ground
  const text = (all: readonly (string | number)[]) => fc.constantFrom(...all.map(String))
  const ids = text([...dataset.records[kind].map(({ id }) => id), 999_999_999])
  const who = listed(text([...viewers.map(({ user }) => user.id), 0, 999_999_999]))
  const at = ranged(text(times))
  const price = fc.integer({ min: -1, max: 6 }).map(String)
  const filters: Record<string, Value> = {
    id: fc.array(ids, {
      minLength: 1,
      maxLength: 60,
    }),
    name: listed(
      fc.oneof(text(words).map(swapped), text(dataset.records[kind].map(({ name }) => name))),
    ),
    responsible_user_id: who,
    created_by: who,
    updated_by: who,
    tags: listed(text([...dataset.records[kind].flatMap(({ tags }) => tags), 999_999_999])),
    created_at: at,
    updated_at: at,
    closest_task_at: at,
    custom_fields_values: fieldFilters(ground, fields[kind]),
    ...(kind === 'leads' && {
      price: ranged(price),
      statuses: fc.subarray(stages.map(textual), {
        minLength: 1,
        maxLength: 3,
      }),
      pipeline_id: listed(text([...new Set(stages.map(({ pipeline_id }) => pipeline_id)), 7])),
      closed_at: at,
    }),
    ...(kind === 'customers' && {
      next_price: fc.oneof(
        listed(price),
        fc.array(price, { minLength: 2, maxLength: 3 }).map((all) => all.join(',')),
        endsOf(price),
      ),
      next_date: at,
      status_id: listed(text([...statuses, 7])),
      date: fc.record(
        { type: fc.constantFrom('create', 'update'), from: text(times), to: text(times) },
        { requiredKeys: ['type'] },
      ),
    }),
  }
  const names = fc.constantFrom(...Object.keys(filters), 'custom_fields_values')
  const generated = fc
    .uniqueArray(names, { maxLength: 3 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, filters[name]!]))))
  const order = fc
    .tuple(fc.constantFrom('id', 'created_at', 'updated_at'), fc.constantFrom('asc', 'desc'))
    .map(([column, direction]) => ({ [column]: direction }))
  return fc
    .record(
      {
        filter: generated,
        query: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, searches),
        order,
        with: fc.oneof(
          { weight: 8, arbitrary: fc.constant('contacts') },
          fc.constant('only_deleted'),
        ),
      },
      { requiredKeys: [] },
    )
    .map((query) => query as unknown as Nested)
}

/** A query as a client writes it: `f[0]=1&f[1]=2`, or `f[]=1&f[]=2`. */
export function written(query: Nested, isEmpty: boolean): string {
  const text = formatNested(query)
  return isEmpty ? text.replaceAll(/(%5D(?:%5B\d{4,}%5D)?)%5B\d%5D=/g, '$1%5B%5D=') : text
}

/** One value, several, or several under indices with gaps. */
function listed(value: fc.Arbitrary<string>): Value {
  const several = fc.array(value, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    value,
    several,
    several.map((all) =>
      Object.fromEntries(all.map((each, index) => [String(index * 3 + 1), each])),
    ),
  )
}

function ranged(value: fc.Arbitrary<string>): Value {
  return fc.oneof(value, endsOf(value))
}

function endsOf(value: fc.Arbitrary<string>): Value {
  return fc.oneof(
    ...[['from'], ['to'], ['from', 'to']].map((ends) =>
      fc.record(Object.fromEntries(ends.map((end) => [end, value]))),
    ),
  )
}

const textual = ({ pipeline_id, status_id }: { pipeline_id: number; status_id: number }) => ({
  pipeline_id: String(pipeline_id),
  status_id: String(status_id),
})

function fieldFilters(ground: Ground, fields: Field[]): Value {
  const known = fields.flatMap((field) => {
    const value = valueOf(ground, field)
    return value ? [fc.record({ [String(field.id)]: value })] : []
  })
  return fc
    .array(fc.oneof(...known), { minLength: 1, maxLength: 2 })
    .map((all) => Object.assign({}, ...all) as Nested)
}

function valueOf({ dataset }: Ground, { type, code, enums }: Field): Value | undefined {
  const moments = [...dataset.days.values()].flat().map((at) => String(at + 5))
  switch (type) {
    case 'numeric':
    case 'monetary': {
      const number = fc.constantFrom(...numbers, '12.50', '-1', '012')
      return fc.oneof(listed(number), endsOf(number))
    }
    case 'checkbox':
      return listed(fc.constantFrom('0', '1'))
    case 'select':
    case 'multiselect':
    case 'radiobutton':
      return listed(fc.constantFrom(...enums.map(({ id }) => String(id)), `00${enums[0]!.id}`))
    case 'date':
    case 'birthday':
    case 'date_time': {
      const time = fc.constantFrom(
        ...days,
        ...moments,
        ...[...dataset.days.values()].flat().map(String),
      )
      return fc.oneof(listed(time), endsOf(time))
    }
    case 'smart_address':
    case 'legal_entity':
    case 'chained_list':
    case 'file':
      return undefined
    case 'multitext':
      return listed(fc.constantFrom(...(code === 'PHONE' ? phones : words)).map(swapped))
    default:
      return listed(fc.constantFrom(...filled(dataset, type), ...words).map(swapped))
  }
}

/** Whole texts that records have. */
function filled({ records }: Ground['dataset'], type: string): string[] {
  return Object.values(records).flatMap((all) =>
    all.flatMap(({ custom_fields_values }) =>
      (custom_fields_values ?? []).flatMap((field) =>
        field.field_type === type ? [String(field.values[0]!.value)] : [],
      ),
    ),
  )
}

/** A text in other letters, small ones for capitals, where there is exactly one. */
const swapped = (text: string) => text.replaceAll(/[a-zа-яё]/g, (letter) => letter.toUpperCase())

const pieces = fc
  .tuple(
    fc.constantFrom(...words, ...phones),
    fc.nat({ max: 4 }),
    fc.integer({ min: 1, max: 9 }),
    fc.constantFrom('', 'NFD', 'NFC'),
  )
  .map(([word, from, length, form]) => {
    const piece =
      Array.from(word)
        .slice(from, from + length)
        .join('') || word
    return form ? swapped(piece.normalize(form)) : piece
  })
/** Nothing that is only an accent: the pieces of a decomposed letter. */
const searches = fc
  .oneof(
    fc.constantFrom(...phones),
    fc.array(pieces, { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')),
  )
  .filter((query) =>
    query
      .split(/\s+/)
      .every((word) => word === '' || word.normalize('NFD').replaceAll(/\p{Mn}/gu, '') !== ''),
  )
