import { hal, IdParams, nothing, Page, sendHal } from '../../../../http/hal.ts'
import { formatNested } from '../../../../http/nested.ts'
import { sendPage } from '../../../../http/paging.ts'
import type { PageRow } from '../../../../http/paging.ts'
import { badRequest, forbidden, notFound } from '../../../../http/problem.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { withAttachments } from './attachments.ts'
import type { BareMessage } from './attachments.ts'
import { talkMessagePage, threadPage, viewedChat, viewedTalk } from './queries.ts'
import type { ThreadRange } from './queries.ts'
import * as shapes from './schema.ts'
import type { ThreadQuery } from './schema.ts'

const config = { access: 'user' } as const

export function threadRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor

  app.get(
    '/web/v1/chats/:id/messages',
    {
      config,
      schema: {
        summary: 'Read the messages of a chat',
        params: IdParams,
        querystring: shapes.ThreadQuery,
        response: { 200: hal('A page of messages, the oldest first', shapes.ThreadPage) },
      },
    },
    async ({ actor, base, params: { id }, query }, reply) => {
      const range = rangeOf(query)
      requireViewed(await database.row<{ allowed: boolean }>(viewedChat(actor, id)))
      const found = await database.rows<ThreadRow>(threadPage(actor, id, range))
      const rows = await withAttachments(kontor, actor, base, found)
      return sendHal(reply, threadBody(`${base}/web/v1/chats/${id}/messages`, query, range, rows))
    },
  )

  app.get(
    '/api/v4/talks/:id/messages',
    {
      config,
      schema: {
        summary: 'List the messages of a talk',
        tags: ['talks'],
        params: IdParams,
        querystring: shapes.TalkMessageQuery,
        response: {
          200: hal('A page of messages, the oldest first', Page('messages', shapes.ListedMessage)),
          204: nothing,
        },
      },
    },
    async ({ actor, base, params: { id }, query }, reply) => {
      requireViewed(await database.row<{ allowed: boolean }>(viewedTalk(actor, id)))
      return sendPage(reply, { collection: 'messages' }, async (seek) => {
        const page = talkMessagePage(actor, id, query, seek)
        const rows = await database[query.filter?.created_at === undefined ? 'page' : 'list']<
          PageRow & BareMessage
        >(page)
        return withAttachments(kontor, actor, base, rows)
      })
    },
  )
}

interface ThreadRow extends BareMessage {
  msec_timestamp: number
  id: number
}

function requireViewed<Row extends { allowed: boolean }>(row: Row | undefined): Row {
  if (!row) throw notFound()
  if (!row.allowed) throw forbidden('You have no right to view this chat')
  return row
}

/** Messages of a page: by default, and at most. */
const [usual, most] = [50, 250]

/** One message more is read than the page has, to know whether others follow. */
function rangeOf({ limit = usual, before, after }: ThreadQuery): ThreadRange {
  if (before !== undefined && after !== undefined)
    throw badRequest('Send before or after, not both')
  const [msec, id] = (before ?? after ?? '').split('.').map(Number)
  const from = before === undefined && after === undefined ? undefined : { msec: msec!, id: id! }
  if (from && !Number.isSafeInteger(from.id))
    throw badRequest('The cursor is not one that a link holds')
  return {
    direction: after === undefined ? 'before' : 'after',
    from,
    limit: Math.min(limit, most) + 1,
  }
}

function threadBody(
  path: string,
  { before, after }: ThreadQuery,
  range: ThreadRange,
  rows: ThreadRow[],
): string {
  const limit = range.limit - 1
  const isMore = rows.length > limit
  const shown = rows.slice(0, limit)
  if (range.direction === 'before') shown.reverse()
  const link = (cursor: Record<string, string>) => ({
    href: `${path}?${formatNested({ limit: String(limit), ...cursor })}`,
  })
  const cursorOf = ({ msec_timestamp, id }: ThreadRow) => `${msec_timestamp}.${id}`
  const [first, last] = [shown.at(0), shown.at(-1)]
  // A page that is not the newest has newer messages, and one that was not walked up to has older ones.
  const hasOlder = range.direction === 'before' ? isMore : shown.length > 0
  const hasNewer = range.direction === 'after' ? isMore : before !== undefined && shown.length > 0
  const links = {
    self: link({ ...(before !== undefined && { before }), ...(after !== undefined && { after }) }),
    ...(hasOlder && first && { older: link({ before: cursorOf(first) }) }),
    ...(hasNewer && last && { newer: link({ after: cursorOf(last) }) }),
  }
  const messages = shown.map(({ json }) => json).join(',')
  return `{"_links":${JSON.stringify(links)},"_embedded":{"messages":[${messages}]}}`
}
