// One definition per shape: a TypeBox schema becomes a check that converts what may be converted (coerce.ts), judges the result with Ajv
// and names every fault in the interface's words (faults.ts). Ajv's own coercion stays off: it turns null into 0 and 5 into "5".
import { Ajv } from 'ajv'
import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { coercion } from './coerce.ts'
import type { Mode } from './coerce.ts'
import { bracketed, dotted, faultsOf } from './faults.ts'
import { withForms } from './forms.ts'
import { invalid, notFound } from './problem.ts'
import type { Fault } from './problem.ts'
import { brokenQuery } from './query.ts'
import { formats, marks, strict } from './shape.ts'

export interface Checked<T> {
  /** Converted, and a T when there are no faults. The value that was checked is never changed. */
  value: T
  faults: Fault[]
}

export interface Check<T> {
  (value: unknown): Checked<T>
  readonly schema: TSchema
  readonly mode: Mode
  readonly unknownKeys: UnknownKeys
}

/** A fault, or they are left out (`UNKNOWN_KEYS`). */
export type UnknownKeys = 'reject' | 'ignore'

export interface CompileOptions {
  /** JSON bodies (unless said), or what arrives as text: query strings and form bodies. */
  mode?: Mode
  /** What a key does that a closed object does not know. */
  unknownKeys?: UnknownKeys
}

/**
 * The check of a schema: `compile(NewLead)`, `compile(Subscription, 'text')`, `compile(NewLead, { unknownKeys: 'ignore' })`.
 * An object that does not say `additionalProperties` takes no other keys; an integer without bounds is a safe integer. Marks: `x-cut` cuts
 * fractions off an integer, `x-text` lets numbers and booleans stand for text, `x-comma` splits one text into a list (decision: type
 * leniency). Throws an Error for a schema it does not understand.
 */
export function compile<Shape extends TSchema>(
  schema: Shape,
  how: Mode | CompileOptions = 'json',
): Check<Static<Shape>> {
  const { mode = 'json', unknownKeys = 'reject' } = typeof how === 'string' ? { mode: how } : how
  const known = checks.get(schema) ?? new Map<string, Check<unknown>>()
  checks.set(schema, known)
  const name = `${mode} ${unknownKeys}`
  const check = known.get(name) ?? make(schema, mode, unknownKeys)
  known.set(name, check)
  return check as Check<Static<Shape>>
}

/** The same schema serves several routes and, in tests, many servers. */
const checks = new WeakMap<TSchema, Map<string, Check<unknown>>>()

/**
 * For `setValidatorCompiler`. Query strings: 400 with the parameter in brackets, and what a filter takes. Paths: 404, for there is nothing
 * at such an address. Bodies pass, because their declarations read them (body.ts), item by item.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  switch (httpPart) {
    case 'body':
      return () => true
    case 'params': {
      const check = compile(schema, 'text')
      return (params: unknown) => {
        const { value, faults } = check(params)
        return faults.length ? { error: notFound() } : { value }
      }
    }
    case 'headers': {
      const check = compile(schema, { mode: 'text', unknownKeys: 'ignore' })
      return (headers: object) => {
        const { value, faults } = check(headers)
        return faults.length ? { error: refuse(faults) } : { value: Object.assign(headers, value) }
      }
    }
    default: {
      const check = compile(schema, 'text')
      return (query: unknown) => {
        const broken = brokenQuery(query)
        if (broken) return { error: broken }
        const { value, faults } = check(query)
        return faults.length ? { error: refuse(withForms(schema, faults)) } : { value }
      }
    }
  }
}

const refuse = (errors: Fault[]) => invalid([{ request_id: '0', errors }])

function make(schema: TSchema, mode: Mode, unknownKeys: UnknownKeys): Check<unknown> {
  const shape = strict(schema)
  const coerce = coercion(shape, {
    mode,
    dropUnknown: unknownKeys === 'ignore',
    validator: (branch) => once(() => quick.compile(branch)),
  })
  const path = mode === 'json' ? dotted : bracketed
  const judge = once(() => quick.compile(shape))
  const explain = once(() => thorough.compile(shape))
  const check = (value: unknown): Checked<unknown> => {
    const converted = coerce ? coerce(value) : value
    if (judge(converted)) return { value: converted, faults: [] }
    const errors = isSmall(converted) && !explain(converted) ? explain.errors : judge.errors
    return { value: converted, faults: faultsOf(errors ?? [], path) }
  }
  return Object.assign(check, { schema, mode, unknownKeys })
}

interface Judge {
  (value: unknown): boolean
  errors?: ErrorObject[] | null | undefined
}

/** Ajv takes 3 ms for a schema, and a server has hundreds: each is compiled when it is first needed. */
function once(compile: () => ValidateFunction): Judge {
  let compiled: ValidateFunction | undefined
  const judge: Judge = (value) => {
    compiled ??= compile()
    const valid = compiled(value)
    judge.errors = compiled.errors
    return valid
  }
  return judge
}

// Schemas come from TypeBox and have been read by strict(), so comparing them with the schema of schemas (20 ms) is left out.
const options: Options = { strictTypes: false, validateSchema: false, verbose: true, formats }
/** Stops at the first error: nearly every value is valid. */
const quick = new Ajv(options).addVocabulary(marks)
const thorough = new Ajv({ ...options, allErrors: true }).addVocabulary(marks)

/**
 * Ajv collects every error of a value, and a body of some megabytes can hold a million of them. A value of more parts than this is told
 * its first fault only.
 */
const mostParts = 2000

function isSmall(value: unknown): boolean {
  const rest = [value]
  for (let left = mostParts; rest.length; left--) {
    const part = rest.pop()
    if (typeof part !== 'object' || part === null) continue
    const inner = Array.isArray(part) ? part : Object.values(part)
    if (rest.length + inner.length > left) return false
    rest.push(...inner)
  }
  return true
}
