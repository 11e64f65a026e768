import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import type { App, Kontor } from '../kontor.ts'
import { batch, change, form, installBodies, one, oneChange, oneNew } from './body.ts'
import { asProblem } from './problem.ts'
import type { Fault } from './problem.ts'
import { Type } from './type.ts'
import { Id, Text } from './types.ts'
import { validatorCompiler } from './validate.ts'
import type { UnknownKeys } from './validate.ts'

const Lead = Type.Object({ name: Text(9), status_id: Type.Optional(Id) })
const LeadChange = Type.Object({ id: Id, name: Text(9) })
const params = Type.Object({ id: Id })
const config = { access: 'public' } as const

function newApp(unknownKeys: UnknownKeys = 'reject'): App {
  const app = fastify() as unknown as App
  app.setValidatorCompiler(validatorCompiler)
  app.setErrorHandler(async (error, _request, reply) => {
    const problem = asProblem(error)
    if (!problem) throw error
    return reply.code(problem.status).send(problem.body())
  })
  installBodies(app, { config: { unknownKeys } } as Kontor)
  return app
}

async function send(app: App, method: 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) {
  const answer = await app.inject({ method, url, ...(body && { payload: body }) })
  return { status: answer.statusCode, body: answer.json<unknown>() }
}

/** The faults of an answer, as `request_id path code`. */
function listed(body: unknown): string[] {
  const items = (body as { 'validation-errors': { request_id: string; errors: Fault[] }[] })[
    'validation-errors'
  ]
  return items.flatMap(({ request_id, errors }) =>
    errors.map(({ path, code }) => `${request_id} ${path} ${code}`),
  )
}

describe('a body without declaration', () => {
  test('keeps the server from starting, where the route has a schema for it', () => {
    for (const body of [Lead, Type.Array(Lead), Type.Object({}), { type: 'object' }, 'plain']) {
      expect(() => {
        // @ts-expect-error: no declaration
        newApp().post('/leads', { config, schema: { body } }, () => 'made')
      }).toThrow('the body of POST /leads is not declared')
    }
  })

  test.each(['POST', 'PATCH', 'DELETE'] as const)('of %s is handed to nobody', async (method) => {
    const app = newApp()
    const name = method.toLowerCase() as 'post' | 'patch' | 'delete'
    app[name]('/leads', { config }, async ({ body }) => ({ given: body === undefined }))
    const answer = await send(app, method, '/leads', [{ name: 'a' }])
    expect(answer).toEqual({ status: 200, body: { given: true } })
  })
})

describe('a declared body is read before its handler', () => {
  test('as a batch, whose faults are left to the verb', async () => {
    const app = newApp()
    app.post('/leads', { config, schema: { body: batch(Lead, 2) } }, async ({ body }) => {
      // @ts-expect-error: a batch is no array
      void (() => body[0].id)
      // @ts-expect-error: the shape has no such key
      void (() => body.items[0]!.value.nonsense)
      const names: string[] = body.items.map(({ value }) => value.name)
      return { names, any: body.faults.any() }
    })
    const read = async (sent: object) => send(app, 'POST', '/leads', sent)
    expect((await read([{ name: 'a' }, { name: 1 }])).body).toEqual({ names: ['a'], any: true })
    expect((await read({ name: 'a' })).body).toEqual({ names: ['a'], any: false })
    for (const [sent, fault] of [
      [[], '0  TooFew'],
      [{}, '0  TooFew'],
      [{}, '0  TooFew'],
      [[{}, {}, {}], '0  TooMany'],
    ] as const) {
      const { status, body } = await read(sent)
      expect([status, listed(body)]).toEqual([400, [fault]])
    }
  })

  test('as one object, whose faults are thrown', async () => {
    const app = newApp()
    app.post('/lead', { config, schema: { body: one(Lead) } }, async ({ body }) => {
      const name: string = body.name
      return { name }
    })
    expect(await send(app, 'POST', '/lead', { name: 'a' })).toEqual({
      status: 200,
      body: { name: 'a' },
    })
    const { status, body } = await send(app, 'POST', '/lead', { name: 'a', color: 1 })
    expect([status, listed(body)]).toEqual([400, ['0 color FieldNotExpected']])
  })

  test('as one new record, which is no list, and whose faults are left to the verb', async () => {
    const app = newApp()
    app.post('/lead', { config, schema: { body: oneNew(Lead) } }, async ({ body }) => ({
      names: body.items.map(({ request_id, value }) => [request_id, value.name]),
      any: body.faults.any(),
    }))
    const read = async (sent: object) => send(app, 'POST', '/lead', sent)
    expect((await read({ name: 'a', request_id: 'x' })).body).toEqual({
      names: [['x', 'a']],
      any: false,
    })
    expect((await read({ name: 1 })).body).toEqual({ names: [], any: true })
    expect((await read({})).body).toEqual({ names: [], any: true })
    const { status, body } = await read([{ name: 'a' }])
    expect([status, listed(body)]).toEqual([400, ['0  InvalidType']])
  })

  test('as an empty object, where the shape is optional and none was sent', async () => {
    const app = newApp()
    const shape = Type.Optional(Type.Object({ days: Type.Optional(Id) }))
    app.post('/token', { config, schema: { body: one(shape) } }, async ({ body }) => body)
    expect(await send(app, 'POST', '/token')).toEqual({ status: 200, body: {} })
    expect((await send(app, 'POST', '/token', { days: 0 })).status).toBe(400)
  })

  test('as the change of the record that the path names, once the path is valid', async () => {
    const app = newApp()
    const schema = { params, body: change(LeadChange) }
    app.patch('/leads/:id', { config, schema }, async ({ body }) => body.items)
    const of = { params, body: oneChange(LeadChange) }
    app.patch('/lead/:id', { config, schema: of }, async ({ body }) => body)
    const item = { index: 0, request_id: '0', value: { id: 7, name: 'a' } }
    expect((await send(app, 'PATCH', '/leads/7', { id: 8, name: 'a' })).body).toEqual([item])
    expect((await send(app, 'PATCH', '/leads/7', { name: 1 })).body).toEqual([])
    expect((await send(app, 'PATCH', '/lead/7', { name: 'a' })).body).toEqual(item)
    const { status, body } = await send(app, 'PATCH', '/lead/7', { name: 1 })
    expect([status, listed(body)]).toEqual([400, ['0 name InvalidType']])
    expect((await send(app, 'PATCH', '/lead/seven', { name: 1 })).status).toBe(404)
  })

  test('as the texts of a form that the declaration names', async () => {
    const app = newApp()
    const shape = Type.Object({ code: Type.String(), scope: Type.String(), state: Type.String() })
    app.post('/form', { config, schema: { body: form(shape) } }, async ({ body }) => {
      // @ts-expect-error: no such field
      void (() => body.nonsense)
      return body
    })
    const sent = { code: 'x', scope: '', state: 5, other: 'y', constructor: 'z' }
    expect((await send(app, 'POST', '/form', sent)).body).toEqual({ code: 'x' })
    expect((await send(app, 'POST', '/form')).body).toEqual({})
  })

  test('after who may call was asked', async () => {
    const app = newApp()
    const refuse = async () => {
      throw new Error('not you')
    }
    const schema = { body: one(Lead) }
    app.post('/lead', { config, preHandler: refuse, schema }, async ({ body }) => body)
    expect(await send(app, 'POST', '/lead', {})).toMatchObject({
      status: 500,
      body: { message: 'not you' },
    })
  })
})

describe('a declaration', () => {
  test('is the schema that is shown, and leaves the shape as it was', () => {
    const Shown = Type.Object({ name: Text(9) })
    const array = { type: 'array', minItems: 1 }
    expect(plain(batch(Lead))).toEqual(plain({ ...array, items: Lead, maxItems: 250 }))
    expect(plain(batch(Lead, 5, { shown: Shown }))).toEqual(
      plain({ ...array, items: Shown, maxItems: 5 }),
    )
    expect(plain(one(Lead))).toEqual(plain(Lead))
    expect(plain(change(LeadChange, { shown: Shown }))).toEqual(plain(Shown))
    expect(() => {
      // @ts-expect-error: no declaration, though it stands in some
      newApp().post('/leads', { config, schema: { body: Lead } }, () => 'made')
    }).toThrow(/is not declared/)
  })

  test.each([
    ['reject', undefined, 400],
    ['ignore', undefined, 200],
    ['ignore', 'reject', 400],
  ] as const)('with %s and %s answers an unknown key %i', async (configured, own, status) => {
    const app = newApp(configured)
    const body = one(Lead, own && { unknownKeys: own })
    app.post('/lead', { config, schema: { body } }, async () => ({}))
    expect((await send(app, 'POST', '/lead', { name: 'a', color: 1 })).status).toBe(status)
  })

  test('finds what the schema cannot say, where the schema finds nothing', async () => {
    const app = newApp()
    const taken: Fault = { code: 'NotUnique', path: 'name', detail: 'Taken.' }
    const body = batch(Lead, 5, { check: ({ name }) => (name === 'b' ? [taken] : []) })
    app.post('/leads', { config, schema: { body } }, async ({ body: { items, faults } }) => {
      faults.throwIfAny()
      return items
    })
    const answer = await send(app, 'POST', '/leads', [{ name: 'a' }, { name: 'b' }, { name: 5 }])
    expect(listed(answer.body)).toEqual(['1 name NotUnique', '2 name InvalidType'])
  })
})

const plain = (schema: object): unknown => JSON.parse(JSON.stringify(schema))
