// Any records, any action, and anything that others do meanwhile: the undo leaves each record as it was where nobody
// has changed what the job changed, and as the others have left it elsewhere. `FUZZ_SEED` changes the cases,
// `FUZZ_RUNS` their number.
import fc from 'fast-check'
import sql, { raw } from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import { addFields, valueOf } from '../../../../test/fields.ts'
import { bulk, undo } from '../../../../test/jobs.ts'
import { addPipeline, mainPipeline } from '../../../../test/leads.ts'
import type { TestPipeline } from '../../../../test/leads.ts'
import { addRecords } from '../../../../test/records.ts'
import type { Field } from '../../../records/fields/definitions.ts'
import { rowTypes } from '../rows/schema.ts'
import type { RowType } from '../rows/schema.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_129)
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 30)

const tags = ['a', 'b', 'c'] as const
/** The members of a record, and of a request that changes it. */
const state = fc.record({
  person: fc.nat({ max: 1 }),
  tags: fc.subarray([...tags]),
  word: fc.option(fc.constantFrom('x', 'y')),
  choices: fc.subarray([0, 1, 2]),
  stage: fc.nat({ max: 3 }),
  price: fc.nat({ max: 2 }),
})
type State = typeof state extends fc.Arbitrary<infer Value> ? Value : never

const members = ['person', 'tags', 'word', 'choices', 'stage', 'price', 'name'] as const
const others = fc.record({
  record: fc.nat({ max: 5 }),
  act: fc.oneof(
    fc.record({ member: fc.constantFrom(...members), to: state }),
    fc.constantFrom('delete' as const, 'nothing' as const),
  ),
})
const cases = fc.record({
  type: fc.constantFrom(...rowTypes),
  records: fc.array(state, { minLength: 6, maxLength: 6 }),
  kind: fc.constantFrom('move', 'assign', 'tag', 'word', 'choices', 'price', 'delete'),
  to: state,
  others: fc.array(others, { maxLength: 5 }),
})

let account: TestAccount
let people: TestUser[]
let pipelines: TestPipeline[]
const fields = new Map<RowType, { word: Field; choice: Field }>()
beforeAll(async () => {
  account = await newAccount()
  people = [await account.addUser(), await account.addUser()]
  pipelines = [await mainPipeline(account), await addPipeline(account)]
  for (const type of rowTypes) {
    const [word, choice] = await addFields(account, type, [
      { type: 'text' },
      { type: 'multiselect', enums: ['North', 'South', 'East'] },
    ])
    fields.set(type, { word: word!, choice: choice! })
  }
})

/** The body that sets a member. */
function bodyOf(type: RowType, member: (typeof members)[number], to: State): object {
  const { word, choice } = fields.get(type)!
  switch (member) {
    case 'person':
      return { responsible_user_id: people[to.person]!.id }
    case 'tags':
      return { _embedded: { tags: to.tags.map((name) => ({ name })) } }
    case 'word':
      return {
        custom_fields_values: [valueOf(word, ...(to.word === null ? [] : [{ value: to.word }]))],
      }
    case 'choices':
      return {
        custom_fields_values: [
          valueOf(choice, ...to.choices.map((at) => ({ enum_id: choice.enums[at]!.id }))),
        ],
      }
    case 'stage': {
      const pipeline = pipelines[to.stage % 2]!
      return type === 'leads'
        ? {
            pipeline_id: pipeline.id,
            status_id: [...pipeline.statuses, 142, 143].at(-1 - Math.floor(to.stage / 2))!,
          }
        : { name: `at ${to.stage}` }
    }
    case 'price':
      return type === 'leads' ? { price: to.price } : { name: `of ${to.price}` }
    default:
      return { name: `named ${to.price}` }
  }
}

const isOfLeads = (kind: string) => kind === 'move' || kind === 'price'

test(
  'an undo gives back what nobody else has changed, and nothing else',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ type: any, records, kind, to, others: acts }) => {
        const type = isOfLeads(kind) ? 'leads' : any
        const { api } = account
        const drafts = records.map((each) =>
          (['person', 'tags', 'word', 'choices', 'stage', 'price'] as const).reduce(
            (body, member) => joined(body, bodyOf(type, member, each)),
            {},
          ),
        )
        const ids = await addRecords(api, type, drafts)
        const before = await rowsOf(type, ids)
        const sent = (member: (typeof members)[number]) => bodyOf(type, member, to) as never
        const action = {
          move: () => ({ move: sent('stage') }),
          assign: () => ({ assign: sent('person') }),
          tag: () => ({ tag: { add: to.tags.length > 0 ? to.tags : ['z'] } }),
          word: () => ({ field: sent('word') }),
          choices: () => ({ field: sent('choices') }),
          price: () => ({ field: sent('price') }),
          delete: () => ({ delete: {} }),
        }[kind]()
        const job = await bulk(api, { entity_type: type, ids, action })
        expect(job).toMatchObject({ state: 'done', done: ids.length, skipped: 0 })
        const between = await rowsOf(type, ids)
        account.clock.ahead += 5
        for (const { record, act } of acts) {
          const path = `/api/v4/${type}/${ids[record]}`
          if (act === 'delete') await api.delete(path)
          else if (act !== 'nothing') await api.patch(path, bodyOf(type, act.member, act.to))
        }
        const after = await rowsOf(type, ids)
        const undone = job.may_undo ? await undo(api, job) : { faults: [] }
        const now = await rowsOf(type, ids)
        for (const [index, id] of ids.entries()) {
          const own = columnsOf(type, kind).filter(
            (column) => text(before[index]![column]) !== text(between[index]![column]),
          )
          const expected = { ...after[index]! }
          const isTouched = columnsOf(type, kind).some(
            (column) => text(between[index]![column]) !== text(after[index]![column]),
          )
          const isMoved = text(between[index]!['is_deleted']) !== text(after[index]!['is_deleted'])
          const isBack = columnsOf(type, kind).every(
            (column) => text(before[index]![column]) === text(after[index]![column]),
          )
          if (kind === 'tag')
            expected['tag_ids'] = tagsBack(before[index]!, between[index]!, after[index]!)
          else if (!isTouched) for (const column of own) expected[column] = before[index]![column]
          // A lead that comes back has been in its stage since then.
          if (kind === 'move' && !isTouched && own.length > 0)
            expected['entered_at'] = before[index]!['entered_at']
          if (isMoved && kind !== 'delete') Object.assign(expected, after[index])
          expect([kind, id, plain(now[index]!)]).toEqual([kind, id, plain(expected)])
          const isNamed = undone.faults.some((fault) => fault.id === id)
          if (kind !== 'tag' && own.length > 0)
            expect([kind, id, isNamed]).toEqual([
              kind,
              id,
              kind === 'delete' ? false : isMoved || (isTouched && !isBack),
            ])
        }
      }),
      { seed, numRuns },
    )
  },
)

/** Two bodies of one record as one: the values of fields are a list. */
function joined(one: object, other: object): object {
  const [first, second] = [one, other] as { custom_fields_values?: object[] }[]
  const values = [...(first!.custom_fields_values ?? []), ...(second!.custom_fields_values ?? [])]
  return { ...one, ...other, ...(values.length > 0 && { custom_fields_values: values }) }
}

type RowJson = Record<string, unknown>

async function rowsOf(type: RowType, ids: number[]): Promise<RowJson[]> {
  const rows = await account.kontor.database.list<{ row: RowJson }>(sql`
    select to_jsonb(record) as row from ${raw(type)} record
     where account_id = ${account.id} and id = any(${ids}::bigint[]) order by id`)
  return rows.map(({ row: { custom_fields_values: values, ...row } }) => ({
    ...row,
    ...Object.fromEntries(
      Object.values(fields.get(type)!).map(({ id }) => [
        `field:${id}`,
        (values as Record<number, unknown> | null)?.[id] ?? null,
      ]),
    ),
  }))
}

const columnsOf = (type: RowType, kind: string): string[] =>
  ({
    move: ['pipeline_id', 'status_id', 'loss_reason_id', 'closed_at'],
    assign: ['responsible_user_id'],
    tag: ['tag_ids'],
    price: ['price'],
    delete: ['is_deleted'],
    word: [`field:${fields.get(type)!.word.id}`],
    choices: [`field:${fields.get(type)!.choice.id}`],
  })[kind]!

const text = (value: unknown) => JSON.stringify(value)

/** Tags of others stay as the others left them. */
function tagsBack(before: RowJson, between: RowJson, after: RowJson): number[] {
  const [were, are, now] = [before, between, after].map((row) => row['tag_ids'] as number[])
  const added = are!.filter((id) => !were!.includes(id))
  return now!.filter((id) => !added.includes(id))
}

/**
 * Without the times and the author of the last change and the times at which the clock looks at a customer again, and
 * with tags in one order.
 */
const plain = ({
  updated_at: _at,
  updated_by: _by,
  status_due_at: _status,
  segments_due_at: _segments,
  tag_ids,
  ...row
}: RowJson) => ({
  ...row,
  tag_ids: (tag_ids as number[]).toSorted((a, b) => a - b),
})
