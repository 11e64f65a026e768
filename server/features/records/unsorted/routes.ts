import sql from 'sql-template-tag'
import { writeHandler } from '../../../access/write-handler.ts'
import { requireOpenStatus } from '../../../access/record-rights.ts'
import type { Batch } from '../../../http/batch.ts'
import { batch, one } from '../../../http/body.ts'
import { compactJson } from '../../../http/compact.ts'
import { hal, halAnswer, json, nothing, sendHal, sendJson, sendRecord } from '../../../http/hal.ts'
import type { Answer } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import type { PageRow } from '../../../http/paging.ts'
import { forbidden, invalidValue, notFound } from '../../../http/problem.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { keepingFiles } from '../../activity/notes/notes.ts'
import { readCards } from './cards.ts'
import { itemPage, oneItem, planningOfItems, summaryRows, unsortedSummary } from './queries.ts'
import type { RecordIds } from './queries.ts'
import * as shapes from './schema.ts'
import type { AddedCategory, NewItem, NewVersion4Item, PartType } from './schema.ts'
import { acceptItems, addItems, declineItems, linkItem, summaryOf } from './unsorted.ts'
import type { AddedItem, DecidedItem, Decisions, SummaryRow } from './unsorted.ts'

const path = '/api/v4/leads/unsorted'
const tags = ['unsorted']
const user = { access: 'user' } as const
const adding = { ...user, right: { type: 'leads', action: 'add' } } as const

export function unsortedRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const keepFiles = keepingFiles(kontor)

  app.get(
    path,
    {
      config: user,
      schema: {
        summary: 'List unsorted items',
        tags,
        querystring: shapes.ItemQuery,
        response: { 200: hal('A page of the items that wait', shapes.ItemPage), 204: nothing },
      },
    },
    ({ actor, base, query: { filter = {}, order } }, reply) => {
      requireOpenStatus(actor, 'view')
      return sendPage(reply, { collection: 'unsorted' }, async (seek) => {
        const rows = await database[planningOfItems(actor, filter, order)]<PageRow & BareItem>(
          itemPage(actor, base, filter, order, seek),
        )
        return rows.map((row) => ({ ...row, json: withMetadata(row)! }))
      })
    },
  )

  app.get(
    `${path}/summary`,
    {
      config: user,
      schema: {
        summary: 'Count unsorted items',
        tags,
        querystring: shapes.SummaryQuery,
        response: { 200: hal('Counts of the items', shapes.Summary) },
      },
    },
    async ({ actor, query: { filter = {} } }, reply) => {
      requireOpenStatus(actor, 'view')
      return sendHal(reply, summaryOf(await database.list<SummaryRow>(summaryRows(actor, filter))))
    },
  )

  app.get(
    `${path}/:uid`,
    {
      config: user,
      schema: {
        summary: 'Read an unsorted item',
        tags,
        params: shapes.UidParams,
        response: { 200: hal('The item', shapes.UnsortedItem) },
      },
    },
    async ({ actor, base, params: { uid } }, reply) => {
      requireOpenStatus(actor, 'view')
      const item = await database.row<BareItem>(oneItem(actor, base, uid))
      return sendRecord(reply, item && { json: withMetadata(item) }, 'always 404')
    },
  )

  app.post(
    `${path}/sip`,
    {
      config: adding,
      schema: {
        summary: 'Add calls to the unsorted items',
        tags,
        body: batch(shapes.NewSipItem),
        response: { 200: hal('The items, in request order', shapes.AddedItems) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      addedAnswer(base, actor.accountId, 'sip', await addItems(tx, actor, itemsOf('sip', body))),
    ),
  )

  app.post(
    `${path}/forms`,
    {
      config: adding,
      schema: {
        summary: 'Add web forms to the unsorted items',
        tags,
        body: batch(shapes.NewFormItem),
        response: { 200: hal('The items, in request order', shapes.AddedItems) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) =>
      addedAnswer(
        base,
        actor.accountId,
        'forms',
        await addItems(tx, actor, itemsOf('forms', body)),
      ),
    ),
  )

  app.post(
    `${path}/:uid/accept`,
    {
      config: adding,
      schema: {
        summary: 'Accept an unsorted item',
        tags,
        params: shapes.UidParams,
        body: one(shapes.Acceptance),
        response: { 200: hal('The records that were created', shapes.AcceptedAnswer) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { uid } }) => {
      const item = onlyOne(uid, await acceptItems(tx, actor, [uid], body, keepFiles))
      return decidedAnswer(base, item, ['leads', 'contacts', 'companies'])
    }),
  )

  app.delete(
    `${path}/:uid/decline`,
    {
      config: user,
      schema: {
        summary: 'Decline an unsorted item',
        tags,
        params: shapes.UidParams,
        body: one(shapes.Decline),
        response: { 200: hal('The records that were removed', shapes.DeclinedAnswer) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { uid } }) => {
      const item = onlyOne(uid, await declineItems(tx, actor, [uid], body))
      return decidedAnswer(base, item, ['leads', 'contacts'])
    }),
  )

  app.post(
    `${path}/:uid/link`,
    {
      config: user,
      schema: {
        summary: 'Link an unsorted chat with a record',
        tags,
        params: shapes.UidParams,
        body: one(shapes.ItemLink),
        response: { 200: hal('The record', shapes.LinkedItem) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params: { uid } }) => {
      await linkItem(tx, actor, uid, body, keepFiles)
      const { entity_id: id, entity_type } = body.link
      const href = `${base}/api/v4/${entity_type}/${id}`
      return halAnswer({ uid, _embedded: { [entity_type]: [{ id, _links: { self: { href } } }] } })
    }),
  )

  app.get(
    '/web/v1/unsorted',
    {
      config: user,
      schema: {
        summary: 'List unsorted items as cards',
        tags,
        querystring: shapes.ItemQuery,
        response: { 200: hal('A page of the items that wait', shapes.CardPage), 204: nothing },
      },
    },
    ({ actor, query: { filter = {}, order } }, reply) => {
      requireOpenStatus(actor, 'view')
      return sendPage(reply, { collection: 'unsorted', most: 50 }, (seek) =>
        readCards(database, actor, filter, order, seek),
      )
    },
  )

  app.get(
    '/web/v1/unsorted/counts',
    {
      config: user,
      schema: {
        summary: 'Count the unsorted items of a pipeline',
        tags,
        querystring: shapes.ItemCountsQuery,
        response: { 200: json('The numbers by category', shapes.ItemCounts) },
      },
    },
    async ({ actor, query: { pipeline_id } }, reply) => {
      const counts = unsortedSummary(actor, pipeline_id, shapes.mostItemsCounted)
      const row = await database.row<shapes.ItemCounts>(sql`select (${counts}) as unsorted`)
      return sendJson(reply, row!)
    },
  )
}

/** An item without its metadata; the text is null where the actor may not view the item. */
interface BareItem {
  json: string | null
  metadata: string
}

const withMetadata = ({ json, metadata }: BareItem): string | null =>
  json && `${json.slice(0, -1)},"metadata":${compactJson(metadata)}}`

/** The items of a request of version 4; null counts as a missing key. */
function itemsOf(category: AddedCategory, sent: Batch<NewVersion4Item>): Batch<NewItem> {
  return {
    ...sent,
    items: sent.items.map(({ value, ...name }) => {
      const { source_name, source_uid, pipeline_id, created_at, metadata, _embedded } = value
      const { leads = [], contacts = [], companies = [] } = _embedded ?? {}
      return {
        ...name,
        value: {
          category,
          source_name,
          source_uid,
          pipeline_id: pipeline_id ?? undefined,
          created_at: created_at ?? undefined,
          metadata,
          leads,
          contacts,
          companies,
          notes: [],
        },
      }
    }),
  }
}

function addedAnswer(
  base: string,
  account_id: number,
  category: AddedCategory,
  added: AddedItem[],
): Answer {
  const unsorted = added.map(({ uid, request_id, ...ids }) => ({
    uid,
    account_id,
    request_id,
    _links: { self: { href: `${base}${path}/${uid}` } },
    _embedded: embedded(base, ids, ['contacts', 'leads', 'companies']),
  }))
  const self = { href: `${base}${path}/${category}` }
  return halAnswer({ _total_items: added.length, _links: { self }, _embedded: { unsorted } })
}

function embedded(
  base: string,
  { lead_ids, contact_ids, company_ids }: RecordIds,
  types: PartType[],
) {
  const ids = { leads: lead_ids, contacts: contact_ids, companies: company_ids }
  return Object.fromEntries(
    types.map((type) => [
      type,
      ids[type].map((id) => ({ id, _links: { self: { href: `${base}/api/v4/${type}/${id}` } } })),
    ]),
  )
}

/** The decision on the only item of a request, or the problem of its refusal. */
function onlyOne(uid: string, { decided, refused }: Decisions): DecidedItem {
  const item = decided.get(uid)
  if (item) return item
  switch (refused.get(uid)) {
    case 'rights':
      throw forbidden('You have no right to decide this unsorted item')
    case 'status':
      throw otherStage()
    default:
      throw notFound()
  }
}

const otherStage = () =>
  invalidValue(
    'NotSupportedChoice',
    'status_id',
    'The pipeline of the item has no such status for accepted leads.',
  )

function decidedAnswer(base: string, item: DecidedItem, types: PartType[]): Answer {
  const { uid, pipeline_id, category, created_at } = item
  return halAnswer({
    uid,
    pipeline_id,
    category,
    created_at,
    _embedded: embedded(base, item, types),
  })
}
