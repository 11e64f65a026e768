// Every member of every body of the interface, sent as null (interface: Null). In an optional member
// whose schema takes no null it counts as not sent, at any depth; a required member refuses it; a
// member that may be null takes it. Every list, sent as an empty object, is an empty list (interface:
// Lists as objects), and every quantity takes texts and is rounded (interface: Type leniency).
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { fitsShallowly, schemaKindOf } from '../../server/http/shape.ts'
import type { Schema, SchemaKind } from '../../server/http/shape.ts'
import { compile } from '../../server/http/validate.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { amojoIdOf, hmac } from '../channels.ts'
import { addScope } from '../chats.ts'
import type { TestScope } from '../chats.ts'
import { raw } from '../raw.ts'
import { rows } from '../routes.ts'
import { server } from '../server.ts'
import { newCast } from './cast.ts'
import type { Cast } from './cast.ts'
import { requests } from './requests.ts'
import type { Question } from './requests.ts'

type Keys = readonly (string | 0)[]
interface Member {
  keys: Keys
  isRequired: boolean
  takesNull: boolean
  schema: Schema
  /** A body with the member's surroundings, and without it. */
  body: unknown
}

const registered = (await server()).routes
const bodies = rows
  .filter(({ path }) => /^\/(?:api\/v[24]|v2)\//.test(path))
  .flatMap(({ method, path }) => {
    const route = registered.find((each) => each.method === method && each.path === path)
    const schema = route?.schema?.body as Schema | undefined
    return schema && route?.config?.takesBytes !== true ? [{ method, path, schema }] : []
  })

let cast: Cast
let withChannels: TestAccount
beforeAll(async () => {
  cast = await newCast()
  withChannels = await newAccount({ rateLimitScope: 0, rateLimitAddress: 0 })
})

test('the table knows the bodies of the interface', () => {
  expect(bodies.length).toBeGreaterThan(120)
  const members = bodies.flatMap(({ schema }) => membersOf(schema))
  const count = (of: Partial<Member>) =>
    members.filter((each) => Object.entries(of).every(([key, is]) => each[key as 'keys'] === is))
      .length
  expect(count({ isRequired: false, takesNull: false })).toBeGreaterThan(1000)
  expect(count({ isRequired: true, takesNull: false })).toBeGreaterThan(100)
  expect(count({ takesNull: true })).toBeGreaterThan(200)
  expect(members.filter(({ schema }) => has(schema, 'array')).length).toBeGreaterThan(200)
})

test('every quantity takes texts and is rounded to six decimals', async () => {
  const quantities = bodies.flatMap(({ method, path, schema }) =>
    membersOf(schema)
      .filter(({ keys }) => keys.at(-1) === 'quantity')
      .map((member) => ({ method, path, member })),
  )
  expect(quantities.length).toBeGreaterThan(8)
  for (const { method, path, member } of quantities) {
    const question = await questionOf(method, path)
    const answerTo = (value: unknown) =>
      faultsOf(question, withMember(member.body, member.keys, value))
    expect(has(member.schema, 'number')?.['x-decimals']).toBe(6)
    expect(await answerTo('2.50')).toMatch(onlyStranger)
    expect(await answerTo(1 / 3)).toMatch(onlyStranger)
    expect(await answerTo('many')).not.toMatch(onlyStranger)
  }
})

describe.each(bodies)('$method $path', ({ method, path, schema }) => {
  test('reads each null as its schema says', async () => {
    const wrong: string[] = []
    const question = await questionOf(method, path)
    for (const member of membersOf(schema)) {
      const without = await faultsOf(question, member.body)
      const sent = await faultsOf(question, withMember(member.body, member.keys, null))
      if (isReadLater(path, member)) expect(sent).toMatch(onlyStranger)
      else if (onlyStranger.test(sent) === refusesNull(path, member))
        wrong.push(`${member.keys.join('.')}: ${sent}`)
      if (!member.isRequired) expect(without).toMatch(onlyStranger)
    }
    expect(wrong).toEqual([])
  })

  test('reads an empty object as an empty list where a list is meant', async () => {
    const question = await questionOf(method, path)
    const isStrict = path.startsWith('/v2/')
    if (schemaKindOf(schema) === 'array') {
      const none = await ask(question, '[]')
      expect(none.text).toContain('TooFew')
      expect(await ask(question, '{}')).toMatchObject({ status: 400, text: none.text })
    }
    const answerTo = ({ body, keys }: Member, value: unknown) =>
      faultsOf(question, withMember(body, keys, value))
    for (const member of membersOf(schema)) {
      const { keys } = member
      if (has(member.schema, 'array')) {
        const asObject = await answerTo(member, {})
        if (isStrict)
          expect([keys, asObject]).toEqual([keys, expect.not.stringMatching(onlyStranger)])
        else expect([keys, asObject]).toEqual([keys, await answerTo(member, [])])
      }
    }
  })

  test('does the same for a body full of nulls, of an empty _embedded and of an unknown null', async () => {
    const answers = []
    for (const change of [(body: unknown) => body, (body: unknown) => withNulls(schema, body)]) {
      const question = await questionOf(method, path)
      answers.push(await ask(question, JSON.stringify(change(question.body))))
    }
    const [plain, full] = answers
    expect([full!.status, full!.text]).toEqual([plain!.status, full!.text])
    if (!path.startsWith('/v2/')) expect(plain!.status).toBeLessThan(300)
  })
})

/** Whether null is refused: in required members, and in an address whose absence means all. */
const refusesNull = (path: string, { isRequired, takesNull, keys }: Member) =>
  (isRequired && !takesNull) || (path.endsWith('/unsubscribe') && keys.at(-1) === 'url')

/**
 * The parameters of notes and the parts of incoming items are read once their type is known, after
 * the body. The second test, and those of notes and of incoming items, show how.
 */
const isReadLater = (path: string, { keys, isRequired, takesNull }: Member) =>
  isRequired &&
  !takesNull &&
  ((path.endsWith('/notes') && keys.slice(0, -1).includes('params')) ||
    keys.includes('incoming_entities'))

/** A body with a null in every optional member that takes none, an empty `_embedded` and an unknown null. */
function withNulls(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return schemaKindOf(schema) === 'array' && schema.items
      ? value.map((each) => withNulls(schema.items!, each))
      : value
  if (schemaKindOf(schema) === 'array') return withNulls(schema.items!, value)
  if (schemaKindOf(schema) === 'union') {
    const fitting = schema.anyOf!.find(
      (each) => compile(each as TSchema)(value).faults.length === 0,
    )
    return fitting ? withNulls(fitting, value) : value
  }
  if (schemaKindOf(schema) !== 'object') return value
  const members = Object.entries(schema.properties ?? {}).map(([key, inner]) => {
    const sent = (value as Record<string, unknown>)[key]
    const isNull = sent === undefined && !isRequiredIn(schema, key) && !fitsShallowly(inner, null)
    return [key, isNull && inner['x-null-refused'] !== true ? null : withNulls(inner, sent)]
  })
  return {
    ...value,
    _embedded: {},
    [stranger]: null,
    ...Object.fromEntries(members.filter(([, each]) => each !== undefined)),
  }
}

/** A member that no schema names: its body is refused, and nothing is written. */
const stranger = 'zz'
const onlyStranger = /^400 (?:zz FieldNotExpected|(?:Request validation failed )?zz: [^:]+)$/

interface Asked extends Question {
  method: string
  path: string
  /** The account and the secret of a channel, whose bodies are signed. */
  scope?: TestScope
}

/** A question to a route about things that are there, made anew. */
async function questionOf(method: string, route: string): Promise<Asked> {
  const [question] = [await requests[`${method} ${route}`]!(cast, 'admin')].flat()
  if (!route.startsWith('/v2/')) return { path: route, method, ...question }
  const made = await addScope(withChannels)
  const path = route
    .replace('{scope_id}', made.scopeId)
    .replace('{channel_id}', made.id)
    .replace('{msgid}', 'message')
  const account_id = await amojoIdOf(withChannels)
  const body = { ...(question!.body as object), ...(route.endsWith('connect') && { account_id }) }
  return { method, path, body, scope: made }
}

const ask = ({ method, path, query = '', headers, scope }: Asked, body: string) =>
  raw((scope ?? cast).account.kontor, {
    method,
    path: path + query,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(scope
        ? { 'x-signature': hmac(scope.secret, body) }
        : { authorization: `Bearer ${cast.callers.admin.token}` }),
    },
    body,
  })

/** All members of a schema, those in alternatives and in items too. */
function membersOf(schema: Schema, around: Keys = [], whole = minimal(schema)): Member[] {
  switch (schemaKindOf(schema)) {
    case 'union':
      return schema.anyOf!.flatMap((each) =>
        membersOf(each, around, withMember(whole, around, minimal(each))),
      )
    case 'array': {
      const keys = [...around, 0] as const
      return schema.items
        ? membersOf(schema.items, keys, withMember(whole, around, [minimal(schema.items)]))
        : []
    }
    case 'object':
      return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
        const keys = [...around, key]
        const isRequired = isRequiredIn(schema, key)
        const body = withMember(whole, keys, undefined)
        const takesNull = fitsShallowly(inner, null)
        const member = { keys, isRequired, takesNull, schema: inner, body }
        return [member, ...membersOf(inner, keys, withMember(whole, keys, minimal(inner)))]
      })
    default:
      return []
  }
}

/** The schema of a kind that a member has, alone or as an alternative. */
const has = (schema: Schema, kind: SchemaKind): Schema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find((each) => schemaKindOf(each) === kind)

const isRequiredIn = (schema: Schema, key: string) =>
  (schema['required'] as string[] | undefined)?.includes(key) === true

/** The least that a schema takes. */
function minimal(schema: Schema): unknown {
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  switch (schemaKindOf(schema)) {
    case 'union':
      return minimal(schema.anyOf!.find((each) => schemaKindOf(each) !== 'null')!)
    case 'object': {
      const required = Object.entries(schema.properties ?? {}).filter(([key]) =>
        isRequiredIn(schema, key),
      )
      return Object.fromEntries(required.map(([key, inner]) => [key, minimal(inner)]))
    }
    case 'array':
      return Number(schema['minItems'] ?? 0) > 0 ? [minimal(schema.items!)] : []
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1))
    case 'boolean':
      return true
    case 'string':
      return texts[schema.format ?? ''] ?? 'x'.repeat(Number(schema['minLength'] ?? 1))
    default:
      return null
  }
}

const texts: Record<string, string> = {
  uri: 'https://example.com/',
  email: 'ann@example.com',
  uuid: '11111111-2222-4333-8444-555555555555',
}

/** A copy with a value at the end of the keys; undefined takes the member out. */
function withMember(value: unknown, [key, ...rest]: Keys, member: unknown): unknown {
  if (key === undefined) return member
  if (key === 0) return [withMember((value as unknown[] | undefined)?.[0], rest, member)]
  const { [key]: inner, ...others } = (value ?? {}) as Record<string, unknown>
  const after = withMember(inner, rest, member)
  return after === undefined ? others : { ...others, [key]: after }
}

/** The faults of a body, which is refused for a member that nobody knows: nothing is written. */
async function faultsOf(question: Asked, body: unknown): Promise<string> {
  const spoiled = Array.isArray(body)
    ? [{ ...(body[0] as object), [stranger]: 1 }]
    : { ...(body as object), [stranger]: 1 }
  const { status, text } = await ask(question, JSON.stringify(spoiled))
  const { 'validation-errors': items, error_description, error } = JSON.parse(text)
  const faults: { code: string; path: string }[] | undefined = items?.[0]?.errors
  const named = faults?.map(({ code, path }) => `${path} ${code}`).join(', ')
  return `${status} ${named ?? error_description ?? error ?? text}`
}
