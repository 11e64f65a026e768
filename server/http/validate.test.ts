import { Ajv } from 'ajv'
import fc from 'fast-check'
import fastify from 'fastify'
import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { asProblem } from './problem.ts'
import { querystringParser, readQuery } from './query.ts'
import { formats, marks, strict } from './shape.ts'
import { CommaList, Id, LooseText, Name, Nullable, Price, SafeInteger, Text } from './types.ts'
import { compile, validatorCompiler } from './validate.ts'

const Range = Type.Union([
  Type.Object({ from: Type.Optional(SafeInteger), to: Type.Optional(SafeInteger) }),
  SafeInteger,
])
const Shapes = Type.Union([
  Type.Object({ kind: Type.Literal('call'), duration: Type.Integer({ minimum: 0 }) }),
  Type.Object({ kind: Type.Literal('text'), text: Name(5) }),
])

describe('unknown keys', () => {
  const Lead = Type.Object({
    name: Type.Optional(Text(9)),
    tags: Type.Optional(Type.Array(Type.Object({ id: Id }))),
  })
  const value = { name: 'x', nmae: 'y', tags: [{ id: '1', color: 'red' }] }

  test('are faults', () => {
    expect(compile(Lead)(value).faults.map(({ path }) => path)).toEqual(['nmae', 'tags.0.color'])
  })

  test('or are left out', () => {
    expect(compile(Lead, { unknownKeys: 'ignore' })(value)).toEqual({
      value: { name: 'x', tags: [{ id: 1 }] },
      faults: [],
    })
  })

  test('pass where the schema says so', () => {
    const open = Type.Object({}, { additionalProperties: true })
    expect(compile(open)({ a: 1 })).toEqual({ value: { a: 1 }, faults: [] })
    const typed = Type.Object({}, { additionalProperties: Id })
    expect(compile(typed)({ a: '1' })).toEqual({ value: { a: 1 }, faults: [] })
    expect(compile(typed, { unknownKeys: 'ignore' })({ a: '1' })).toEqual({
      value: { a: 1 },
      faults: [],
    })
  })

  test('are judged by their name where the schema has patterns', () => {
    const byId = Type.Record(Type.String({ pattern: '^[1-9][0-9]*$' }), Id)
    expect(compile(byId)({ 1: '5' })).toEqual({ value: { 1: 5 }, faults: [] })
    expect(compile(byId)({ x: '5' }).faults).toMatchObject([
      { code: 'FieldNotExpected', path: 'x' },
    ])
  })
})

test.each<[string, TSchema]>([
  ['allOf', Type.Intersect([Type.Object({}), Type.Object({})])],
  ['$ref', Type.Ref('Lead')],
  ['x-coma', Type.String({ 'x-coma': true })],
  ['uniqueItems', Type.Object({ a: Type.Array(Id, { uniqueItems: true }) })],
  ['additionalItems', Type.Tuple([Id])],
  ['a list of items', { type: 'array', items: [Id] }],
  ['color', Type.String({ format: 'color' })],
])('a schema with %s stops the start', (keyword, schema) => {
  expect(() => compile(schema)).toThrow(keyword)
})

describe('whatever comes', () => {
  const schemas = [
    Id,
    Price,
    Range,
    Shapes,
    Nullable(Id),
    LooseText(3),
    Type.Boolean(),
    CommaList(Id),
    Type.Record(Type.String(), Nullable(Price)),
  ]
  const Everything = Type.Object(
    Object.fromEntries(schemas.map((each, index) => [`m${index}`, Type.Optional(each)])),
  )
  const member = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      0,
      1,
      -1,
      1.5,
      2 ** 53,
      '',
      '1',
      '-7',
      '1.5',
      'x',
      true,
      [],
      {},
      ['1'],
      {
        from: '1',
        to: 'x',
      },
    ),
    fc.constantFrom<unknown>(
      { kind: 'call', duration: '5' },
      { kind: 'text', text: 'x' },
      { kind: 'text', text: null },
      { 3: '1', 1: '2' },
    ),
    fc.jsonValue(),
  )
  const value = fc.oneof(
    fc.record(Object.fromEntries(schemas.map((_, index) => [`m${index}`, member])), {
      requiredKeys: [],
    }),
    fc.jsonValue(),
  )

  test('a value that is valid passes as it is, and none that is invalid passes', () => {
    const isValid = new Ajv({ strict: false, formats })
      .addVocabulary(marks)
      .compile(strict(Everything))
    const check = compile(Everything)
    fc.assert(
      fc.property(value, (value) => {
        const result = check(value)
        if (isValid(value)) expect(result.value).toBe(value)
        expect(result.faults.length === 0).toBe(isValid(result.value))
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['json', 'text'] as const)(
    '%s: converting twice is converting once, and never changes what came in',
    (mode) => {
      const check = compile(Everything, mode)
      fc.assert(
        fc.property(value, (value) => {
          const before = structuredClone(value)
          const once = check(value)
          expect(check(once.value)).toEqual(once)
          expect(value).toEqual(before)
        }),
        { numRuns: 1000 },
      )
    },
  )
})

describe('in front of a route', () => {
  const app = fastify({ routerOptions: { querystringParser } })
  app.addHook('onRequest', async (request) => readQuery(request))
  app.setValidatorCompiler(validatorCompiler)
  app.setErrorHandler((error, _request, reply) => {
    const problem = asProblem(error)!
    return reply.code(problem.status).send(problem.body())
  })
  const schema = {
    params: Type.Object({ id: Id }),
    querystring: Type.Object({
      with: Type.Optional(CommaList(Text(9))),
      filter: Type.Optional(Type.Object({ price: Range })),
    }),
    headers: Type.Object({ 'x-kontor-surface': Type.Optional(Type.Integer()) }),
  }
  app.get('/leads/:id', { schema }, async ({ params, query, headers }) => ({
    params,
    query,
    host: headers.host,
    surface: headers['x-kontor-surface'],
  }))
  app.patch(
    '/leads/:id',
    { schema: { ...schema, body: Type.Object({ never: Id }) } },
    async ({ body }) => body,
  )

  test('ids, filters and headers convert, and other headers stay', async () => {
    const answer = await app.inject({
      url: '/leads/7?with=tags,notes&filter[price][from]=5',
      headers: { 'x-kontor-surface': '3' },
    })
    expect(answer.json()).toEqual({
      params: { id: 7 },
      query: { with: ['tags', 'notes'], filter: { price: { from: 5 } } },
      host: 'localhost:80',
      surface: 3,
    })
  })

  test.each(['0', '-1', '9007199254740992', 'x', '1.5'])('there is no lead %s', async (id) => {
    expect((await app.inject(`/leads/${id}`)).statusCode).toBe(404)
  })

  test('a wrong filter is named as it was written', async () => {
    const answer = await app.inject('/leads/7?filter[price][from]=x&page=1')
    expect(answer.json()).toMatchObject({
      status: 400,
      'validation-errors': [
        {
          request_id: '0',
          errors: [
            { code: 'FieldNotExpected', path: 'page' },
            { code: 'InvalidType', path: 'filter[price][from]' },
          ],
        },
      ],
    })
  })

  test('a query string that cannot be read is 400', async () => {
    expect((await app.inject('/leads/7?filter[price=1')).json()).toMatchObject({
      status: 400,
      detail: expect.stringContaining('brackets'),
    })
  })

  test('a body passes, for its handler to read', async () => {
    expect(
      (await app.inject({ method: 'PATCH', url: '/leads/7', payload: { any: 1 } })).json(),
    ).toEqual({ any: 1 })
  })
})
