// Every member of every body of the interface has an effect, is refused, or stands in the table of
// docs/compatibility.md with the reason why it has none (interface: Members that bodies cannot write). So does
// each of two members that write the same, and none takes away what it does not name.
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemaKindOf } from '../../server/http/shape.ts'
import type { Schema } from '../../server/http/shape.ts'
import { withoutEffect } from '../../docs/api/without-effect.ts'
import { ensureEventPartitions } from '../../server/changes/partitions.ts'
import { atEndOfFile } from '../endings.ts'
import { scratchDatabase } from '../scratch.ts'
import { askWith, bodies, requestOf, withMember } from './bodies.ts'
import type { PreparedRequest, Keys } from './bodies.ts'
import { newRouteFixture } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import {
  effectOf,
  factsOf,
  leavesOf,
  lowestId,
  makeRoom,
  noteWrites,
  pathOf,
  roomsOf,
} from './effects.ts'
import type { Effect, Fact, Rooms } from './effects.ts'
import { kinds } from './seed.ts'
import { anew, candidatesFor, holderOf, newSamples, variantsFor } from './samples.ts'
import type { Samples } from './samples.ts'

let fixture: RouteFixture
let samples: Samples
let lowest: number
let rooms: Rooms
beforeAll(async () => {
  const { url, database, drop } = await scratchDatabase()
  atEndOfFile(drop)
  await ensureEventPartitions(database, new Date())
  await noteWrites(database)
  fixture = await newRouteFixture({ databaseUrl: url })
  samples = await newSamples(fixture)
  // What all requests of a route share is made with the first.
  for (const { method, path } of bodies) await requestOf(fixture, method, path)
  rooms = await roomsOf(fixture.account)
  lowest = await lowestId(fixture.account)
})

describe.each(bodies)('$method $path', ({ method, path, schema }) => {
  test('each member has its effect, is refused, or stands in the table', async () => {
    await makeRoom(fixture.account, rooms)
    const walk = await walkOf(method, path, schema)
    const contradicted = await contradictedIn(walk)
    await makeRoom(fixture.account, rooms)
    const removed = method === 'PATCH' ? await removedIn(walk) : []
    expect([...walk.problems, ...silentIn(walk), ...contradicted, ...removed]).toEqual([])
    counted.set(`${method} ${path}`, heardIn(walk).length)
  }, 600_000)
})

const counted = new Map<string, number>()

afterAll(() => {
  // Most members have an effect, where all bodies were walked.
  const heard = [...counted.values()].reduce((sum, each) => sum + each, 0)
  if (counted.size === bodies.length) expect(heard).toBeGreaterThan(900)
})

interface Ran extends Effect {
  facts: Set<Fact>
}

/** What became of a member, in one of the surroundings that it was sent in. */
interface Sent {
  name: string
  context: string
  keys: Keys
  /** A value that had an effect, the body with it, what came of it, and the places that it changed. */
  value?: unknown
  body?: BodyOf
  ran?: Ran
  changed?: Set<string>
  /** Other values that were taken. */
  others: unknown[]
  /** Values that changed nothing, and those that were refused. */
  same: unknown[]
  refused: string[]
}

type BodyOf = (question: PreparedRequest) => unknown

const isIgnored = (member: Schema) => member.readOnly === true && !('x-refused' in member)

const apart = (one: Set<Fact>, other: Set<Fact>): Fact[] => [
  ...[...one].filter((fact) => !other.has(fact)),
  ...[...other].filter((fact) => !one.has(fact)),
]

/** Who reads a list or an object: fields and tags of records are read alike, wherever they stand. */
function readerOf(path: string, keys: Keys): string {
  const names = keys.filter((key) => key !== 0)
  const shared = /^(?:custom_fields_values|tags|tags_to_add|tags_to_delete)$/.test(
    String(names.at(-1)),
  )
  if (shared) return `${holderOf(path, keys)} ${String(names.at(-1))}`
  return `${/^\/\w+\/\w+\/\w+(?:\/segments)?/.exec(path)?.[0]} ${names.slice(-3).join('.')}`
}

/** What has been walked, by its reader, its schema and its value: it is walked once. */
const walked = new Set<string>()

type Walk = Awaited<ReturnType<typeof walkOf>>

/** Sends each member of a body, alone. */
async function walkOf(method: string, path: string, schema: Schema) {
  const problems: string[] = []
  const found = new Map<string, Sent>()
  const ignored = new Set<string>()
  const refusedReadOnly = new Map<string, string>()
  let first: PreparedRequest | undefined
  let count = 0

  const own = anew[`${method} ${path}`]
  const prepare = async (): Promise<PreparedRequest> =>
    own ? { method, path, ...(await own(fixture)) } : requestOf(fixture, method, path)

  async function run(bodyOf: BodyOf): Promise<Ran> {
    count++
    const request = await prepare()
    first ??= request
    const named = new Map(leavesOf(first.body))
    const alias = new Map<string, string>()
    for (const [at, value] of leavesOf(request.body)) {
      const then = named.get(at)
      if (then !== undefined && then !== value)
        alias.set(JSON.stringify(value), JSON.stringify(then))
    }
    const came = await effect(request, bodyOf)
    if (count % 6 === 0 && (own || method === 'POST')) await makeRoom(fixture.account, rooms)
    return { ...came, facts: factsOf(came, lowest, alias) }
  }

  const asSent: BodyOf = ({ body }) => body
  const [one, other] = [await run(asSent), await run(asSent)] as const
  // What differs in each run.
  const noise = new Set(apart(one.facts, other.facts).map(pathOf))
  const differences = (ran: Ran, from: Ran, value?: unknown) =>
    apart(ran.facts, from.facts).filter((fact) => {
      const path = pathOf(fact)
      return (
        !/^journal\.(?:\*|before\.updated_at)/.test(path) &&
        (!noise.has(path) || (ran.facts.has(fact) && fact.endsWith(`=${JSON.stringify(value)}`)))
      )
    })

  const isItems = schemaKindOf(schema) === 'array'
  for (const [index, variant] of variantsFor(method, path, samples).entries()) {
    const vary: BodyOf = ({ body }) =>
      Object.entries(variant).reduce(
        (varied, [key, value]) =>
          withMember(varied, [...(isItems ? [0 as const] : []), ...key.split('.')], value),
        body,
      )
    const start = await run(vary)
    if (start.status > 299) {
      if (index === 0) problems.push(`${start.status} ${start.text}`)
    } else await walk(schema, [], vary, start, index === 0 ? '' : `${JSON.stringify(variant)} `)
  }

  async function walk(
    inner: Schema,
    keys: Keys,
    around: BodyOf,
    start: Ran,
    context: string,
  ): Promise<void> {
    switch (schemaKindOf(inner)) {
      case 'union':
        for (const each of inner.anyOf!) await walk(each, keys, around, start, context)
        return
      case 'array':
        if (inner.items) await walk(inner.items, [...keys, 0], around, start, context)
        return
      case 'object': {
        const members = Object.entries(inner.properties ?? {})
        const readOnly = members.filter(([, member]) => isIgnored(member)).map(([key]) => key)
        await ignore(readOnly, keys, around, start)
        for (const [key, member] of members.filter(([, each]) => !isIgnored(each)))
          await visit(member, [...keys, key], around, start, context)
      }
    }
  }

  /** Members that Kontor computes: whatever they hold, nothing comes of it. */
  async function ignore(names: string[], keys: Keys, around: BodyOf, start: Ran): Promise<void> {
    const left = names.filter((name) => !ignored.has([...keys, name].join('.')))
    if (left.length === 0) return
    for (const value of ['sampled', { id: 7 }]) {
      const ran = await run((q) =>
        left.reduce((body, name) => withMember(body, [...keys, name], value), around(q)),
      )
      // An unsorted item is stored as it was sent.
      const again = differences(ran, start).length > 0 ? await run(around) : start
      const changes = differences(ran, again).filter(
        (fact) => !/^(?:unsorted_items|journal\.after)\.data/.test(fact),
      )
      const names = [...keys, left.join()].join('.')
      if (ran.status > 299) return void refusedReadOnly.set(names, ran.text)
      refusedReadOnly.delete(names)
      if (changes.length > 0) problems.push(`read-only ${names}: ${changes.slice(0, 3).join(' ')}`)
    }
    for (const name of left) ignored.add([...keys, name].join('.'))
  }

  async function visit(
    member: Schema,
    keys: Keys,
    around: BodyOf,
    start: Ran,
    context: string,
  ): Promise<void> {
    const name = keys.join('.')
    const id = context.startsWith('{') ? name : `${context}${name}`
    const sent = found.get(id) ?? { name, context, keys, others: [], same: [], refused: [] }
    found.set(id, sent)
    const isContainer = [member, ...(member.anyOf ?? [])].some(
      ({ type }) => type === 'object' || type === 'array',
    )
    if (!isContainer && (sent.body || !isInTurn(path, name))) return
    const isThere = valueAt(around(first!), keys) !== undefined
    const plain = isThere ? await run((q) => withMember(around(q), keys, undefined)) : start
    const from = plain.status > 299 ? start : plain
    const taken: [BodyOf, Ran][] =
      isContainer && isThere && /params|payload|message|sender|rights/.test(String(keys.at(-1)))
        ? [[around, start]]
        : []
    for (const value of candidatesFor(samples, path, keys, member)) {
      if (sent.body && !isContainer) {
        sent.others.push(value)
        continue
      }
      const bodyOf: BodyOf = (q) => withMember(around(q), keys, value)
      const ran = await run(bodyOf)
      if (ran.status > 299) {
        sent.refused.push(
          `${JSON.stringify(value)}: ${ran.status} ${/"(?:detail|error_description)":"([^"]*)"/.exec(ran.text)?.[1]}`,
        )
        continue
      }
      const changes = differences(ran, from, value)
      const isSilent = changes.length === 0 && plain.status <= 299 && leavesOf(value).length > 0
      // What stands in a list or an object that counts for nothing counts for nothing either.
      if (!isSilent) taken.push([bodyOf, ran])
      if (isSilent) sent.same.push(value)
      else if (changes.length === 0 && plain.status <= 299) continue
      else if (sent.body) sent.others.push(value)
      else
        Object.assign(sent, {
          context,
          value,
          body: bodyOf,
          ran,
          changed: new Set(changes.map(pathOf)),
        })
    }
    const isVaried =
      /custom_fields|statuses|nested|contacts|companies|tags|rights/.test(String(keys.at(-1))) &&
      taken.length > 1
    if (isContainer)
      for (const [index, [bodyOf, ran]] of taken.slice(0, isVaried ? 6 : 1).entries()) {
        const value = JSON.stringify(valueAt(bodyOf(first!), keys))
        const id = `${method} ${readerOf(path, keys)} ${JSON.stringify(member)} ${value}`
        if (walked.has(id)) continue
        walked.add(id)
        await walk(member, keys, bodyOf, ran, index === 0 ? context : `${context}${name}#${index} `)
      }
  }

  for (const [names, text] of refusedReadOnly)
    if (!/metadata\.main_contact|social_profiles/.test(names))
      problems.push(`read-only ${names}: ${text}`)
  return { method, path, problems, found, first: first!, run, ask: prepare, differences }
}

/** What all types of records share is sent to each of them in turn. */
function isInTurn(path: string, name: string): boolean {
  if (path.includes('/segments')) return true
  const [, kind, what] = /^\/api\/v4\/(\w+)\/.*?(notes|tags|custom_fields)\b/.exec(path) ?? []
  const turn = kinds.indexOf(kind as (typeof kinds)[number])
  if (what === undefined || turn < 0) return true
  return name.length % kinds.length === turn
}

function effect(request: PreparedRequest, bodyOf: BodyOf): Promise<Effect> {
  const { account } = request.scope ?? fixture
  const body = JSON.stringify(bodyOf(request))
  return effectOf(account, () => askWith(fixture, request, body))
}

const valueAt = (value: unknown, keys: Keys): unknown =>
  keys.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)

/** How long somebody types is told to open pages (messages.test.ts), and stored nowhere. */
const reportedOnly = 'duration_ms'

/** The members of a body that nothing came of, and that were not refused. */
function silentIn({ method, path, found }: Walk): string[] {
  const byName = Map.groupBy(found.values(), ({ name }) => name)
  return [...byName].flatMap(([name, each]) => {
    if (each.every(({ same }) => same.length === 0)) return []
    // Where it has none may stand in the table, too.
    const isKnown = name === reportedOnly || isExempt(method, path, name)
    const isHeard =
      each.some(({ body }) => body) ||
      // A list or an object whose members count.
      [...found.values()].some((other) => other.name.startsWith(`${name}.`) && other.body)
    return isKnown || isHeard ? [] : `${name} has no effect: ${JSON.stringify(each[0]!.same)}`
  })
}

/** Columns that are kept beside the rows that a request writes. */
const bookkeeping =
  /^(?:journal|events|event_keys|record_texts|record_tags|listed_counts|listed_count_deltas|answer)\.|updated_(?:at|by)$|^\w+(?:\.\*)?$/

const heardIn = ({ found }: Walk): Sent[] => [...found.values()].filter(({ body }) => body)

/** Two members that write the same: each must count beside the other, or the body be refused. */
async function contradictedIn(walk: Walk): Promise<string[]> {
  const { method, path, first, run, differences } = walk
  const heard = heardIn(walk)
  const faults: string[] = []
  for (const [index, one] of heard.entries())
    for (const other of heard.slice(index + 1)) {
      const isInside =
        other.name.startsWith(`${one.name}.`) || one.name.startsWith(`${other.name}.`)
      if (isInside || other.context !== one.context) continue
      const shared = [...one.changed!].filter(
        (path) => other.changed!.has(path) && !bookkeeping.test(path),
      )
      if (shared.length === 0) continue
      const isKnown = [
        [one, other],
        [other, one],
      ].every(([kept, lost]) =>
        isDeepStrictEqual(valueAt(kept!.body!(first), lost!.keys), lost!.value),
      )
      if (isKnown) continue
      const both = await run((q) => withMember(one.body!(q), other.keys, other.value))
      if (both.status > 299) continue
      for (const [lost, kept] of [
        [one, other],
        [other, one],
      ] as const)
        if (
          // A link that is not there is not taken away, whatever else its item says.
          Object.keys(kept.ran!.rows).length > 0 &&
          !isDeepStrictEqual(valueAt(kept.body!(first), lost.keys), lost.value) &&
          differences(both, kept.ran!).length === 0 &&
          !isExempt(method, path, lost.name, kept.name)
        )
          faults.push(
            `${lost.context}${lost.name} beside ${kept.name} has no effect (${shared.slice(0, 3).join(' ')})`,
          )
    }
  return faults
}

/** The columns and rows that a change takes away without naming them, from a thing that has all its members. */
async function removedIn({ first, found, run, ask }: Walk): Promise<string[]> {
  const depth = Array.isArray(first.body) ? 1 : 0
  const named = [...found.values()].filter(({ body, context, keys }) => {
    const inside = keys.slice(depth)
    return (
      body &&
      context === '' &&
      (inside.length === 1 ? inside[0] !== 'id' : inside[0] === '_embedded' && inside.length === 2)
    )
  })
  const filled: Sent[] = []
  const full =
    (more: Sent[]): BodyOf =>
    ({ body }) =>
      more.reduce((whole, { keys, value }) => withMember(whole, keys, value), body)
  for (const sent of named) if ((await run(full([...filled, sent]))).status < 300) filled.push(sent)

  const faults: string[] = []
  for (const { name, keys, others, value, changed } of filled) {
    const next = others.find(
      (other) => !isDeepStrictEqual(other, value) && leavesOf(other).length > 0,
    )
    if (next === undefined) continue
    const request = await ask()
    const before = await effect(request, full(filled))
    const after = await effect(request, ({ body }) => withMember(body, keys, next))
    if (after.status > 299) continue
    const isNamed = (path: string) =>
      [...changed!].some((each) => `${each}.`.startsWith(`${path}.`))
    for (const [table, rows] of Object.entries(after.rows)) {
      for (const row of rows) {
        const was = before.rows[table]?.find((each) => each['id'] === row['id'])
        for (const [column, left] of Object.entries(row))
          if (was && !isNamed(`${table}.${column}`) && isLess(left, was[column]))
            faults.push(
              `${name} removes ${table}.${column}: ${JSON.stringify(was[column])} to ${JSON.stringify(left)}`,
            )
      }
    }
    for (const [table, count] of Object.entries(after.more))
      if (
        count < 0 &&
        ![...changed!].some((path) => path === table || path.startsWith(`${table}.`))
      )
        faults.push(`${name} removes ${-count} rows of ${table}`)
  }
  return faults
}

/** Whether a value has lost something. */
function isLess(value: unknown, was: unknown): boolean {
  if (was === null || was === undefined) return false
  if (value === null || value === '') return was !== ''
  if (typeof value !== 'object' || typeof was !== 'object') return false
  const of = value as Record<string, unknown>
  return Object.entries(was).some(([key, each]) => !(key in of) || isLess(of[key], each))
}

/** Whether the table of docs/compatibility.md gives the reason why a member has no effect. */
function isExempt(method: string, path: string, member: string, beside?: string): boolean {
  return withoutEffect.some(
    (each) =>
      each.requests.some((request) => patternOf(request).test(`${method} ${path}`)) &&
      isAbout(each.member, member) &&
      (each.beside === undefined || (beside !== undefined && isAbout(each.beside, beside))),
  )
}

/** Whether a member, as `0._embedded.tags.0.id`, is one of the table or inside of it. */
const isAbout = (named: string, member: string) =>
  new RegExp(`\\.${named.replace(/[[\]]/g, '\\$&')}(?=[.[]|$)`).test(
    `.${member.replaceAll('.0', '[]')}`,
  )

const patternOf = (request: string) =>
  new RegExp(
    `^${request
      .replace(/[{}]/g, '\\$&')
      .replaceAll('**', '§')
      .replaceAll('*', '[^/]+')
      .replaceAll('§', '.*')}$`,
  )
