// Values made from the schema of a route: mostly what it takes, ids of things that are there or elsewhere, often the last value that is
// still good or the first that is not, now and then something that no client would send.
import fc from 'fast-check'
import type { Schema } from '../../server/http/shape.ts'
import type { Ids } from '../account-data.ts'
import { anything, jsonOf, prototypes } from './hostile.ts'
import type { Values } from './hostile.ts'

/** Values of keys whose schema says less than their route wants; odd ones are refused. */
const usual: Record<string, { good: unknown[]; odd: unknown[] }> = {
  password: { good: ['Secret1', 'Correct horse 1'], odd: ['x', 'secret1', 'SECRET'] },
  name: { good: ['Ann', 'Name 1', 'Имя'], odd: ['<b>', 'www.example.com', '\u{1f600}'] },
  redirect_uri: {
    good: ['https://example.com/back', 'https://example.com/?a=b'],
    odd: ['javascript:alert(1)', 'https://[::1', '/x'],
  },
  uninstall_hook: {
    good: [null, 'https://hook.invalid/'],
    odd: ['http://127.0.0.1:1/', 'http://169.254.169.254/', 'ftp://x'],
  },
  logo: {
    good: [null],
    odd: [
      'data:image/png;base64,iVBORw0KGgo=',
      'data:text/html,<b>',
      'data:image/png;base64,*',
      'x',
    ],
  },
  with: {
    good: [
      'contacts',
      'leads,companies',
      'only_deleted',
      'users',
      'role,group,uuid',
      'users_groups,uuid',
      'loss_reason,source',
    ],
    odd: [',,,', '*'],
  },
  currency: { good: ['EUR', 'usd'], odd: ['EURO', 'ZZZ'] },
  tracking_callback: { good: ['callback', 'a.b'], odd: ['alert(1)', ''] },
  destination: { good: ['https://example.com/a', 'http://example.org'], odd: ['http://10.0.0.1/'] },
  url: { good: ['https://example.com/a', 'https://example.net/b?c=d'], odd: ['//x', 'ftp://x'] },
  color: { good: ['EBEBEB', 'ff8f92'], odd: ['000000', '#fff'] },
}

/** The kinds of the ids that a key may hold. */
const kindOfKey: Record<string, string> = {
  responsible_user_id: 'users',
  created_by: 'users',
  updated_by: 'users',
  pipeline_id: 'pipelines',
  status_id: 'statuses',
  role_id: 'roles',
  group_id: 'groups',
  client_id: 'integrations',
  tags_to_add: 'tags',
  tags_to_delete: 'tags',
  loss_reason_id: 'loss_reasons',
}

/** Ids that there are, and whether all values are to be `good`: of many members that may be odd one always is. */
export interface Source {
  ids: Ids
  isGood: boolean
  /** Whether one thing of what is good is to be spoiled. */
  isSpoiled?: boolean
}

/** Values for a schema; `key` is where the value goes, or what it is in. */
export function valuesOf(schema: Schema, source: Source, key: string): Values {
  const values = fitting(schema, source, key)
  return source.isGood
    ? values
    : fc.oneof({ weight: 14, arbitrary: values }, { weight: 1, arbitrary: anything })
}

function fitting(schema: Schema, source: Source, key: string): Values {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const known = source.ids[kindOfKey[key] ?? key]
  // A key without known ids can only be null.
  const isNone = source.isGood && key.endsWith('_id') && !known?.length
  if (schema.anyOf && isNone) return fc.constant(null)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each, source, key)))
  const there = known?.length ? fc.constantFrom<unknown>(...known) : undefined
  const mostly = (others: Values) =>
    there ? fc.oneof({ weight: 6, arbitrary: there }, { weight: 2, arbitrary: others }) : others
  switch (schema.type) {
    case 'object':
      return object(schema, source, key)
    case 'array':
      return array(schema, source, key)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
    case 'number':
      return there && source.isGood ? there : mostly(integer(schema, source))
    case 'string':
      return there && source.isGood ? there : mostly(text(schema, source, key))
    default:
      return source.isGood ? fc.constant(null) : anything
  }
}

function integer({ minimum = -5, maximum = 2 ** 53 - 1 }: Schema, { isGood }: Source): Values {
  const [least, most] = [minimum as number, maximum as number]
  return fc.oneof(
    fc.constantFrom(least, most, ...(isGood ? [] : [least - 1, most + 1])),
    fc.integer({ min: Math.max(least, -1000), max: Math.min(most, 2_000_000_000) }),
  )
}

function text(
  { minLength = 0, maxLength = 40, pattern, format }: Schema,
  { isGood }: Source,
  key: string,
): Values {
  const known = usual[key]
  if (known) return fc.constantFrom(...known.good, ...(isGood ? [] : known.odd))
  if (format === 'uuid') return fc.uuid()
  if (format === 'email') return fc.nat({ max: 1e9 }).map((number) => `${number}@example.com`)
  if (pattern !== undefined) return matching(pattern as string)
  const [least, most] = [minLength as number, maxLength as number]
  const edges = [least, most, ...(isGood ? [] : [most + 1])].map((length) =>
    'y'.repeat(Math.min(length, 70_000)),
  )
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.string({
        unit: 'grapheme',
        minLength: Math.min(least, 30),
        maxLength: Math.min(most, 30),
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
  )
}

const matches = new Map<string, Values>()

/** Texts of a pattern. To take it apart takes longer than all texts made by it. */
function matching(pattern: string): Values {
  const known = matches.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  matches.set(pattern, known)
  return known
}

function array(
  { items = {}, minItems = 0, maxItems = 1000 }: Schema,
  source: Source,
  key: string,
): Values {
  const item = valuesOf(items, source, key)
  const few = fc.array(item, {
    minLength: minItems as number,
    maxLength: Math.min(3, maxItems),
  })
  // Nobody knows what a list without a schema for its items wants.
  if (source.isGood) return 'type' in items || items.anyOf ? few : fc.constant([])
  const most = Math.min(maxItems + 1, 1001)
  const many = item.map((one) =>
    Array.from({ length: jsonOf(one).length < 2000 ? most : 1 }, () => one),
  )
  return fc.oneof({ weight: 12, arbitrary: few }, { weight: 1, arbitrary: many })
}

function object({ properties = {}, required = [] }: Schema, source: Source, key: string): Values {
  const members = Object.entries(properties).map(([name, inner]) => {
    const isNeeded = (required as string[]).includes(name)
    // A read-only key has no type, and only odd bodies hold it.
    const isRead = inner.type === undefined && !inner.anyOf && !inner.enum && !('const' in inner)
    // Rights are sent whole, or with a role, which nothing here can know.
    const usually = key === 'rights' ? 0.9 : 0.3
    const share = isNeeded
      ? source.isGood
        ? 1
        : 0.97
      : isRead
        ? source.isGood
          ? 0
          : 0.08
        : usually
    return sometimes(
      share,
      name,
      valuesOf(inner, source, name === 'id' || name === 'filter' ? key : name),
    )
  })
  const strange = source.isGood ? [] : [sometimes(0.04, undefined, fc.constantFrom(...prototypes))]
  return fc.tuple(...members, ...strange).map((each) => Object.fromEntries(each.flat()))
}

/** Members that are there as often as `share` says: one of this name, or those of the value. */
function sometimes(
  share: number,
  name: string | undefined,
  values: Values,
): fc.Arbitrary<[string, unknown][]> {
  const there = values.map((value): [string, unknown][] =>
    name === undefined ? Object.entries(value as object) : [[name, value]],
  )
  if (share === 1) return there
  return fc
    .tuple(fc.integer({ min: 1, max: 100 }), there)
    .map(([chance, pairs]) => (chance > 100 - share * 100 ? pairs : []))
}
