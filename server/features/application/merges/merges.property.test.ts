// Any two records, with any links, notes, tasks and values, and any picks: the survivor is what a plain model
// of a merge says, and the undo leaves every row as it was. `FUZZ_SEED` changes the worlds, `FUZZ_RUNS` their
// number.
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount } from '../../../../test/account.ts'
import { addField, firstFields, valueOf } from '../../../../test/fields.ts'
import { link, linksOf, to } from '../../../../test/links.ts'
import type { MergedKind } from '../../../../test/merges.ts'
import { addNamingCatalogs, merged, rowsAround, undoMerge } from '../../../../test/merges.ts'
import { addNotes, notesIn, text } from '../../../../test/notes.ts'
import { addRecord, addRecords, readRecord, tagNames } from '../../../../test/records.ts'
import { scratchDatabase } from '../../../../test/scratch.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_124)
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 40)

/** Two of them are one number. */
const phones = ['+1 (202) 555-0101', '8 202 555 01 01', '+1 202 555 0102', 'ask Ann'] as const
const digits = (phone: string) => phone.replaceAll(/\D/g, '').slice(-10) || phone.toLowerCase()
const choices = ['North', 'South', 'East'] as const
const tags = ['a', 'b', 'c'] as const

const side = fc.record({
  name: fc.constantFrom('Ann', 'Bob'),
  responsible: fc.boolean(),
  tags: fc.subarray([...tags]),
  phones: fc.subarray([...phones]),
  word: fc.option(fc.constantFrom('x', 'y')),
  choices: fc.subarray([...choices]),
  notes: fc.nat({ max: 2 }),
  tasks: fc.array(fc.boolean(), { maxLength: 2 }),
  company: fc.option(fc.nat({ max: 1 })),
})
type Side = typeof side extends fc.Arbitrary<infer Value> ? Value : never

/** A lead or a customer: its contacts in the order in which they are linked, and the place of the main one. */
const holder = fc.record({
  kind: fc.constantFrom('leads' as const, 'customers' as const),
  held: fc
    .subarray(['into', 'from', 'third', 'fourth'] as const)
    .chain((some) => fc.shuffledSubarray([...some], { minLength: some.length })),
  main: fc.nat({ max: 3 }),
})

const either = fc.option(fc.constantFrom('into' as const, 'from' as const), { nil: undefined })
const any = fc.option(fc.constantFrom('into' as const, 'from' as const, 'both' as const), {
  nil: undefined,
})

const worlds = fc.record({
  kind: fc.constantFrom<MergedKind>('contacts', 'companies'),
  into: side,
  from: side,
  holders: fc.array(holder, { maxLength: 4 }),
  naming: fc.array(
    fc.record({
      field: fc.constantFrom('linked_entity' as const, 'payer' as const, 'supplier' as const),
      // The companies have ids of their own: a value of another type, or without one, names somebody else.
      type: fc.constantFrom('own' as const, 'other' as const, 'none' as const),
      whom: fc.constantFrom('into' as const, 'from' as const, 'third' as const),
      name: fc.constantFrom('Ann', 'Bob', 'Ltd'),
    }),
    { maxLength: 5 },
  ),
  picks: fc.record({
    name: either,
    responsible: either,
    company: either,
    phones: any,
    word: either,
    choices: any,
  }),
})
type Case = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never

/** The values of the survivor, by the plain words of the decision. */
function modelOf({
  into,
  from,
  picks,
}: Case): Pick<Side, 'name' | 'responsible' | 'tags' | 'phones' | 'word' | 'choices'> {
  const pick = <Value>(of: (each: Side) => Value, which: 'into' | 'from') =>
    of(which === 'into' ? into : from)
  const list = <Value extends string>(
    of: (each: Side) => Value[],
    picked: 'into' | 'from' | 'both',
    key: (value: Value) => string,
  ): Value[] => {
    if (picked !== 'both') return pick(of, picked)
    return [
      ...of(into),
      ...of(from).filter(
        (value, index, all) =>
          !of(into).some((own) => key(own) === key(value)) &&
          all.findIndex((each) => key(each) === key(value)) === index,
      ),
    ]
  }
  return {
    name: pick(({ name }) => name, picks.name ?? 'into'),
    responsible: pick(({ responsible }) => responsible, picks.responsible ?? 'into'),
    tags: list(({ tags }) => tags, 'both', String),
    phones: list(({ phones }) => phones, picks.phones ?? 'both', digits),
    word: pick(({ word }) => word, picks.word ?? (into.word === null ? 'from' : 'into')),
    choices: list(
      ({ choices }) => choices,
      picks.choices ?? (into.choices.length === 0 ? 'from' : 'into'),
      String,
    ),
  }
}

type Named = Case['naming'][number]

/** The value of an element that names a record; a supplier is an element, and has no type. */
function namingValue(kind: MergedKind, { field, type, name }: Named, entity_id: number) {
  if (field === 'supplier') return { entity_id }
  const entity_type = type === 'other' ? (kind === 'contacts' ? 'companies' : 'contacts') : kind
  if (field === 'linked_entity') return { name, entity_id, entity_type, catalog_id: null }
  return { name, entity_id, ...(type !== 'none' && { entity_type }) }
}

/** The record that the element names after the merge, and by which name. */
function namedAfter(merged: Case, named: Named): Pick<Named, 'whom' | 'name'> {
  const { field, type, whom, name } = named
  const isNaming =
    whom === 'from' &&
    (field === 'linked_entity' ? type !== 'other' : field === 'payer' && type === 'own')
  if (!isNaming) return { whom, name }
  const isItsName = field === 'linked_entity' && name === merged.from.name
  return { whom: 'into', name: isItsName ? modelOf(merged).name : name }
}

/** The contacts of a holder after the merge: the survivor stands where the other stood. */
function linkedAfter(kind: MergedKind, { held: linked, main }: Case['holders'][number]) {
  const before = kind === 'companies' ? linked.slice(0, 1) : linked
  const first = before[main % Math.max(before.length, 1)]
  const after = before.includes('into')
    ? before.filter((each) => each !== 'from')
    : before.map((each) => (each === 'from' ? 'into' : each))
  const isMain = (each: string) =>
    kind === 'contacts' && each === (first === 'from' ? 'into' : first)
  return after.map((each) => ({ each, isMain: isMain(each) }))
}

test('a merge does what a plain model says, and its undo leaves every row as it was', async () => {
  // Other tests empty the bins of all accounts of the common database.
  const scratch = await scratchDatabase()
  onTestFinished(() => scratch.drop())
  const account = await newAccount({ databaseUrl: scratch.url })
  const { api } = account
  const user = await account.addUser()
  const fields = Object.fromEntries(
    await Promise.all(
      (['contacts', 'companies'] as const).map(async (kind) => {
        const phone = (await firstFields(account, kind)).find(({ code }) => code === 'PHONE')!
        const word = await addField(account, kind, { type: 'text' })
        const many = await addField(account, kind, { type: 'multiselect', enums: [...choices] })
        return [kind, { phone, word, many }] as const
      }),
    ),
  )
  const firms = await addRecords(api, 'companies', [{}, {}])
  const naming = await addNamingCatalogs(api)

  const draftOf = (kind: MergedKind, each: Side) => {
    const { phone, word, many } = fields[kind]!
    const list = (values: readonly string[]) => values.map((value) => ({ value }))
    return {
      name: each.name,
      responsible_user_id: each.responsible ? user.id : account.admin.id,
      _embedded: { tags: each.tags.map((name) => ({ name })) },
      custom_fields_values: [
        ...(each.phones.length > 0
          ? [valueOf(phone, ...each.phones.map((value) => ({ value, enum_code: 'WORK' })))]
          : []),
        ...(each.word === null ? [] : [valueOf(word, { value: each.word })]),
        ...(each.choices.length > 0 ? [valueOf(many, ...list(each.choices))] : []),
      ],
    }
  }

  await fc.assert(
    fc.asyncProperty(worlds, async (generated) => {
      const { kind, into, from, picks } = generated
      const { phone, word, many } = fields[kind]!
      const [one, other, third, fourth] = await addRecords(api, kind, [
        draftOf(kind, into),
        draftOf(kind, from),
        {},
        {},
      ])
      const ids = { into: one!, from: other!, third: third!, fourth: fourth! }
      const added: Record<'into' | 'from', { notes: number[]; tasks: number[] }> = {
        into: await addLinked(account, kind, ids.into, into),
        from: await addLinked(account, kind, ids.from, from),
      }
      if (kind === 'contacts')
        for (const [id, { company }] of [
          [ids.into, into],
          [ids.from, from],
        ] as const)
          if (company !== null) await link(api, 'contacts', id, to('companies', firms[company]!))
      const holders = []
      for (const draft of generated.holders) {
        const id = await addRecord(api, draft.kind)
        const linked = kind === 'companies' ? draft.held.slice(0, 1) : draft.held
        for (const each of linked) await link(api, draft.kind, id, to(kind, ids[each]))
        const main = linked[draft.main % Math.max(linked.length, 1)]
        if (main && kind === 'contacts')
          await link(api, draft.kind, id, to('contacts', ids[main], { is_main: true }))
        holders.push({ id, ...draft })
      }
      const elements = []
      for (const named of generated.naming) {
        const value = namingValue(kind, named, ids[named.whom])
        elements.push({ ...(await naming.add(value)), named })
      }
      const before = await rowsAround(account)

      const sent = {
        name: picks.name,
        responsible_user_id: picks.responsible,
        ...(kind === 'contacts' && { company: picks.company }),
        fields: Object.fromEntries(
          [
            [phone, picks.phones],
            [word, picks.word],
            [many, picks.choices],
          ].flatMap(([field, pick]) =>
            pick === undefined ? [] : [[(field as { id: number }).id, pick]],
          ),
        ),
      }
      const merge = await merged(api, kind, ids.into, ids.from, sent)

      const model = modelOf(generated)
      const shown = await readRecord(api, kind, ids.into)
      const values = ({ id }: { id: number }): string[] =>
        shown.custom_fields_values
          ?.find(({ field_id }: { field_id: number }) => field_id === id)
          ?.values.map(({ value }: { value: string }) => value) ?? []
      expect({
        name: shown.name,
        responsible: shown.responsible_user_id === user.id,
        tags: tagNames(shown),
        phones: values(phone),
        word: values(word)[0] ?? null,
        choices: values(many),
      }).toEqual(model)
      for (const { id, kind: type, ...draft } of holders)
        expect(await linkedTo(account, type, id, kind)).toEqual(
          linkedAfter(kind, { kind: type, ...draft }).map(({ each, isMain }) => ({
            id: ids[each],
            is_main: isMain,
          })),
        )
      const notes = notesIn(await api.get(`/api/v4/${kind}/${ids.into}/notes`))
      expect(notes).toEqual([...added.into.notes, ...added.from.notes].toSorted((a, b) => a - b))
      const tasks = await api.get(
        `/api/v4/tasks?filter[entity_type]=${kind}&filter[entity_id]=${ids.into}`,
      )
      expect(tasks.body._embedded.tasks.map(({ id }: { id: number }) => id)).toEqual([
        ...added.into.tasks,
        ...added.from.tasks,
      ])
      if (kind === 'contacts') {
        const whose = picks.company ?? (into.company === null ? 'from' : 'into')
        const company = (whose === 'into' ? into : from).company
        expect(
          (await linksOf(api, kind, ids.into)).filter((each) => each.startsWith('companies')),
        ).toEqual(company === null ? [] : [`companies ${firms[company]}`])
      }

      for (const { named, ...element } of elements) {
        const { whom, name } = namedAfter(generated, named)
        expect(await naming.read(element)).toEqual(namingValue(kind, { ...named, name }, ids[whom]))
      }
      expect((await undoMerge(api, merge)).status).toBe(200)
      expect(await rowsAround(account)).toEqual(before)
    }),
    { seed, numRuns },
  )
}, 120_000)

async function addLinked(
  { api }: TestAccount,
  kind: MergedKind,
  id: number,
  { notes, tasks }: Side,
) {
  const added =
    notes > 0
      ? await addNotes(
          api,
          kind,
          id,
          Array.from({ length: notes }, () => text('x')),
        )
      : []
  const drafts = tasks.map((is_completed, index) => ({
    text: 'Call',
    complete_till: 2_000_000_000 + index,
    entity_type: kind,
    entity_id: id,
    is_completed,
  }))
  const made =
    drafts.length > 0 ? (await api.post('/api/v4/tasks', drafts)).body._embedded.tasks : []
  return { notes: added, tasks: made.map((task: { id: number }) => task.id) as number[] }
}

/** The records of a type that a lead or a customer holds, in the order in which they were linked. */
const linkedTo = (
  { id: account, kontor }: TestAccount,
  type: string,
  id: number,
  kind: MergedKind,
) =>
  kontor.database.rows<{ id: number; is_main: boolean }>(sql`
    select to_id as id, is_main from links
     where account_id = ${account} and from_type = ${type} and from_id = ${id} and to_type = ${kind} order by links.id`)
