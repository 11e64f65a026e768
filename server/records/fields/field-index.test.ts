// After any write, the index of a record holds the keys that follow from the values it shows.
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { gramForm } from '../search/text.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addEveryType, firstFields, valueOf } from '../../../test/fields.ts'
import { addRecords, pathOf, readRecord } from '../../../test/records.ts'
import { scratchDatabase, type Scratch } from '../../../test/scratch.ts'
import { ensureEventPartitions } from '../../changes/partitions.ts'
import type { RecordType } from '../description.ts'
import { purgeBinOf } from '../purge.ts'
import type { Field } from './definitions.ts'

let account: TestAccount
/** The purge goes through all accounts of a database; here there is one. */
let alone: Scratch

beforeAll(async () => {
  alone = await scratchDatabase()
  await ensureEventPartitions(alone.database, new Date())
  account = await newAccount({ binDays: 30, databaseUrl: alone.url })
})

/** All fields that are filled by a value; a link of a chain has none. */
async function everyField(kind: RecordType): Promise<Field[]> {
  const every = [
    ...(await firstFields(account, kind)),
    ...Object.values(await addEveryType(account, kind)),
  ]
  const fields = new Map(every.map((field) => [field.id, field]))
  return [...fields.values()].filter(({ type }) => type in values)
}

afterAll(() => alone.drop())

/** Rows as texts: of each key the id of the record, the id of the field and the value; of each text that is searched the id and the text. */
interface Keys {
  numbers: string[]
  texts: string[]
  searched: string[]
}

async function keysThere(kind: RecordType): Promise<Keys> {
  const lines = async (line: string, table: string) => {
    const rows = await account.kontor.database.rows<{ line: string }>(
      sql(
        [
          `select ${line} as line from ${table} where entity_type = '${kind}' and account_id = `,
          '',
        ],
        account.id,
      ),
    )
    return rows.map((row) => row.line).toSorted()
  }
  return {
    numbers: await lines(`concat_ws(' ', entity_id, field_id, value)`, 'field_numbers'),
    texts: await lines(`concat_ws(' ', entity_id, field_id, value)`, 'field_texts'),
    searched: await lines(`concat_ws(' ', entity_id, text, grams)`, 'record_texts'),
  }
}

interface Value {
  value: string | number | boolean
  enum_id?: number
}
interface Shown {
  id: number
  name: string
  first_name?: string
  last_name?: string
  custom_fields_values:
    | { field_id: number; field_type: string; field_code: string | null; values: Value[] }[]
    | null
}

const numeric = [
  'numeric',
  'monetary',
  'checkbox',
  'date',
  'birthday',
  'date_time',
  'select',
  'multiselect',
  'radiobutton',
]
const textual = ['text', 'textarea', 'url', 'streetaddress', 'multitext']

/** Letters that no rule of Unicode takes apart. */
const letters = Object.entries({
  ß: 'ss',
  ı: 'i',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
})

/** The keys that such records must have. */
function keysFor(records: Shown[]): Keys {
  const keys: Keys = { numbers: [], texts: [], searched: [] }
  for (const { id, name, first_name, last_name, custom_fields_values } of records) {
    const found = [first_name, last_name].filter((part) => part)
    const byId = (custom_fields_values ?? []).toSorted(
      (one, other) => one.field_id - other.field_id,
    )
    for (const { field_id, field_type, field_code, values } of byId) {
      const texts = values.map(({ value }) => String(value))
      const digits = field_code === 'PHONE' ? texts.map((text) => text.replaceAll(/\D/g, '')) : []
      const add = (list: string[], key: string | number) => list.push(`${id} ${field_id} ${key}`)
      if (numeric.includes(field_type))
        for (const { enum_id, value } of values)
          add(keys.numbers, enum_id ?? (value === true ? 1 : value || 0))
      if (textual.includes(field_type))
        for (const [index, text] of texts.entries())
          add(
            keys.texts,
            Array.from((digits[index] || text).toLowerCase())
              .slice(0, 256)
              .join(''),
          )
      if (!textual.includes(field_type) && field_type !== 'smart_address') continue
      const mark = `\u{e00a}${String(field_id).replaceAll(/\d/g, (digit) => String.fromCodePoint(0xe000 + Number(digit)))}\u{e00b}`
      const lines = [...texts, ...digits.filter((each) => each !== '')].map((line) =>
        line.slice(0, 2000).toWellFormed().replaceAll('\n', ' '),
      )
      found.push(...new Set(lines.map((line) => mark + line)))
    }
    let bare = [name, ...found]
      .join('\n')
      .normalize('NFKD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      .toLowerCase()
    for (const [letter, others] of letters) bare = bare.replaceAll(letter, others)
    keys.searched.push(`${id} ${bare} ${gramForm(bare)}`)
  }
  const once = (list: string[]) => [...new Set(list)].toSorted()
  return { numbers: once(keys.numbers), texts: once(keys.texts), searched: once(keys.searched) }
}

/** Few values, of which some differ in letters or at the end only, so that they meet. */
const long = 'Ж'.repeat(256)
const texts = [
  '',
  'abc',
  'Abc',
  'ABC',
  'Žluť',
  'žluť',
  long,
  long.toLowerCase(),
  'a\nb',
  '+1 (2) 3',
  '123',
  '1-2-3',
]
const longer = [...texts, `${long}b`, `${long.toLowerCase()}c`, `${'x'.repeat(1999)}😀`]
const values: Record<string, unknown[]> = {
  text: texts,
  multitext: texts,
  smart_address: texts,
  textarea: longer,
  url: longer,
  streetaddress: longer,
  numeric: ['', 1, '1.0', '-0', 0, 0.5, '12345678901234567890.0'],
  monetary: ['', '1', 2],
  checkbox: ['', true, false, 1],
  ...Object.fromEntries(
    ['date', 'birthday', 'date_time'].map((type) => [
      type,
      ['', 0, -1, 5, 86400, '1970-01-01T00:00:05Z'],
    ]),
  ),
  ...Object.fromEntries(
    ['select', 'multiselect', 'radiobutton'].map((type) => [type, ['', 'North', 'South', 'East']]),
  ),
  legal_entity: ['', { name: 'x' }],
  file: [''],
}
const several = ['multitext', 'multiselect', 'smart_address', 'legal_entity']

const fieldSent = (fields: Field[]) =>
  fc.constantFrom(...fields).chain((field) => {
    const value = fc.constantFrom(...values[field.type]!).map((each) => ({ value: each }))
    return fc
      .array(value, { maxLength: several.includes(field.type) ? 4 : 1 })
      .map((list) => valueOf(field, ...list))
  })

const draftOf = (kind: RecordType, fields: Field[]) =>
  fc.record(
    {
      name: fc.constantFrom(
        ...(kind === 'customers' ? [] : ['']),
        'Bakery',
        'BAKERY',
        'Two\nlines',
      ),
      ...(kind === 'contacts' && { first_name: fc.constantFrom('', 'Ann', 'ANN') }),
      custom_fields_values: fc.option(fc.array(fieldSent(fields), { maxLength: 8 })),
    },
    { requiredKeys: [] },
  )

/**
 * Requests: new records, changes of the records that are there by their places, some twice in a
 * batch, moves into the bin and out.
 */
const requestsOf = (draft: ReturnType<typeof draftOf>) =>
  fc.array(
    fc.oneof(
      fc.record({ add: fc.array(draft, { minLength: 1, maxLength: 4 }) }),
      fc.record({
        change: fc.array(fc.record({ place: fc.nat(20), draft }), { minLength: 1, maxLength: 5 }),
      }),
      fc.record({ one: fc.record({ place: fc.nat(20), draft }) }),
      fc.record({ bin: fc.nat(20) }),
    ),
    { minLength: 1, maxLength: 8 },
  )

type Request = ReturnType<typeof requestsOf> extends fc.Arbitrary<(infer One)[]> ? One : never

/** The records of a kind that a test has made, and those of them in the bin. */
interface Made {
  kind: RecordType
  ids: number[]
  binned: Set<number>
}

async function send({ kind, ids, binned }: Made, request: Request): Promise<void> {
  const { api } = account
  const path = pathOf(kind)
  if ('add' in request) return void ids.push(...(await addRecords(api, kind, request.add)))
  if (ids.length === 0) return
  const idAt = (index: number) => ids[index % ids.length]!
  if ('bin' in request) {
    const id = idAt(request.bin)
    const answer = binned.has(id)
      ? await api.post(`${path}/${id}/restore`)
      : await api.delete(`${path}/${id}`)
    expect(answer.status).toBeLessThan(300)
    if (!binned.delete(id)) binned.add(id)
  } else if ('one' in request) {
    const id = idAt(request.one.place)
    expect((await api.patch(`${path}/${id}`, request.one.draft)).status).toBe(
      binned.has(id) ? 404 : 200,
    )
  } else {
    const items = request.change
      .map(({ place: index, draft }) => ({ ...draft, id: idAt(index) }))
      .filter(({ id }) => !binned.has(id))
    if (items.length > 0) expect((await api.patch(path, items)).status).toBe(200)
  }
}

test.for(['contacts', 'customers'] as const)(
  'after any writes of %s the keys are what the records say; after the purge there are none',
  async (kind) => {
    const fields = await everyField(kind)
    const made: Made = { kind, ids: [], binned: new Set() }
    const { ids, binned } = made
    const run = fc.asyncProperty(requestsOf(draftOf(kind, fields)), async (list) => {
      for (const request of list) await send(made, request)
      const read = await Promise.all(
        ids.filter((id) => !binned.has(id)).map((id) => readRecord(account.api, kind, id)),
      )
      const { numbers, texts, searched } = keysFor(read)
      // Records in the bin keep theirs, and show nothing: those of the others are compared.
      const there = await keysThere(kind)
      const isOut = (line: string) => !binned.has(Number(line.split(/\s/)[0]))
      expect({
        numbers: there.numbers.filter(isOut),
        texts: there.texts.filter(isOut),
        searched: there.searched.filter(isOut),
      }).toEqual({ numbers, texts, searched })
    })
    const numRuns = kind === 'contacts' ? 25 : 16
    await fc.assert(run, { seed: 20_261_120, numRuns, endOnFailure: true })
    const there = await keysThere(kind)
    for (const { length } of [ids, there.numbers, there.texts]) expect(length).toBeGreaterThan(20)

    for (const id of binned) await account.api.post(`${pathOf(kind)}/${id}/restore`)
    for (const id of ids)
      expect((await account.api.delete(`${pathOf(kind)}/${id}`)).status).toBe(204)
    const { database, config } = account.kontor
    await purgeBinOf(database, account.id, config.binDays, account.kontor.now() + 31 * 86_400)
    expect(await keysThere(kind)).toEqual({ numbers: [], texts: [], searched: [] })
  },
)
