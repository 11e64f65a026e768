// A request to a route: its path filled in, a query, a body, headers, each made from the route's schemas or from nothing good.
import fc from 'fast-check'
import type { Schema } from '../../server/http/shape.ts'
import type { Ids } from '../account-data.ts'
import type { Registered } from '../server.ts'
import { headersOf, types } from './headers.ts'
import type { RouteScope } from './headers.ts'
import { anything, jsonOf, spoiled } from './hostile.ts'
import { valuesOf } from './values.ts'
import type { Source } from './values.ts'

export interface FuzzedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
}

/** Questions that are good but for who asks, that have one thing wrong, and that may have anything wrong. */
export function requestsFor(route: Registered, scope: RouteScope): fc.Arbitrary<FuzzedRequest> {
  return fc.oneof(
    madeFrom(route, scope, { ids: scope.ownIds, isGood: true }),
    madeFrom(route, scope, { ids: scope.ownIds, isGood: true, isSpoiled: true }),
    madeFrom(route, scope, { ids: scope.ids, isGood: false }),
  )
}

function madeFrom(
  route: Registered,
  scope: RouteScope,
  given: Source,
): fc.Arbitrary<FuzzedRequest> {
  const { params, querystring, body } = (route.schema ?? {}) as Record<string, Schema | undefined>
  const noun = nounOf(route, scope.ids)
  // A note is about the first kind in its path.
  const kind = route.path.split('/').find((part) => part in scope.ids) ?? ''
  const source = { ...given, ids: { ...given.ids, entity_id: given.ids[kind] ?? [] } }
  return fc
    .record({
      path: pathOf(route, params, source, noun),
      query: queryOf(querystring, source, noun),
      body: bodyOf(route, body, source, noun),
      caller: fc.constantFrom(...callers),
      headers: source.isGood ? fc.constant<Record<string, string>>({}) : headersOf(scope),
    })
    .map(({ path, query, body, caller, headers }) => {
      const authorization = scope.callers[caller]
      return {
        method: route.method,
        path: path + query,
        headers: {
          ...(authorization !== undefined && { authorization }),
          ...(body && { 'content-type': body.type }),
          ...headers,
        },
        ...(body && { body: body.text }),
      }
    })
}

const callers = [...Array<string>(6).fill('admin'), ...Array<string>(3).fill('limited'), 'nobody']

/** The request as a person can ask it again. */
export function asCurl(url: string, { method, path, headers, body }: FuzzedRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return [
    'curl -g --path-as-is -X',
    method,
    ...named,
    ...(body === undefined ? [] : ['--data-binary', quoted(body.toString())]),
    quoted(url + path),
  ].join(' ')
}

/** The kind of what a plain `id` names: the last kind in the path, `leads` of `/api/v4/leads/{id}/restore` and of `/api/v4/leads`. */
function nounOf({ path }: Registered, ids: Ids): string {
  return (
    path
      .replace('custom_fields/groups', 'custom_field_groups')
      .split('/')
      .findLast((part) => part in ids) ?? ''
  )
}

const segments = [
  '0',
  '-1',
  '+1',
  '1e3',
  '1.0',
  '0x10',
  '9007199254740991',
  '9007199254740992',
  '9'.repeat(40),
  '%31',
  '%20',
  '%00',
  '%ff',
  '%ed%a0%80',
  '%2e%2e',
  '..%2f..%2fpackage.json',
  '%2f',
  '__proto__',
  'constructor',
  'tags',
  'x'.repeat(199),
  'x'.repeat(300),
  '%',
  '%zz',
  '',
  '%F0%9F%98%80',
  ';',
  '*',
  '~',
]

function pathOf(
  { path }: Registered,
  params: Schema | undefined,
  source: Source,
  noun: string,
): fc.Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name === undefined) return fc.constant(part)
    const schema = params?.properties?.[name] ?? { type: 'string' }
    const good = valuesOf(schema, source, name === 'id' ? noun : name).map((value) =>
      escaped(value),
    )
    if (source.isGood) return good
    return fc.oneof(
      { weight: 6, arbitrary: good },
      { weight: 1, arbitrary: fc.constantFrom(...segments) },
    )
  })
  return fc.tuple(...parts).map((each) => each.join(''))
}

function escaped(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  return encodeURIComponent(text.toWellFormed()).slice(0, 3000)
}

const strays = [
  '&',
  '=',
  '%',
  '%zz',
  '[]=1',
  'a[b',
  ']',
  'a[][][]=1',
  'filter=1',
  'filter[]',
  'page=1&page=2',
  'limit=-1',
  'with[]=x',
  'filter[id][x][y]=1',
  'filter[__proto__][a]=1',
  '__proto__[admin]=1',
  'constructor[prototype][a]=1',
  'page=99999999',
  'order[id]=asc&order[name]=desc',
  `a${'[b]'.repeat(200)}=1`,
  'filter[name]=%00',
  `q=${'x'.repeat(5e3)}`,
  'after=zzzz',
]

function queryOf(schema: Schema | undefined, source: Source, noun: string): fc.Arbitrary<string> {
  const values = schema ? valuesOf(schema, source, noun) : fc.constant({})
  const good = (source.isSpoiled ? spoiled(values) : values).map((value) => pairsOf(value))
  const stray = fc.array(fc.constantFrom(...strays), { maxLength: 2 })
  const either = source.isGood
    ? good
    : fc.oneof(
        good,
        good,
        fc.tuple(good, stray).map((both) => both.flat()),
      )
  return either.map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}`.slice(0, 8000) : ''))
}

/** `a[b][]=1`, as clients write it. */
function pairsOf(value: unknown, key = ''): string[] {
  if (Array.isArray(value)) return value.slice(0, 300).flatMap((each) => pairsOf(each, `${key}[]`))
  if (typeof value === 'object' && value !== null && key.length < 300)
    return Object.entries(value).flatMap(([name, each]) =>
      pairsOf(each, key === '' ? escaped(name) : `${key}[${escaped(name)}]`),
    )
  return key === '' ? [] : [`${key}=${escaped(value)}`]
}

interface Body {
  type: string
  text: string
}

const broken = [
  '',
  ' ',
  '{',
  '[',
  '{}',
  '[]',
  'null',
  '0',
  '"',
  '[1,',
  '{"a":1,}',
  '{"a":1,"a":2}',
  '﻿{}',
  '[[[[',
  '\0',
  '['.repeat(1e5),
  '{"a":'.repeat(2e4),
  `[${'1,'.repeat(5e4)}1]`,
  `"${'\\ud800'.repeat(1e3)}"`,
  `[${' '.repeat(42e5)}]`,
  `[${'{},'.repeat(3e5)}{}]`,
]

const rawBody: fc.Arbitrary<Body> = fc.record({
  type: fc.constantFrom('application/json', ...types),
  text: fc.oneof(fc.constantFrom(...broken), fc.string({ maxLength: 30 }), anything.map(jsonOf)),
})

type MaybeBody = fc.Arbitrary<Body | undefined>

function bodyOf(
  { config, method }: Registered,
  schema: Schema | undefined,
  source: Source,
  noun: string,
): MaybeBody {
  if (method === 'GET')
    return source.isGood ? fc.constant(undefined) : fc.option(rawBody, { freq: 30, nil: undefined })
  const made = schema
    ? valuesOf(schema, source, noun)
    : source.isGood
      ? fc.constant(undefined)
      : anything
  const values = source.isSpoiled ? spoiled(made) : made
  const json = values.map((value) =>
    value === undefined ? undefined : { type: 'application/json', text: jsonOf(value) },
  )
  const form = values.map((value) => ({
    type: 'application/x-www-form-urlencoded',
    text: pairsOf(value).join('&'),
  }))
  const usually = config?.takesForms ? fc.oneof(form, json) : json
  if (source.isGood) return usually
  return fc.oneof(
    { weight: 15, arbitrary: usually },
    { weight: 2, arbitrary: rawBody },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}
