// Turns Ajv's errors into faults of the interface: one per path, with a code for programs and a
// sentence for people.
import type { ErrorObject } from 'ajv'
import { faultAt, saidIn } from './problem.ts'
import type { Complaint, Fault } from './problem.ts'
import { schemaKindOf } from './shape.ts'
import type { Schema } from './shape.ts'
import { notBlank } from './types.ts'

/** An answer lists at most this many faults of one item. More help nobody. */
export const mostFaults = 20

/** Paths are cut at this length, because clients choose the keys. */
const longestPath = 255

/** The errors must come from a validator compiled with `verbose`, in the validator's order. */
export function faultsOf(
  errors: readonly ErrorObject[],
  path: (keys: readonly string[]) => string,
): Fault[] {
  const violations: Violation[] = []
  for (const error of errors) {
    if (error.keyword === 'anyOf') collapse(violations, error)
    else violations.push(read(error))
  }
  const faults = new Map<string, Fault>()
  for (const { at, key, complaint } of violations) {
    const faultPath = path(key === undefined ? keysOf(at) : [...keysOf(at), key]).slice(
      0,
      longestPath,
    )
    if (!faults.has(faultPath)) faults.set(faultPath, faultAt(faultPath, ...saidIn(complaint)))
    if (faults.size === mostFaults) break
  }
  return [...faults.values()]
}

/** `custom_fields_values.0.field_id` */
export const dotted = (keys: readonly string[]) => keys.join('.')

/** `filter[price][from]` */
export const bracketed = ([first = '', ...rest]: readonly string[]) =>
  first + rest.map((key) => `[${key}]`).join('')

interface Violation {
  /** JSON pointer of the value; `rule` is that of the broken rule. */
  at: string
  rule: string
  /** The missing or unknown key, below `at`. */
  key?: string
  /** True if the value has the wrong type, not only a value out of bounds. */
  mismatch: boolean
  complaint: Complaint
}

/**
 * Ajv reports the errors of each alternative, then one of the union itself. The answer holds the
 * errors of the one alternative that the client meant (the only one of the value's type, or the
 * only one besides null), else one fault that lists the allowed types.
 */
function collapse(violations: Violation[], union: ErrorObject): void {
  const { instancePath: at, schemaPath: rule } = union
  const alternatives = (union.parentSchema as Schema).anyOf!
  const complaints = alternatives.map((): Violation[] => [])
  let first = violations.length
  while (first > 0 && isBelow(violations[first - 1]!, union)) first--
  for (const one of violations.splice(first))
    complaints[Number.parseInt(one.rule.slice(rule.length + 1), 10)]!.push(one)
  violations.push(
    ...(violationsOfIntended(complaints, alternatives, at) ?? [
      { at, rule, mismatch: true, complaint: refused(alternatives, union.data) },
    ]),
  )
}

function isBelow(one: Violation, { instancePath: at, schemaPath: rule }: ErrorObject): boolean {
  return one.rule.startsWith(`${rule}/`) && (one.at === at || one.at.startsWith(`${at}/`))
}

function violationsOfIntended(
  complaints: Violation[][],
  alternatives: readonly Schema[],
  at: string,
): Violation[] | undefined {
  const ofType = complaints.filter(
    (each) => !each.some((one) => one.mismatch && one.at === at && one.key === undefined),
  )
  if (ofType.length === 1) return ofType[0]
  if (ofType.length > 1) {
    // A constant member tells objects apart: take the alternative whose constant matches.
    const named = ofType.filter(
      (each) => !each.some(({ complaint: { code } }) => code === 'NotSupportedChoice'),
    )
    return named.length === 1 ? named[0] : undefined
  }
  const notNull = complaints.filter((_, index) => schemaKindOf(alternatives[index]!) !== 'null')
  return notNull.length === 1 ? notNull[0] : undefined
}

function refused(alternatives: readonly Schema[], data: unknown): Complaint {
  const others = alternatives.filter((each) => schemaKindOf(each) !== 'null')
  const choices = others.flatMap((each) => ('const' in each ? [each.const] : (each.enum ?? [])))
  if (data === null) return notNull
  if (others.every((each) => 'const' in each || each.enum)) return choice(choices)
  return {
    code: 'InvalidType',
    detail: `This value should be ${[...new Set(others.map(describe))].join(' or ')}.`,
  }
}

function describe(schema: Schema): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.properties) return `an object of ${Object.keys(schema.properties).join(', ')}`
  return `of type ${typeName(schemaKindOf(schema))}`
}

function read(error: ErrorObject): Violation {
  const { instancePath: at, schemaPath: rule, params, keyword } = error
  if (keyword === 'required') {
    return {
      at,
      rule,
      key: params['missingProperty'],
      mismatch: false,
      complaint: { code: 'FieldMissing', detail: 'This field is missing.' },
    }
  }
  if (keyword === 'additionalProperties') {
    return {
      at,
      rule,
      key: params['additionalProperty'],
      mismatch: false,
      complaint: { code: 'FieldNotExpected', detail: 'This field was not expected.' },
    }
  }
  const mismatch = ['type', 'const', 'enum'].includes(keyword)
  const way = (error.parentSchema as Schema)['x-refused'] as string | undefined
  const complaint: Complaint =
    way === undefined ? complaintOf(error) : { code: 'NotSupportedChoice', detail: way }
  return { at, rule, mismatch, complaint }
}

const blank: Complaint = { code: 'NotBlank', detail: 'This value should not be blank.' }
const notNull: Complaint = { code: 'NotNullable', detail: 'This value should not be null.' }

function complaintOf({ keyword, params, data, schema }: ErrorObject): Complaint {
  const limit = params['limit'] as number
  switch (keyword) {
    case 'type':
      return data === null
        ? notNull
        : {
            code: 'InvalidType',
            detail: `This value should be of type ${typeName(String(params['type']))}.`,
          }
    case 'const':
      return data === null ? notNull : choice([schema])
    case 'enum':
      return data === null ? notNull : choice(params['allowedValues'])
    case 'minLength':
      return limit === 1
        ? blank
        : {
            code: 'TooShort',
            limit,
            detail: `This value is too short. It should have ${several(limit, 'character')} or more.`,
          }
    case 'pattern':
      return schema === notBlank
        ? blank
        : { code: 'InvalidFormat', detail: 'This value is not in the expected format.' }
    case 'maxLength':
      return {
        code: 'TooLong',
        limit,
        detail: `This value is too long. It should have ${several(limit, 'character')} or less.`,
      }
    case 'minimum':
      return { code: 'TooLow', limit, detail: `This value should be ${limit} or more.` }
    case 'exclusiveMinimum':
      return { code: 'TooLow', limit, detail: `This value should be more than ${limit}.` }
    case 'maximum':
      return { code: 'TooHigh', limit, detail: `This value should be ${limit} or less.` }
    case 'exclusiveMaximum':
      return { code: 'TooHigh', limit, detail: `This value should be less than ${limit}.` }
    case 'minItems':
    case 'minProperties':
      return {
        code: 'TooFew',
        limit,
        detail: `This collection should contain ${several(limit, 'element')} or more.`,
      }
    case 'maxItems':
    case 'maxProperties':
      return {
        code: 'TooMany',
        limit,
        detail: `This collection should contain ${several(limit, 'element')} or less.`,
      }
    case 'format':
      return params['format'] === 'uri'
        ? { code: 'InvalidUrl', detail: 'This value is not a valid URL.' }
        : { code: 'InvalidFormat', detail: `This value is not a valid ${params['format']}.` }
    default:
      return { code: 'InvalidFormat', detail: 'This value is not in the expected format.' }
  }
}

const several = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

function choice(choices: readonly unknown[]): Complaint {
  const allowed =
    choices.length <= 20
      ? ` Allowed: ${choices.map((each) => JSON.stringify(each)).join(', ')}.`
      : ''
  return {
    code: 'NotSupportedChoice',
    detail: `The value you selected is not a valid choice.${allowed}`,
  }
}

const typeNames: Record<string, string> = { integer: 'int', number: 'float', boolean: 'bool' }

function typeName(type: string): string {
  return typeNames[type] ?? type
}

function keysOf(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
