// Every member of every body of the interface, sent as null (interface: Null). In an optional member
// whose schema takes no null it counts as not sent, at any depth; a required member refuses it; a
// member that may be null takes it. Every list, sent as an empty object, is an empty list (interface:
// Lists as objects), and every quantity takes texts and is rounded (interface: Type leniency).
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { fitsShallowly, schemaKindOf } from '../../server/http/shape.ts'
import { compile } from '../../server/http/validate.ts'
import type { Schema } from '../../server/http/shape.ts'
import { askWith, bodies, has, isRequiredIn, membersOf, requestOf, withMember } from './bodies.ts'
import type { PreparedRequest, Member } from './bodies.ts'
import { newRouteFixture } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'

let fixture: RouteFixture
beforeAll(async () => {
  fixture = await newRouteFixture()
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
    const request = await requestOf(fixture, method, path)
    const answerTo = (value: unknown) =>
      faultsOf(request, withMember(member.body, member.keys, value))
    expect(has(member.schema, 'number')?.['x-decimals']).toBe(6)
    expect(await answerTo('2.50')).toMatch(onlyStranger)
    expect(await answerTo(1 / 3)).toMatch(onlyStranger)
    expect(await answerTo('many')).not.toMatch(onlyStranger)
  }
})

describe.each(bodies)('$method $path', ({ method, path, schema }) => {
  test('reads each null as its schema says', async () => {
    const wrong: string[] = []
    const request = await requestOf(fixture, method, path)
    for (const member of membersOf(schema)) {
      const without = await faultsOf(request, member.body)
      const sent = await faultsOf(request, withMember(member.body, member.keys, null))
      if (isReadLater(path, member)) expect(sent).toMatch(onlyStranger)
      else if (onlyStranger.test(sent) === refusesNull(path, member))
        wrong.push(`${member.keys.join('.')}: ${sent}`)
      if (!member.isRequired) expect(without).toMatch(onlyStranger)
    }
    expect(wrong).toEqual([])
  })

  test('reads an empty object as an empty list where a list is meant', async () => {
    const request = await requestOf(fixture, method, path)
    const isStrict = path.startsWith('/v2/')
    if (schemaKindOf(schema) === 'array') {
      const none = await askWith(fixture, request, '[]')
      expect(none.text).toContain('TooFew')
      expect(await askWith(fixture, request, '{}')).toMatchObject({ status: 400, text: none.text })
    }
    const answerTo = ({ body, keys }: Member, value: unknown) =>
      faultsOf(request, withMember(body, keys, value))
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
      const request = await requestOf(fixture, method, path)
      answers.push(await askWith(fixture, request, JSON.stringify(change(request.body))))
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

/** The faults of a body, which is refused for a member that nobody knows: nothing is written. */
async function faultsOf(request: PreparedRequest, body: unknown): Promise<string> {
  const spoiled = Array.isArray(body)
    ? [{ ...(body[0] as object), [stranger]: 1 }]
    : { ...(body as object), [stranger]: 1 }
  const { status, text } = await askWith(fixture, request, JSON.stringify(spoiled))
  const { 'validation-errors': items, error_description, error } = JSON.parse(text)
  const faults: { code: string; path: string }[] | undefined = items?.[0]?.errors
  const named = faults?.map(({ code, path }) => `${path} ${code}`).join(', ')
  return `${status} ${named ?? error_description ?? error ?? text}`
}
