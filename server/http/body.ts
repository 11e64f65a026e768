// A route declares its body in `schema.body`. The declaration is the schema that the OpenAPI
// document shows, and carries the reader that checks the body before the handler runs.
import type { FastifyRequest, RouteOptions } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { App, Kontor } from '../kontor.ts'
import { readBatchInSteps, readChange, readOne, readOneChange, readSingle } from './batch.ts'
import type { Batch, Item, Spending } from './batch.ts'
import type { Fault } from './problem.ts'
import type { Readable } from 'node:stream'
import { badRequest } from './problem.ts'
import { inStepsOf, spending } from './receive.ts'
import { inOneStep } from './turns.ts'
import type { Steps } from './turns.ts'
import { Type } from './type.ts'
import { compile } from './validate.ts'
import type { Check, UnknownKeys } from './validate.ts'

const declaration: unique symbol = Symbol('the declaration of a body')

/** A schema whose body reaches the handler as a T. */
export interface Body<T> extends TSchema {
  readonly [declaration]: OpenReader<T>
}

/**
 * Makes the reader. Called when the route is registered, because only then is the configuration
 * known.
 */
type OpenReader<T> = (unknownKeys: UnknownKeys) => Reader<T>

/** `spending` counts the time of what is done with the body later. */
type Reader<T> = (sent: unknown, params: Params, spending?: Spending) => Steps<T>

/** The validated parameters of the path. Only changes read them. */
interface Params {
  id: number | string
}

export interface BodyOptions<Shape extends TSchema> {
  /**
   * The schema in the document, if it differs from the checked one. For a batch: the schema of an
   * item.
   */
  shown?: TSchema
  /** A further check, called only for values that the schema accepts. */
  check?(value: Static<Shape>): Fault[]
  /** For methods that do not follow the configuration (`UNKNOWN_KEYS`). */
  unknownKeys?: UnknownKeys
  /** Nothing is converted: a text is no number, and an object no list (the chat protocol). */
  isStrict?: true
}

/** The most items in one request (interface: Batches). */
export const batchSize = 250

/** `body: batch(NewTag)`: an array of 1 to `most` items, or a single item without an array. */
export function batch<Shape extends TSchema>(
  shape: Shape,
  most = batchSize,
  options: BodyOptions<Shape> = {},
): Body<Batch<Static<Shape>>> {
  const array = Type.Array(options.shown ?? shape, { minItems: 1, maxItems: most })
  return declare(array, (unknownKeys) => {
    const check = checkOf(shape, unknownKeys, options)
    return (sent, _params, spending) => readBatchInSteps(sent, check, most, spending)
  })
}

/** `body: one(SignIn)`: a single object. If the shape is optional, no body counts as `{}`. */
export function one<Shape extends TSchema>(
  shape: Shape,
  options: BodyOptions<Shape> = {},
): Body<Static<Shape>> {
  const isOptional = Type.IsOptional(shape)
  return declare(options.shown ?? shape, (unknownKeys) => {
    const check = checkOf(shape, unknownKeys, options)
    return (sent) => inOneStep(() => readOne(isOptional ? (sent ?? {}) : sent, check))
  })
}

/** One new record as a batch of one, for methods that create no list of them. */
export function oneNew<Shape extends TSchema>(
  shape: Shape,
  options: BodyOptions<Shape> = {},
): Body<Batch<Static<Shape>>> {
  return declare(options.shown ?? shape, (unknownKeys) => {
    const check = checkOf(shape, unknownKeys, options)
    return (sent, _params, spending) => inOneStep(() => readSingle({}, sent, check, spending))
  })
}

/** The change of the record that `:id` of the path names, as a batch of one. */
export function change<Shape extends TSchema>(
  shape: Shape,
  options: BodyOptions<Shape> = {},
): Body<Batch<Static<Shape>>> {
  return declare(options.shown ?? shape, (unknownKeys) => {
    const check = checkOf(shape, unknownKeys, options)
    return (sent, { id }, spending) => inOneStep(() => readChange(id, sent, check, spending))
  })
}

/** Like `change`, but throws faults at once: for changes that the schema checks fully. */
export function oneChange<Shape extends TSchema>(
  shape: Shape,
  options: BodyOptions<Shape> = {},
): Body<Item<Static<Shape>>> {
  return declare(options.shown ?? shape, (unknownKeys) => {
    const check = checkOf(shape, unknownKeys, options)
    return (sent, { id }) => inOneStep(() => readOneChange(id, sent, check))
  })
}

/** The declared fields of a form that hold a text other than ''. */
export type Form<Shape extends TObject> = Partial<Record<keyof Static<Shape>, string>>

/** A form. The handler checks it itself, because its refusals are not validation problems. */
export function form<Shape extends TObject>(shape: Shape): Body<Form<Shape>> {
  const names = Object.keys(shape.properties)
  const read = (sent: unknown) => {
    const fields = new Map<string, unknown>(
      Object.entries(typeof sent === 'object' && sent !== null ? sent : {}),
    )
    const isText = (name: string) => typeof fields.get(name) === 'string' && fields.get(name) !== ''
    return Object.fromEntries(
      names.filter(isText).map((name) => [name, fields.get(name)]),
    ) as Form<Shape>
  }
  return declare(shape, () => (sent) => inOneStep(() => read(sent)))
}

/**
 * The bytes of a body of any content type, unread: nothing bounds them but the handler, which reads
 * them without destroying the stream, so that a refusal can be answered. No body: 400.
 */
export function bytes(): Body<Readable> {
  const schema = Type.String({ description: 'The bytes of the body, of any content type' })
  const read = (sent: unknown) => {
    if (sent === undefined) throw badRequest('The request has no body')
    return sent as Readable
  }
  const body = declare(schema, () => (sent) => inOneStep(() => read(sent)))
  unread.add(body)
  return body
}

/** The declarations whose bodies reach the handler as streams. */
const unread = new WeakSet<object>()

/**
 * Makes every route registered later read its declared body. A body without a declaration stops the
 * server at the start; a route that declares none gets none.
 */
export function installBodies(app: App, { config: { unknownKeys } }: Kontor): void {
  app.addHook('onRoute', (route) => {
    const declared = route.schema?.body
    if (declared !== undefined && !isDeclared(declared))
      throw new Error(
        `the body of ${String(route.method)} ${route.url} is not declared: ` +
          'say batch(), one(), oneNew(), change(), oneChange(), form() or bytes() of http/body.ts',
      )
    if (declared && unread.has(declared)) route.config = { ...route.config, takesBytes: true }
    if (declared) readBefore(route, declared[declaration](unknownKeys))
    else if (!isBodyless(route)) readBefore(route, () => inOneStep(() => undefined))
  })
}

/** Added as the last hook: by then the path is valid, and callers without rights are refused. */
function readBefore(route: RouteOptions, read: Reader<unknown>): void {
  const readBody = async (request: FastifyRequest) => {
    const later: Spending | undefined = request.hasLargeBody
      ? (step) => spending(request, step)
      : undefined
    const steps = read(request.body, request.params as Params, later)
    request.body = await inStepsOf(request, steps)
  }
  route.preHandler = [...[route.preHandler ?? []].flat(), readBody]
}

/** Fastify reads no body for these methods. */
const isBodyless = ({ method }: RouteOptions) =>
  [method].flat().every((each) => each === 'GET' || each === 'HEAD')

function isDeclared(schema: unknown): schema is Body<unknown> {
  return typeof schema === 'object' && schema !== null && declaration in schema
}

/**
 * Returns a copy, because one schema may stand in several declarations. The copy keeps TypeBox's
 * hidden marks.
 */
function declare<T>(schema: TSchema, open: OpenReader<T>): Body<T> {
  const copy: object = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(schema))
  return Object.defineProperty(copy, declaration, { value: open }) as Body<T>
}

function checkOf<Shape extends TSchema>(
  shape: Shape,
  configured: UnknownKeys,
  { check, isStrict, unknownKeys = configured }: BodyOptions<Shape>,
): Check<Static<Shape>> {
  const shaped = compile(shape, { mode: isStrict ? 'strict' : 'json', unknownKeys })
  if (!check) return shaped
  const checked = (sent: unknown, first?: 'first') => {
    const read = shaped(sent, first)
    return read.faults.length > 0 ? read : { ...read, faults: check(read.value) }
  }
  return Object.assign(checked, { schema: shape, mode: shaped.mode, unknownKeys })
}
