import type { FastifyRequest, RouteShorthandOptions } from 'fastify'
import { writeHandler } from '../../../../access/write-handler.ts'
import type { Actor } from '../../../../access/actor.ts'
import { requireOpenStatus } from '../../../../access/record-rights.ts'
import type { Database, Reader, Tx } from '../../../../database/connect.ts'
import { one } from '../../../../http/body.ts'
import { hal, nothing, sendHal } from '../../../../http/hal.ts'
import type { Answer } from '../../../../http/hal.ts'
import { keepNextPage, positionOfPage } from '../../../../http/paging.ts'
import type { Cursor } from '../../../../http/paging.ts'
import { badRequest, invalid } from '../../../../http/problem.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { fieldsOf } from '../../../../records/fields/definitions.ts'
import { tagsWithIds } from '../../../../records/tags.ts'
import type { Tag } from '../../../../records/tags.ts'
import { itemsWithData, planningOfItems, summaryRows } from '../queries.ts'
import type { ItemRow } from '../queries.ts'
import type { AddedCategory } from '../schema.ts'
import { keepingFiles } from '../../../activity/notes/notes.ts'
import { acceptItems, addItems, declineItems, summaryOf } from '../unsorted.ts'
import type { SummaryRow } from '../unsorted.ts'
import { failureAnswer, linksOf, successAnswer } from './answers.ts'
import { inOrder, readItems, shownItem, tagsOf } from './items.ts'
import type { FieldsByType } from './items.ts'
import * as shapes from './schema.ts'
import type { IncomingCalls, IncomingForms, IncomingQuery } from './schema.ts'

const path = '/api/v2/incoming_leads'
const tags = ['unsorted']

/** The usual number of items on a page, and the most (interface: Limits). */
const [usualSize, mostItems] = [50, 500]

export function incomingLeadRoutes(app: App, kontor: Kontor): void {
  const { config, database, now } = kontor
  const keepFiles = keepingFiles(kontor)
  const reading = { access: 'user', renderProblem: failureAnswer } as const
  const deciding = { ...reading, takesForms: 'nested' } as const
  const adding = { ...deciding, right: { type: 'leads', action: 'add' } } as const
  const onSend: RouteShorthandOptions['onSend'] = (_request, reply, payload, done) => {
    reply.header('runtime-timestamp', now())
    done(null, payload)
  }
  const failed = hal('The request failed', shapes.Failed)
  const failures = { '4xx': failed, '5xx': failed }
  const add =
    (category: AddedCategory) =>
    async (
      tx: Tx,
      request: FastifyRequest & { body: IncomingCalls | IncomingForms },
    ): Promise<Answer> => {
      const { actor, body } = request
      const batch = readItems(category, body, await fieldsByType(tx, actor), config.unknownKeys)
      const items = await addItems(tx, actor, batch)
      return successAnswer(
        request,
        items.map(({ uid }) => uid),
      )
    }

  app.get(
    path,
    {
      config: reading,
      onSend,
      schema: {
        summary: 'List unsorted items (version 2)',
        tags,
        querystring: shapes.IncomingQuery,
        response: {
          200: hal('A page of the items that wait', shapes.IncomingList),
          204: nothing,
          ...failures,
        },
      },
    },
    async (request, reply) => {
      const { actor, query } = request
      requireOpenStatus(actor, 'view')
      const rows = await readPage(database, actor, query)
      if (rows.length === 0 && actor.emptyList !== 200) return reply.code(204).send()
      const items = await shownItems(database, actor, rows)
      return sendHal(reply, { _links: linksOf(request), _embedded: { items } })
    },
  )

  app.get(
    `${path}/summary`,
    {
      config: reading,
      onSend,
      schema: {
        summary: 'Count unsorted items (version 2)',
        tags,
        querystring: shapes.IncomingSummaryQuery,
        response: { 200: hal('Counts of the items', shapes.IncomingSummary), ...failures },
      },
    },
    async (request, reply) => {
      const { actor, query } = request
      requireOpenStatus(actor, 'view')
      const created_at = (query.filter ?? query.data?.filter)?.date
      const filter = { created_at, pipeline_id: query.pipeline_id }
      const rows = await database.list<SummaryRow>(summaryRows(actor, filter))
      return sendHal(reply, { ...summaryOf(rows), _links: linksOf(request) })
    },
  )

  app.post(
    `${path}/sip`,
    {
      config: adding,
      onSend,
      schema: {
        summary: 'Add calls to the unsorted items (version 2)',
        tags,
        body: one(shapes.IncomingCalls, { shown: shapes.ShownIncomingCalls }),
        response: { 200: hal('The uids of the items', shapes.AddedUids), ...failures },
      },
    },
    writeHandler(database, add('sip')),
  )

  app.post(
    `${path}/form`,
    {
      config: adding,
      onSend,
      schema: {
        summary: 'Add web forms to the unsorted items (version 2)',
        tags,
        body: one(shapes.IncomingForms, { shown: shapes.ShownIncomingForms }),
        response: { 200: hal('The uids of the items', shapes.AddedUids), ...failures },
      },
    },
    writeHandler(database, add('forms')),
  )

  app.post(
    `${path}/accept`,
    {
      config: adding,
      onSend,
      schema: {
        summary: 'Accept unsorted items (version 2)',
        tags,
        body: one(shapes.AcceptedUids),
        response: { 200: hal('The records that were created', shapes.AcceptedIds), ...failures },
      },
    },
    writeHandler(database, async (tx, request) => {
      const { accept, user_id, status_id } = request.body
      const uids = uidsOf(accept)
      const input = { user_id: user_id || undefined, status_id: status_id || undefined }
      const { decided, refused } = await acceptItems(tx, request.actor, uids, input, keepFiles)
      // A stage that no item of the request has is a fault of the request.
      if (decided.size === 0 && [...refused.values()].includes('status')) throw otherStage()
      const accepted = [...decided].map(([uid, { company_ids, lead_ids, contact_ids }]) => {
        return [uid, { companies: company_ids, leads: lead_ids, contacts: contact_ids }] as const
      })
      return successAnswer(request, Object.fromEntries(accepted))
    }),
  )

  app.post(
    `${path}/decline`,
    {
      config: deciding,
      onSend,
      schema: {
        summary: 'Decline unsorted items (version 2)',
        tags,
        body: one(shapes.DeclinedUids),
        response: { 200: hal('Whether each item was declined', shapes.DeclinedFlags), ...failures },
      },
    },
    writeHandler(database, async (tx, request) => {
      const { decline, user_id } = request.body
      const uids = uidsOf(decline)
      const { decided } = await declineItems(tx, request.actor, uids, {
        user_id: user_id || undefined,
      })
      const outcomes = uids.map((uid) => [uid, decided.has(uid)] as const)
      return successAnswer(request, Object.fromEntries(outcomes))
    }),
  )
}

const uidsOf = (list: Parameters<typeof inOrder<string>>[0]) => inOrder(list).map(([, uid]) => uid)

const otherStage = () =>
  invalid([
    {
      request_id: '0',
      errors: [
        {
          code: 'NotSupportedChoice',
          path: 'status_id',
          detail: 'The pipelines of the items have no such status for accepted leads.',
        },
      ],
    },
  ])

async function fieldsByType(reader: Reader, { accountId }: Actor): Promise<FieldsByType> {
  const leads = await fieldsOf(reader, accountId, 'leads')
  const contacts = await fieldsOf(reader, accountId, 'contacts', leads.version)
  const companies = await fieldsOf(reader, accountId, 'companies', leads.version)
  return { leads, contacts, companies }
}

/** The items that are read at once, and the most characters of their drafts on one page, 16 Mi. */
const [fewItems, longestPage] = [100, 16 * 1024 * 1024]

/**
 * The items of a page, in steps, so that pages of huge items take no more memory than a program can
 * ask for. Throws a 400 problem for such a page: a smaller one fits.
 */
async function readPage(
  database: Database,
  actor: Actor,
  { page_size = usualSize, PAGEN_1 = 1, categories, order_by, pipeline_id }: IncomingQuery,
): Promise<ItemRow[]> {
  const size = Math.min(page_size, mostItems)
  const listKey = JSON.stringify([
    actor.accountId,
    actor.userId,
    size,
    categories,
    order_by,
    pipeline_id,
  ])
  const list = `${path} ${listKey}`
  const before = positionOfPage(list, PAGEN_1)
  const rows: (ItemRow & Cursor)[] = []
  let length = 0
  for (let isMore = true; isMore;) {
    const limit = Math.min(size - rows.length, fewItems)
    const after = rows.at(-1) ?? before
    const position = { after, offset: after ? 0 : (PAGEN_1 - 1) * size, limit }
    const filter = { category: categories, pipeline_id }
    const read = await database[planningOfItems(actor, filter, order_by)]<ItemRow & Cursor>(
      itemsWithData(actor, filter, order_by, position),
    )
    for (const { data, metadata } of read) length += JSON.stringify([data, metadata]).length
    if (length > longestPage && rows.length + read.length > 1)
      throw badRequest('The items of this page are too long together. A smaller page_size helps')
    rows.push(...read)
    isMore = read.length === limit && rows.length < size
  }
  if (rows.length === size) keepNextPage(list, PAGEN_1, rows.at(-1)!)
  return rows
}

/** The items as answers show them, with the names of tags that drafts name by id. */
async function shownItems(database: Database, actor: Actor, rows: ItemRow[]): Promise<object[]> {
  if (rows.length === 0) return []
  const fields = await fieldsByType(database, actor)
  const names = new Map<number, string>()
  for (const type of ['leads', 'contacts', 'companies'] as const) {
    const ids = tagsOf(rows, type)
    if (ids.length === 0) continue
    for (const { id, name } of await database.list<Tag>(tagsWithIds(actor, type, ids)))
      names.set(id, name)
  }
  return rows.map((row) => shownItem(actor.accountId, row, fields, (id) => names.get(id)))
}
