// The bodies of the interface as their schemas describe them: their members, and valid requests to send them in.
import { schemaKindOf, fitsShallowly } from '../../server/http/shape.ts'
import type { Schema, SchemaKind } from '../../server/http/shape.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { amojoIdOf, hmac } from '../channels.ts'
import { addScope, personOf, published } from '../chats.ts'
import type { TestScope } from '../chats.ts'
import { oncePerFile } from '../endings.ts'
import { raw } from '../raw.ts'
import { rows } from '../routes.ts'
import { server } from '../server.ts'
import type { RouteFixture } from './fixture.ts'
import { requests } from './requests.ts'
import type { RouteRequest } from './requests.ts'

/** The keys to a member; 0 is the first item of a list. */
export type Keys = readonly (string | 0)[]
export interface Member {
  keys: Keys
  isRequired: boolean
  takesNull: boolean
  schema: Schema
  /** A body with the member's surroundings, and without it. */
  body: unknown
}

const registered = (await server()).routes
/** The routes of the interface that read a body. */
export const bodies = rows
  .filter(({ path }) => /^\/(?:api\/v[24]|v2)\//.test(path))
  .flatMap(({ method, path }) => {
    const route = registered.find((each) => each.method === method && each.path === path)
    const schema = route?.schema?.body as Schema | undefined
    return schema && route?.config?.takesBytes !== true ? [{ method, path, schema }] : []
  })

export interface PreparedRequest extends RouteRequest {
  method: string
  path: string
  /** The account and the secret of a channel, whose bodies are signed. */
  scope?: TestScope
}

const chats = oncePerFile((): Record<string, Promise<RouteRequest>> => ({}))
const channels = oncePerFile((): { account?: Promise<TestAccount> } => ({}))
let prepared = 0

/** An account that has room for one more channel, in the database of a cast. */
async function withChannels({ account: { kontor } }: RouteFixture): Promise<TestAccount> {
  const { databaseUrl } = kontor.config
  const settings = { rateLimitScope: 0, rateLimitAddress: 0, ...(databaseUrl && { databaseUrl }) }
  const account = await (channels().account ??= newAccount(settings))
  if (++prepared % 50 === 0) {
    const path = '/web/v1/channels'
    for (const { id } of (await account.api.get(`${path}?limit=250`)).body._embedded.channels)
      await account.api.delete(`${path}/${id}`)
  }
  return account
}

/** A request to a route about things that are there, made anew. */
export async function requestOf(
  fixture: RouteFixture,
  method: string,
  route: string,
): Promise<PreparedRequest> {
  const ask = async () => [await requests[`${method} ${route}`]!(fixture, 'admin')].flat()[0]!
  if (!route.startsWith('/v2/')) return { path: route, method, ...(await ask()) }
  // The bodies of chats name nothing of the account.
  const request = await (chats()[`${method} ${route}`] ??= ask())
  const account = await withChannels(fixture)
  const made = await addScope(account)
  await published(made, { conversation_id: 'one', msgid: 'one', sender: personOf('client') })
  const outgoing = { sender: { ref_id: made.bot_id }, receiver: personOf('client') }
  const { msgid } = await published(made, { ...outgoing, conversation_id: 'one', msgid: 'two' })
  const path = route
    .replace('{scope_id}', made.scopeId)
    .replace('{channel_id}', made.id)
    .replace('{msgid}', msgid)
  const account_id = await amojoIdOf(account)
  const body = { ...(request.body as object), ...(route.endsWith('connect') && { account_id }) }
  return { method, path, body, scope: made }
}

/** Sends a body, signed or as the administrator. */
export const askWith = (
  fixture: RouteFixture,
  { method, path, query = '', headers, scope }: PreparedRequest,
  body: string,
) =>
  raw((scope ?? fixture).account.kontor, {
    method,
    path: path + query,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(scope
        ? { 'x-signature': hmac(scope.secret, body) }
        : { authorization: `Bearer ${fixture.callers.admin.token}` }),
    },
    body,
  })

/** All members of a schema, those in alternatives and in items too. */
export function membersOf(schema: Schema, around: Keys = [], whole = minimal(schema)): Member[] {
  switch (schemaKindOf(schema)) {
    case 'union':
      return schema.anyOf!.flatMap((each) =>
        membersOf(each, around, withMember(whole, around, minimal(each))),
      )
    case 'array': {
      const keys = [...around, 0] as const
      return schema.items
        ? membersOf(schema.items, keys, withMember(whole, around, [minimal(schema.items)]))
        : []
    }
    case 'object':
      return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
        const keys = [...around, key]
        const isRequired = isRequiredIn(schema, key)
        const body = withMember(whole, keys, undefined)
        const takesNull = fitsShallowly(inner, null)
        const member = { keys, isRequired, takesNull, schema: inner, body }
        return [member, ...membersOf(inner, keys, withMember(whole, keys, minimal(inner)))]
      })
    default:
      return []
  }
}

/** The schema of a kind that a member has, alone or as an alternative. */
export const has = (schema: Schema, kind: SchemaKind): Schema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find((each) => schemaKindOf(each) === kind)

export const isRequiredIn = (schema: Schema, key: string) =>
  (schema['required'] as string[] | undefined)?.includes(key) === true

/** The least that a schema takes. */
export function minimal(schema: Schema): unknown {
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  switch (schemaKindOf(schema)) {
    case 'union':
      return minimal(schema.anyOf!.find((each) => schemaKindOf(each) !== 'null')!)
    case 'object': {
      const required = Object.entries(schema.properties ?? {}).filter(([key]) =>
        isRequiredIn(schema, key),
      )
      return Object.fromEntries(required.map(([key, inner]) => [key, minimal(inner)]))
    }
    case 'array':
      return Number(schema['minItems'] ?? 0) > 0 ? [minimal(schema.items!)] : []
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1))
    case 'boolean':
      return true
    case 'string':
      return texts[schema.format ?? ''] ?? 'x'.repeat(Number(schema['minLength'] ?? 1))
    default:
      return null
  }
}

const texts: Record<string, string> = {
  uri: 'https://example.com/',
  email: 'ann@example.com',
  uuid: '11111111-2222-4333-8444-555555555555',
}

/** A copy with a value at the end of the keys; undefined takes the member out. */
export function withMember(value: unknown, [key, ...rest]: Keys, member: unknown): unknown {
  if (key === undefined) return member
  if (key === 0) {
    const [first, ...others] = (value ?? []) as unknown[]
    return [withMember(first, rest, member), ...others]
  }
  const { [key]: inner, ...others } = (value ?? {}) as Record<string, unknown>
  const after = withMember(inner, rest, member)
  return after === undefined ? others : { ...others, [key]: after }
}
