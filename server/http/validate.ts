// Compiles a TypeBox schema into a check: it converts values (coerce.ts), validates the result with
// Ajv, and names every fault in the interface's words (faults.ts). Ajv's own coercion stays off: it
// turns null into 0 and 5 into "5".
import { Ajv } from 'ajv'
import type { ErrorObject, Options, ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { coercion } from './coerce.ts'
import type { Mode } from './coerce.ts'
import { bracketed, dotted, faultsOf, mostFaults } from './faults.ts'
import { withForms } from './forms.ts'
import { invalidFor, notFound } from './problem.ts'
import type { Fault } from './problem.ts'
import { formats, marks, strict } from './shape.ts'

export interface Checked<T> {
  /** The converted value, a T if there are no faults. The sent value is never changed. */
  value: T
  faults: Fault[]
}

interface Judged<T> extends Checked<T> {
  /** The errors that were met, of which `faults` lists the first. */
  met?: number
  /** Whether the value may have faults that `faults` does not list. */
  mayBeMore?: boolean
}

export interface Check<T> {
  /** `first` stops at the first fault, which costs less than a list of all. */
  (value: unknown, first?: 'first'): Judged<T>
  readonly schema: TSchema
  readonly mode: Mode
  readonly unknownKeys: UnknownKeys
}

/** Unknown keys are a fault, or are left out (`UNKNOWN_KEYS`). */
export type UnknownKeys = 'reject' | 'ignore'

export interface CompileOptions {
  /**
   * Where the value comes from: a JSON body (the default), one of which nothing is converted, or
   * text such as a query string or form.
   */
  mode?: Mode
  /** The treatment of keys that a closed object does not define. */
  unknownKeys?: UnknownKeys
}

/**
 * The check of a schema: `compile(NewLead)`, `compile(Subscription, 'text')`. Marks: `x-cut` cuts
 * fractions off an integer, `x-decimals` rounds a number, which may be text, to so many, `x-text` lets numbers and
 * booleans stand for text, `x-comma` splits one text into a list (interface: Type leniency),
 * `x-page` reads 0 as 1 (interface: Paging), `x-refused` gives the sentence that refuses a member,
 * `x-any-case` takes a choice in any case of letters, and
 * `x-null-refused` keeps the null of an optional member, which else counts as not sent. Throws an
 * Error for an unsupported schema (shape.ts).
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

/** One schema serves several routes and, in tests, many servers. */
const checks = new WeakMap<TSchema, Map<string, Check<unknown>>>()

/**
 * For `setValidatorCompiler`. A faulty query string is a 400 that names the parameter, a faulty
 * path a 404. Bodies pass, because their declarations check them item by item (body.ts).
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
        const { value, faults } = check(query)
        return faults.length ? { error: refuse(withForms(schema, faults)) } : { value }
      }
    }
  }
}

const refuse = (errors: Fault[]) => invalidFor(...errors)

function make(schema: TSchema, mode: Mode, unknownKeys: UnknownKeys): Check<unknown> {
  const shape = strict(schema)
  const coerce = coercion(shape, {
    mode,
    dropUnknown: unknownKeys === 'ignore',
    validator: (branch) => once(() => quick.compile(branch)),
  })
  const path = mode === 'text' ? bracketed : dotted
  const judge = once(() => quick.compile(shape))
  const explain = once(() => thorough.compile(shape))
  const check = (value: unknown, first?: 'first'): Judged<unknown> => {
    const converted = coerce ? coerce(value) : value
    if (judge(converted)) return { value: converted, faults: [] }
    const isExplained = first === undefined && isSmall(converted)
    const errors = (isExplained && !explain(converted) ? explain.errors : judge.errors) ?? []
    const faults = faultsOf(errors, path)
    const mayBeMore = !isExplained || faults.length === mostFaults
    return { value: converted, faults, met: errors.length, mayBeMore }
  }
  return Object.assign(check, { schema, mode, unknownKeys })
}

interface Judge {
  (value: unknown): boolean
  errors?: ErrorObject[] | null | undefined
}

/** Ajv takes 3 ms per schema, and a server has hundreds. Each is compiled at its first use. */
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

// strict() has already read these schemas, so Ajv need not compare them with its meta-schema (20
// ms).
const options: Options = { strictTypes: false, validateSchema: false, verbose: true, formats }
/** Stops at the first error: nearly every value is valid. */
const quick = new Ajv(options).addVocabulary(marks)
const thorough = new Ajv({ ...options, allErrors: true }).addVocabulary(marks)

/**
 * The most parts of a value for which Ajv collects all errors. A larger value gets only its first
 * fault: a body of some megabytes can hold a million.
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
