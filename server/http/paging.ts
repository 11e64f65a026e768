// Pages at constant cost. Clients send `page` and `limit`, but to skip 90,000 rows a database reads
// them all. So each answered page leaves the cursor of its last row in memory and, as `after`, in
// the link to the next page; the next page seeks from there. A page without such a cursor is found
// by its offset, an index scan.
import { Type } from './type.ts'
import type { Static } from 'typebox'
import type { FastifyReply } from 'fastify'
import { hash } from '../secrets.ts'
import { sendHal } from './hal.ts'
import { formatNested } from './nested.ts'
import type { Nested } from './nested.ts'
import { badRequest } from './problem.ts'
import { withCommas } from './with.ts'

/** Default rows per page, and the maximum (interface: Paging; Limits). */
const usualLimit = 50
const mostRows = 250

/** Characters of all records of one page, 16 Mi. A single longer record still gets a page. */
const longestPage = 16 * 1024 * 1024

/** Page number and rows per page. A limit above the maximum counts as the maximum. */
export const Paging = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      'x-page': true,
      description: 'Page number, starting at 1; 0 counts as 1',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Rows per page: 50 by default, 250 at most (events: 100, transactions: 500). A larger number counts as the maximum',
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: '^[0-9a-z]{1,26}(\\.[0-9a-z]{1,26})?$',
      description: 'Cursor from the link to the next page: where the previous page ended',
    }),
  ),
}

/**
 * Where a page begins: after a row (its sort key and id), or after `offset` rows if that row is
 * unknown.
 */
export interface PagePosition {
  after: Cursor | undefined
  offset: number
  /** Rows to read: one more than the page holds, to know whether another page follows. */
  limit: number
}

export interface Cursor {
  key: number | string
  id: number | string
}

/** A row of a list: the record as JSON text, and its cursor in the list's order. */
export interface PageRow extends Cursor {
  json: string
}

interface PageOptions {
  /** The key under `_embedded`. */
  collection: string
  /** The most rows per page, 250 by default. */
  most?: number
  /** Rows per page if the client names no limit, 50 by default. */
  usual?: number
  /** Rows before the first page, none by default. */
  skip?: number
  /** Whether ids and keys are numbers (the default) or texts. */
  keys?: 'number' | 'text'
  /** Counts all rows, for short lists whose answer has a total. */
  total?: () => Promise<number>
  /**
   * The member before the links: `_page`, or `_total_items` with the number of records in the
   * answer.
   */
  countMember?: '_page' | '_total_items'
}

export interface PageQuery {
  page?: Static<(typeof Paging)['page']>
  limit?: Static<(typeof Paging)['limit']>
  after?: Static<(typeof Paging)['after']>
}

/**
 * Answers one page of a list: 200, or 204 if it is empty and the client is used to 204. A page
 * whose records exceed 16 Mi characters ends early; the next page begins with the record left over.
 */
export async function sendPage(
  reply: FastifyReply,
  {
    collection,
    most = mostRows,
    usual = usualLimit,
    skip = 0,
    keys = 'number',
    total,
    countMember = '_page',
  }: PageOptions,
  find: (seek: PagePosition) => Promise<PageRow[]>,
): Promise<FastifyReply> {
  const { request } = reply
  const query = request.query as PageQuery & Nested
  const page = query.page ?? 1
  const limit = Math.min(query.limit ?? usual, most)
  const { after: hint, page: _page, limit: _limit, ...rest } = withCommas(request.query as Nested)
  const path = request.url.split('?', 1)[0]!
  const link = (page: number, after?: string) =>
    `${request.base}${path}?${formatNested({ ...rest, page: String(page), limit: String(limit), ...(after ? { after } : {}) })}`
  const walkName = `${request.actor.accountId} ${request.actor.userId} ${link(0)}`

  const after =
    page === 1
      ? undefined
      : (parseKey(hint as string | undefined, keys) ?? positions.get(walkName, page))
  const offset = after ? 0 : skip + (page - 1) * limit
  const lines = await find({ after, offset, limit: limit + 1 })
  if (lines.length === 0 && request.actor.emptyList !== 200) return reply.code(204).send()
  const shown = Math.min(limit, fittingOf(lines))
  const more = lines.length > shown
  lines.length = Math.min(lines.length, shown)

  const links = [`"self":{"href":${JSON.stringify(link(page))}}`]
  const last = lines.at(-1)
  if (more && last) {
    positions.set(walkName, page + 1, { key: last.key, id: last.id })
    links.push(`"next":{"href":${JSON.stringify(link(page + 1, formatKey(last)))}}`)
  }
  if (page > 1)
    links.push(
      `"first":{"href":${JSON.stringify(link(1))}}`,
      `"prev":{"href":${JSON.stringify(link(page - 1))}}`,
    )
  const all = await total?.()
  if (all !== undefined)
    links.push(`"last":{"href":${JSON.stringify(link(Math.max(1, Math.ceil(all / limit))))}}`)
  const records = lines.map(({ json }) => json).join(',')
  const counted =
    all === undefined ? '' : `"_total_items":${all},"_page_count":${Math.ceil(all / limit)},`
  const first = countMember === '_page' ? page : lines.length
  return sendHal(
    reply,
    `{${counted}"${countMember}":${first},"_links":{${links.join(',')}},"_embedded":{"${collection}":[${records}]}}`,
  )
}

/** How many of the records fit on one page, from the first on; at least one. */
function fittingOf(lines: PageRow[]): number {
  let length = 0
  const over = lines.findIndex(
    ({ json }, index) => (length += json.length) > longestPage && index > 0,
  )
  return over === -1 ? lines.length : over
}

function formatKey({ key, id }: Cursor): string {
  return key === id ? String(id) : `${key}.${id}`
}

function parseKey(hint: string | undefined, keys: 'number' | 'text'): Cursor | undefined {
  if (hint === undefined) return undefined
  const [key = '', id = key] = hint.split('.')
  if (keys === 'text') return { key, id }
  if (!Number.isSafeInteger(Number(key)) || !Number.isSafeInteger(Number(id)))
    throw badRequest('The parameter after is not one that a link to a next page holds')
  return { key: Number(key), id: Number(id) }
}

/**
 * Where a page begins whose client counts pages by itself: after the last row of the page before, if
 * that was answered lately. `list` names the list, with all that decides its rows and their order.
 */
export const positionOfPage = (list: string, page: number): Cursor | undefined =>
  page === 1 ? undefined : positions.get(list, page)

/** Keeps where the page after one begins: after that one's last row. */
export const keepNextPage = (list: string, page: number, { key, id }: Cursor): void =>
  positions.set(list, page + 1, { key, id })

/**
 * Cursors of pages, for clients that count pages instead of following `next`. About 200 bytes each:
 * a filter may be long, so a list's address is kept as a hash.
 */
const positions = {
  most: 10_000,
  seconds: 600,
  known: new Map<string, Cursor & { until: number }>(),
  get(walkName: string, page: number): Cursor | undefined {
    const found = this.known.get(nameOf(walkName, page))
    return found && found.until > performance.now() ? found : undefined
  },
  set(walkName: string, page: number, key: Cursor): void {
    const name = nameOf(walkName, page)
    this.known.delete(name)
    this.known.set(name, { ...key, until: performance.now() + this.seconds * 1000 })
    if (this.known.size > this.most) this.known.delete(this.known.keys().next().value!)
  },
}

function nameOf(walkName: string, page: number): string {
  return `${walkName.length > 100 ? hash(walkName).toString('base64') : walkName}#${page}`
}
