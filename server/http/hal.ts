import type { FastifyReply } from 'fastify'
import { Type } from './type.ts'
import type { Static, TSchema } from 'typebox'
import type { EntityType } from '../entity-types.ts'
import { formatNested } from './nested.ts'
import type { Nested } from './nested.ts'
import { forbidden, notFound } from './problem.ts'
import { Id, Timestamp } from './types.ts'
import { withCommas } from './with.ts'

const Href = Type.Object({ href: Type.String({ format: 'uri' }) })

/** `_links` of a record or an answer. */
export const SelfLink = Type.Object({ self: Href })

/** Links of a page: `next` only when more pages exist. */
export const PageLinks = Type.Object({
  self: Href,
  next: Type.Optional(Href),
  first: Type.Optional(Href),
  prev: Type.Optional(Href),
})

/** A page of a list: `_page`, `_links` and `_embedded.<collection>`. */
export function Page<Record extends TSchema>(collection: string, record: Record) {
  return Type.Object({
    _page: Type.Integer(),
    _links: PageLinks,
    _embedded: Type.Object({ [collection]: Type.Array(record) }),
  })
}

/**
 * A page of a list whose rows are counted: adds `_total_items`, `_page_count` and a link to the
 * last page.
 */
export function CountedPage<Record extends TSchema>(collection: string, record: Record) {
  const { properties } = Page(collection, record)
  const _links = Type.Object({ ...PageLinks.properties, last: Href })
  return Type.Object({
    _total_items: Type.Integer(),
    _page_count: Type.Integer(),
    ...properties,
    _links,
  })
}

/** A short list, answered whole: `_total_items`, `_links` and `_embedded.<collection>`. */
export function CompleteList<Record extends TSchema>(collection: string, record: Record) {
  return Type.Object({
    _total_items: Type.Integer(),
    _links: SelfLink,
    _embedded: Type.Object({ [collection]: Type.Array(record) }),
  })
}

/**
 * The query of a complete list. Pages after the first are empty, because some programs ask until a
 * page is.
 */
export const CompleteListQuery = Type.Object(
  {
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        'x-page': true,
        description: 'Page 1 holds the whole list; later pages are empty; 0 counts as 1',
      }),
    ),
  },
  { additionalProperties: true },
)

/** A record as the answer to a write shows it: all fields, and the client's `request_id`. */
export function Written<Properties extends Record<string, TSchema>>({
  properties,
}: {
  properties: Properties
}) {
  return Type.Object({ ...properties, request_id: Type.String() })
}

/** The answer to a creation that shows whole records, in the order of the request. */
export function CreatedAnswer(collection: string, record: { properties: Record<string, TSchema> }) {
  return Type.Object({
    _total_items: Type.Integer(),
    _embedded: Type.Object({ [collection]: Type.Array(Written(record)) }),
  })
}

/** The answer to a creation: an id and the client's `request_id` for each record. */
export function AddedAnswer(collection: EntityType) {
  const added = Type.Object({ id: Id, request_id: Type.String(), _links: SelfLink })
  return Type.Object({
    _links: SelfLink,
    _embedded: Type.Object({ [collection]: Type.Array(added) }),
  })
}

const Changed = { id: Id, name: Type.String(), updated_at: Timestamp, _links: SelfLink }

/** The answer to a change of several records. */
export function ChangedAnswer(collection: EntityType) {
  const changed = Type.Object({ ...Changed, request_id: Type.String() })
  return Type.Object({
    _links: SelfLink,
    _embedded: Type.Object({ [collection]: Type.Array(changed) }),
  })
}

/**
 * The answer to a change of one record: flat, as many programs read it, and embedded, as specified
 * (interface: Answers to changes).
 */
export function OneChangedAnswer(collection: EntityType) {
  const changed = Type.Object({ ...Changed, request_id: Type.String() })
  return Type.Object({ ...Changed, _embedded: Type.Object({ [collection]: Type.Array(changed) }) })
}

/** The path parameter of one record. */
export const IdParams = Type.Object({ id: Id })

/** The empty answer (204) of a list or read that finds nothing. */
export const nothing = Type.Null({
  description: 'Nothing found; sent to integrations that expect 204 for an empty result',
})

/** An answer of the version-4 methods: `application/hal+json`. */
export function hal(description: string, schema: TSchema) {
  return { description, content: { 'application/hal+json': { schema } } }
}

/** A response documented as `application/json`: of OAuth 2.0, and of the chat protocol. */
export function json(description: string, schema: TSchema) {
  return { description, content: { 'application/json': { schema } } }
}

/**
 * An answer as a value. A write makes it in its transaction, so that it can be kept with the write.
 */
export interface Answer {
  status: number
  /** The media type; null for an answer without a body. */
  type: string | null
  text: string
}

export const noContent: Answer = { status: 204, type: null, text: '' }

/** An object or JSON text as `application/hal+json`. */
export function halAnswer(body: object | string, status = 200): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, type: 'application/hal+json', text }
}

export function sendAnswer(reply: FastifyReply, { status, type, text }: Answer): FastifyReply {
  return type === null ? reply.code(status).send() : sendAs(reply.code(status), type, text)
}

/** Sends an object as `application/json`. */
export function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return sendAs(reply, 'application/json', body)
}

/** Sends an object or JSON text as `application/hal+json`. */
export function sendHal(reply: FastifyReply, body: object | string): FastifyReply {
  return sendAs(reply, 'application/hal+json', body)
}

/**
 * Sends the body with exactly this media type. Fastify would add a charset to a text, and JSON has
 * none.
 */
export function sendAs(reply: FastifyReply, type: string, body: object | string): FastifyReply {
  return reply
    .header('content-type', type)
    .send(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
}

/**
 * Sends the record that a query found. Without a row: 404, or 204 for a main entity if the client
 * is used to it (interface: Missing records). A row without text is a record that the actor may not
 * view: 403.
 */
export function sendRecord(
  reply: FastifyReply,
  row: { json: string | null } | undefined,
  missing: 'habit' | 'always 404' = 'habit',
): FastifyReply {
  if (!row && missing === 'habit' && reply.request.actor.emptyList !== 200)
    return reply.code(204).send()
  return sendAnswer(reply, recordAnswer(row))
}

/**
 * The record that a query found, or a 404 problem. A row without text is a record that the actor
 * may not view: 403.
 */
export function recordAnswer(row: { json: string | null } | undefined, status = 200): Answer {
  if (!row) throw notFound()
  if (row.json === null) throw forbidden('You have no right to view this record')
  return halAnswer(row.json, status)
}

/**
 * Sends a complete list of records or their JSON texts: 200, or 204 if it is empty and the client
 * is used to 204.
 */
export function sendCompleteList(
  reply: FastifyReply,
  collection: string,
  records: readonly (object | string)[],
): FastifyReply {
  const { actor, base, query, url } = reply.request
  const { page = 1 } = query as Static<typeof CompleteListQuery>
  const shown = page === 1 ? records : []
  if (shown.length === 0 && actor.emptyList !== 200) return reply.code(204).send()
  const search = formatNested(withCommas(query as Nested))
  const href = `${base}${url.split('?', 1)[0]!}${search && `?${search}`}`
  return sendHal(reply, completeListBody(collection, shown, href))
}

/** The body of a `CompleteList` or, without `self`, of a `CreatedAnswer`. */
export function completeListBody(
  collection: string,
  records: readonly (object | string)[],
  href?: string,
): string {
  const texts = records.map((record) =>
    typeof record === 'string' ? record : JSON.stringify(record),
  )
  const links = href === undefined ? '' : `"_links":${JSON.stringify({ self: { href } })},`
  return `{"_total_items":${texts.length},${links}"_embedded":{"${collection}":[${texts.join()}]}}`
}

interface Answered {
  id: number
  request_id: string
  name?: string
  updated_at?: number
}

/** A batch of created or changed records, each with its link, in the order of the request. */
export function batchAnswer(
  base: string,
  collection: EntityType | 'tasks',
  written: Answered[],
): Answer {
  const href = `${base}/api/v4/${collection}`
  const records = written.map((record) => ({
    ...record,
    _links: { self: { href: `${href}/${record.id}` } },
  }))
  return halAnswer({ _links: { self: { href } }, _embedded: { [collection]: records } })
}

/** The change of one record, flat and embedded. */
export function oneChangeAnswer(base: string, collection: EntityType, [one]: Answered[]): Answer {
  const { id, name, updated_at } = one!
  const _links = { self: { href: `${base}/api/v4/${collection}/${id}` } }
  const _embedded = { [collection]: [{ ...one, _links }] }
  return halAnswer({ id, name, updated_at, _links, _embedded })
}
