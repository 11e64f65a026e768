// Every parameter of every route whose key a query string repeats: where the schema has a list, the values are one
// list, as if they had indices; anywhere else the last counts (interface: Lists as objects).
import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { parseQuery } from '../../server/http/nested.ts'
import { schemaKindOf } from '../../server/http/shape.ts'
import type { Schema } from '../../server/http/shape.ts'
import { compile } from '../../server/http/validate.ts'
import { newAccount } from '../account.ts'
import { server } from '../server.ts'
import type { Registered } from '../server.ts'

const parameters = (await server()).routes
  .filter(({ schema }) => schema?.querystring)
  .flatMap((route) =>
    parametersOf(queryOf(route)).map((parameter) => ({
      ...parameter,
      route,
      title: `${route.method} ${route.path}`,
    })),
  )
const lists = parameters.filter(({ schema }) => listIn(schema))
const members = parameters.filter(
  ({ schema }) => !listIn(schema) && !['object', 'any'].includes(schemaKindOf(schema)),
)

test('the tables below know the lists and the single members of all routes', () => {
  const known = (table: typeof lists) => new Set(table.map(({ key }) => key))
  expect(lists.length).toBeGreaterThan(200)
  expect(known(lists)).toContain('filter[custom_fields_values][7]')
  expect(known(lists)).toContain('filter[value_after][responsible_user_id]')
  expect(known(members)).toContain('filter[price][from]')
  expect(known(members)).toContain('filter[statuses][0][status_id]')
})

test.each(lists)('$title reads $key as a list', (parameter) => {
  const { key, schema, route } = parameter
  const item = listIn(schema)!.items!
  // No text is an object: its values are refused alike, however they are sent.
  const isOfTexts = schemaKindOf(item) !== 'object'
  const [one, other] = isOfTexts ? twoOf(parameter, item) : ['1', '2']
  const expected = read(route, `${key}[0]=${one}&${key}[1]=${other}`)
  expect(expected.faults.some(({ path }) => path.startsWith(key))).toBe(!isOfTexts)
  for (const query of [
    `${key}=${one}&${key}=${other}`,
    `${key}=${one}&${key}[]=${other}`,
    `${key}=${one}&${key}[0]=${other}`,
    `${key}[]=${one}&${key}=${other}`,
    `${key}[5]=${other}&${key}[3]=${one}`,
  ])
    expect(read(route, query)).toEqual(expected)
  const three = read(route, `${key}[]=${one}&${key}[]=${other}&${key}[]=${one}`)
  expect(read(route, `${key}[]=${one}&${key}=${other}&${key}[]=${one}`)).toEqual(three)
})

test.each(members)('$title reads the last $key', ({ key, route }) => {
  const reads = (query: string) => read(route, query)
  for (const [one, other] of [
    ['1', '2'],
    ['desc', 'asc'],
    ['x', '0'],
  ])
    expect(reads(`${key}=${one}&${key}=${other}`)).toEqual(reads(`${key}=${other}`))
})

// Over HTTP: the answers are the same to the last link, from which the next page is read.
const answered = Map.groupBy(
  lists.filter(({ route: { method, path } }) => method === 'GET' && !path.includes('{')),
  ({ route }) => route.path,
)
test.each([...answered].map(([path, table]) => ({ path, table })))(
  'GET $path answers the indexed list and the repeated key alike',
  async ({ path, table }) => {
    const { api } = await newAccount()
    for (const parameter of table) {
      const { key, schema } = parameter
      const item = listIn(schema)!.items!
      if (schemaKindOf(item) === 'object') continue
      const [one, other] = twoOf(parameter, item)
      const indexed = await api.get(`${path}?${key}[0]=${one}&${key}[1]=${other}`)
      const repeated = await api.get(`${path}?${key}=${one}&${key}=${other}`)
      expect([repeated.status, repeated.body]).toEqual([indexed.status, indexed.body])
    }
  },
)

interface Parameter {
  key: string
  schema: Schema
}

/** All parameters, also those within objects and lists of objects; 7 stands for any id as a key. */
function parametersOf(schema: Schema, key = ''): Parameter[] {
  const { anyOf = [], items, properties = {}, patternProperties = {} } = schema
  const below = (name: string) => (key === '' ? name : `${key}[${name}]`)
  const named = Object.entries(properties).flatMap(([name, each]) =>
    parametersOf(each, below(name)),
  )
  const others = Object.values(patternProperties).flatMap((each) => parametersOf(each, below('7')))
  const inList =
    items && schemaKindOf(items) === 'object' ? parametersOf(items, below('0')).slice(1) : []
  const inAlternatives = anyOf.flatMap((each) => parametersOf(each, key).slice(1))
  return [{ key, schema }, ...named, ...others, ...inList, ...inAlternatives].slice(
    key === '' ? 1 : 0,
  )
}

function listIn(schema: Schema): Schema | undefined {
  return schemaKindOf(schema) === 'array' ? schema : schema.anyOf?.find(listIn)
}

function queryOf({ schema }: Registered): Schema {
  return schema!.querystring as Schema
}

function read(route: Registered, query: string) {
  return compile(queryOf(route) as TSchema, 'text')(parseQuery(query))
}

/** Two values of a list, neither of which is refused. */
function twoOf({ key, route }: Parameter & { route: Registered }, item: Schema): readonly string[] {
  const choices = (item.anyOf ?? [item]).flatMap((each) => each.enum ?? [each.const ?? []].flat())
  const events = ['0', '1'].map((digit) => digit.repeat(26))
  const uuids = ['a', 'b'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`)
  const two = [
    choices.map(String).slice(0, 2),
    ['1', '2'],
    ['1', '0'],
    ['a', 'b'],
    ['lead', 'task'],
    ['note 1', 'task 1'],
    uuids,
    events,
  ].find(
    (values) =>
      values.length === 2 &&
      read(route, `${key}[]=${values[0]}&${key}[]=${values[1]}`).faults.every(
        ({ path }) => !path.startsWith(key),
      ),
  )
  if (!two) throw new Error(`no values for ${key} of ${route.path}`)
  return two
}
