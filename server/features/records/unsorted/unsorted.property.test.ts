// Any valid intake can be accepted, also where fields, choices, tags, users and stages are gone by
// then, and makes the records that complex creation would make of what is left. `FUZZ_SEED` changes
// the items, `FUZZ_RUNS` their number.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecordType } from '../../../records/description.ts'
import type { Field } from '../../../records/fields/definitions.ts'
import { newAccount } from '../../../../test/account.ts'
import type { TestAccount, TestUser } from '../../../../test/account.ts'
import type { Client } from '../../../../test/client.ts'
import { addComplex } from '../../../../test/complex.ts'
import { changeField, deleteField } from '../../../../test/fields.ts'
import { addPipeline, listen, mainPipeline } from '../../../../test/leads.ts'
import type { TestPipeline } from '../../../../test/leads.ts'
import { draftOf } from '../../../../test/lists/drafts.ts'
import { addFields } from '../../../../test/lists/fields.ts'
import { readRecord } from '../../../../test/records.ts'
import { statusesOf } from '../../../../test/pipelines.ts'
import { accept, addItem, addedIn, itemOf, unsorted } from '../../../../test/unsorted.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_122)
const runs = Number(process.env['FUZZ_RUNS'] ?? 24)
const kinds = ['leads', 'contacts', 'companies'] as const
type Kind = (typeof kinds)[number]

interface Draft {
  name?: string
  responsible_user_id?: number
  created_by?: number
  custom_fields_values?: { field_id: number; values: { enum_id?: number }[] }[]
  tags_to_add?: { id?: number; name?: string }[]
}
type Drafts = Partial<Record<Kind, Draft[]>>

interface Ground {
  account: TestAccount
  fields: Record<Kind, Field[]>
  pipelines: TestPipeline[]
  /** Administrators; the last may be deactivated. */
  users: TestUser[]
  tags: Record<Kind, number[]>
}

async function newGround(): Promise<Ground> {
  const account = await newAccount()
  const [second, last] = [
    await account.addUser({ is_admin: true }),
    await account.addUser({ is_admin: true }),
  ]
  const byKind = async <Value>(make: (kind: Kind) => Promise<Value>) =>
    Object.fromEntries(
      await Promise.all(kinds.map(async (kind) => [kind, await make(kind)] as const)),
    ) as Record<Kind, Value>
  return {
    account,
    fields: await byKind((kind) => addFields(account, kind)),
    pipelines: [await mainPipeline(account), await addPipeline(account)],
    users: [account.admin, second, last],
    tags: await byKind(async (kind) => {
      const made = await account.api.post(`/api/v4/${kind}/tags`, [
        { name: 'stays' },
        { name: 'goes' },
      ])
      return made.body._embedded.tags.map(({ id }: { id: number }) => id)
    }),
  }
}

/** Leads, and perhaps contacts and companies, with values of every type of field. */
function draftsOf({ fields, users, tags, pipelines }: Ground) {
  const part = (kind: Kind): fc.Arbitrary<Draft[]> => {
    const materials = {
      users: users.map(({ id }) => id),
      stages: [{ pipeline_id: pipelines[0]!.id, status_id: pipelines[0]!.statuses[0] }],
      statuses: [0],
      moments: [1_700_000_000, 1_750_012_345],
    }
    const named = fc.subarray([
      ...tags[kind].map((id) => ({ id })),
      { name: 'Stays' },
      { name: 'new' },
    ])
    return fc
      .tuple(draftOf(kind, fields[kind], materials), fc.option(named, { nil: undefined }))
      .map(([{ pipeline_id: _, status_id: _status, closed_at: _time, ...draft }, references]) => {
        // The author of a waiting lead stands, also when that user is gone.
        const { created_by, ...others } = draft
        const isLasting = kind !== 'leads' || created_by !== users.at(-1)!.id
        return [
          {
            ...others,
            ...(created_by !== undefined && isLasting && { created_by }),
            ...(references && { tags_to_add: references }),
          },
        ]
      })
  }
  const perhaps = (kind: Kind) => fc.option(part(kind), { nil: undefined })
  return fc
    .record({
      leads: fc.option(part('leads'), { nil: undefined, freq: 8 }),
      contacts: perhaps('contacts'),
      companies: perhaps('companies'),
    })
    .map(
      (drafts) => Object.fromEntries(Object.entries(drafts).filter(([, each]) => each)) as Drafts,
    )
}

interface Ids {
  lead: number
  contact?: number | null
  company?: number | null
}

/** The records as answers show them, without ids and the times of changes. */
async function shown(api: Client, { lead, contact, company }: Ids) {
  const names = new Map(
    [lead, contact, company].flatMap((id, index) =>
      id ? [[`${kinds[index]} ${id}`, kinds[index]] as const] : [],
    ),
  )
  const read = async (kind: RecordType, id: number | null | undefined) => {
    if (!id) return null
    const {
      id: _,
      updated_at: _at,
      created_at,
      _links,
      _embedded,
      ...record
    } = await readRecord(
      api,
      kind,
      id,
      kind === 'leads' ? 'with=contacts,source,loss_reason' : 'with=leads,contacts',
    )
    const linked = (type: Kind) =>
      (_embedded[type] as { id: number; is_main?: boolean }[] | undefined)?.map((each) => ({
        ...each,
        id: names.get(`${type} ${each.id}`),
        _links: null,
      }))
    return {
      ...record,
      created: created_at < 1_790_000_000 ? created_at : 'now',
      links: {
        leads: linked('leads'),
        contacts: linked('contacts'),
        companies: linked('companies'),
      },
      tags: _embedded.tags.map(({ name }: { name: string }) => name),
    }
  }
  return {
    lead: await read('leads', lead),
    contact: await read('contacts', contact),
    company: await read('companies', company),
  }
}

const complexOf = ({ leads = [{}], ...parts }: Drafts, more: object) => ({
  ...leads[0],
  ...more,
  _embedded: parts,
})

/** The records that complex creation makes of the same drafts, as the author. */
async function made(api: Client, drafts: Drafts, more: object) {
  const [element] = await addComplex(api, complexOf(drafts, more))
  const { id, contact_id, company_id } = element!
  return shown(api, { lead: id, contact: contact_id, company: company_id })
}

test('an accepted item is what complex creation would have made', async () => {
  const ground = await newGround()
  const { account, users, pipelines } = ground
  const circumstances = fc.record({
    drafts: draftsOf(ground),
    sender: fc.constantFrom(...users),
    author: fc.constantFrom(...users),
    place: fc.constantFrom(0, 1),
    stage: fc.option(fc.constantFrom(0, 2), { nil: undefined }),
    way: fc.constantFrom('accept', 'complex', 'patch'),
  })
  await fc.assert(
    fc.asyncProperty(
      circumstances,
      async ({ drafts, sender, author, place: target, stage, way }) => {
        const pipeline = pipelines[target]!
        const lead = { name: 'No name', ...drafts.leads?.[0] }
        const sent = { ...drafts, leads: [lead] }
        const item = { pipeline_id: pipeline.id, _embedded: sent }
        const stageId = pipeline.statuses[stage ?? 0]
        let added: { uid: string } & Ids
        if (way === 'complex') {
          const metadata = { category: 'forms', form_id: 'x' }
          const draft = complexOf(sent, { pipeline_id: pipeline.id })
          const [one] = await addComplex(sender.api, {
            ...draft,
            _embedded: { ...draft._embedded, metadata },
          })
          const { body } = await account.api.get(`${unsorted}?order[created_at]=desc&limit=250`)
          type Shown = { uid: string; _embedded: { leads: { id: number }[] } }
          const { uid } = (body._embedded.unsorted as Shown[]).find(
            ({ _embedded: { leads } }) => leads[0]!.id === one!.id,
          )!
          added = { uid, lead: one!.id, contact: one!.contact_id, company: one!.company_id }
        } else added = await addItem(sender.api, item)
        const newsSince = await listen(account)
        const answer =
          way === 'patch'
            ? await author.api.patch(`/api/v4/leads/${added.lead}`, { status_id: stageId })
            : await accept(sender.api, added, {
                user_id: author.id,
                ...(stage !== undefined && { status_id: stageId }),
              })
        expect(answer.status).toBe(200)
        const accepted = await newsSince()
        const more = {
          pipeline_id: pipeline.id,
          ...(stage !== undefined && { status_id: stageId }),
        }
        const newsSinceRepeat = await listen(account)
        const expected = await made(author.api, sent, more)
        expect(await shown(account.api, added)).toEqual(expected)
        // So are its events, but for the ids and times.
        const eventsOf = ({ events }: Awaited<ReturnType<typeof newsSince>>) =>
          events.map(({ entity_type, type, created_by }) => `${entity_type} ${type} ${created_by}`)
        expect(eventsOf(accepted).toSorted()).toEqual(eventsOf(await newsSinceRepeat()).toSorted())
      },
    ),
    { seed, numRuns: runs, endOnFailure: true },
  )
})

test('an item whose account changed meanwhile is accepted with what is left', async () => {
  const answers = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 0, max: 31 }), async (own, changes) => {
      const ground = await newGround()
      const { account, fields, users, tags, pipelines } = ground
      const { api } = account
      const author = users[1]!
      const drafts = fc.sample(draftsOf(ground), { seed: own, numRuns: 3 })
      const items = drafts.map(({ leads = [{}], ...parts }) => ({
        pipeline_id: pipelines[1]!.id,
        _embedded: { ...parts, leads: [{ name: 'No name', ...leads[0] }] },
      }))
      const added = addedIn(
        await api.post(
          `${unsorted}/forms`,
          items.map((item) => itemOf('forms', item)),
        ),
      )

      const goes = (bit: number) => (changes & (1 << bit)) !== 0
      const gone = {
        fields: new Set<number>(),
        choices: new Set<number>(),
        tags: new Set<number>(),
      }
      for (const kind of kinds) {
        const own_fields = fields[kind].filter(({ code }) => code === null)
        if (goes(0))
          for (const { id } of own_fields.filter((_, index) => index % 2)) {
            gone.fields.add(id)
            await deleteField(account, kind, id)
          }
        if (goes(1))
          for (const { id, enums } of own_fields.filter(({ enums: all }) => all.length > 1)) {
            gone.choices.add(enums[0]!.id)
            if (!gone.fields.has(id))
              await changeField(account, kind, { id, enums: enums.slice(1) })
          }
        if (goes(2)) {
          gone.tags.add(tags[kind][1]!)
          await api.delete(`/api/v4/${kind}/tags/${tags[kind][1]}`)
        }
      }
      if (goes(3)) await api.post('/api/v4/users/deactivate', [{ id: users[2]!.id }])
      const { id, statuses } = pipelines[1]!
      if (goes(4)) await api.delete(`${statusesOf(id)}/${statuses[0]}`)

      for (const [index, each] of added.entries()) {
        const answer = await accept(api, each, { user_id: author.id })
        expect(answer.status).toBe(200)
        const left = Object.fromEntries(
          Object.entries(items[index]!._embedded).map(([kind, parts]) => [
            kind,
            parts.map((part) => stillValid(part, gone, goes(3) ? users[2]!.id : -1)),
          ]),
        ) as Drafts
        const result = await shown(api, each)
        const notes = await api.get(
          `/api/v4/leads/${each.lead}/notes?filter[note_type]=service_message`,
        )
        expect(result).toEqual(await made(author.api, left, { pipeline_id: id }))
        const lost = JSON.stringify(left) !== JSON.stringify(items[index]!._embedded)
        if (lost) answers.add(`${notes.body._embedded.notes.length > 0}`)
        if (!lost) expect(notes.body._embedded.notes).toEqual([])
      }
    }),
    {
      seed,
      numRuns: Math.ceil(runs / 2),
      endOnFailure: true,
      examples: [
        [1, 31],
        [2, 31],
      ],
    },
  )
  expect(answers).toContain('true')
})

/** A draft without what is gone. */
function stillValid(
  { responsible_user_id, created_by, custom_fields_values, tags_to_add, ...draft }: Draft,
  gone: { fields: Set<number>; choices: Set<number>; tags: Set<number> },
  user: number,
): Draft {
  return {
    ...draft,
    ...(responsible_user_id !== undefined &&
      responsible_user_id !== user && { responsible_user_id }),
    ...(created_by !== undefined && created_by !== user && { created_by }),
    ...(custom_fields_values && {
      custom_fields_values: custom_fields_values
        .filter(({ field_id }) => !gone.fields.has(field_id))
        .map(({ field_id, values }) => ({
          field_id,
          values: values.filter(({ enum_id }) => !gone.choices.has(enum_id ?? 0)),
        })),
    }),
    ...(tags_to_add && { tags_to_add: tags_to_add.filter(({ id }) => !gone.tags.has(id ?? 0)) }),
  }
}
