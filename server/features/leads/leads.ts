// The verbs of leads. A change is worked out here, from the locked row and what was sent, by pure functions; the database is asked
// for what they need before, once per batch, and told the outcome after, once per batch.
import { recordAdded, recordChanged } from '../../changes/record.ts'
import type { Change } from '../../changes/record.ts'
import type { Tx } from '../../database/connect.ts'
import { forbidUnless } from '../../entities/rights.ts'
import type { Actor } from '../../http/access.ts'
import type { Batch, Item } from '../../http/batch.ts'
import { forbidden, notFound } from '../../http/problem.ts'
import { stagesAround } from '../pipelines/pipelines.ts'
import { tagIds, tagNames, tagsOfBatch } from '../tags/tags.ts'
import { groupsOfActiveUsers } from '../users/users.ts'
import { changeLead, draftLead, leadNews, movedFields } from './change.ts'
import { insertLeads, lockLeads, updateLeads } from './queries.ts'
import type { LeadChange, LeadRow, NewLead } from './schema.ts'

export interface Created {
  id: number
  request_id: string
}

export interface Changed extends Created {
  updated_at: number
}

/** Creates leads; answers in the order of the question. One bad item refuses the batch, and every bad item is listed. */
export async function createLeads(tx: Tx, actor: Actor, { items, faults }: Batch<NewLead>): Promise<Created[]> {
  forbidUnless(actor, 'leads', 'add')
  const context = await contextOf(tx, actor, { items, faults })
  const rows = items.map((item) => draftLead(actor, context, item))
  faults.throwIfAny()
  const ids = (await tx.rows<{ id: number }>(insertLeads(actor, rows))).map(({ id }) => id)
  await recordAdded(tx, actor, 'leads', ids)
  return items.map(({ request_id }, place) => ({ id: ids[place]!, request_id }))
}

/**
 * Changes leads; answers in the order of the question. Two items for one lead count one after the other and are told as one change.
 * An unknown id is a fault of its item, or a 404 problem; a lead that the actor may not edit: 403.
 */
export async function changeLeads(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<LeadChange>,
  missing: 'fault' | 'notFound' = 'fault',
): Promise<Changed[]> {
  forbidUnless(actor, 'leads', 'edit')
  const context = await contextOf(tx, actor, { items, faults }, () => lockLeadsOf(tx, actor, items))
  const { before, tags, held } = context
  const after = new Map(before)
  for (const item of items) {
    const row = after.get(item.value.id)
    if (!row && missing === 'notFound') throw notFound()
    if (!row) faults.add(item, { code: 'EntityNotFound', path: 'id', detail: `There is no lead ${item.value.id}.` })
    else after.set(row.id, changeLead(actor, context, item, row))
  }
  faults.throwIfAny()

  const moved = [...after.values()].filter((row) => movedFields(before.get(row.id)!, row).length > 0)
  if (moved.length > 0) {
    await tx.rows(updateLeads(actor, moved))
    const news = moved.map((row): Change => leadNews(before.get(row.id)!, row, (id) => held.get(id) ?? tags.name(id)))
    await recordChanged(tx, actor, 'leads', news)
  }
  return items.map(({ value: { id }, request_id }) => ({ id, request_id, updated_at: after.get(id)!.updated_at }))
}

async function lockLeadsOf(tx: Tx, actor: Actor, items: Item<LeadChange>[]): Promise<Map<number, LeadRow>> {
  const ids = [...new Set(items.map(({ value }) => value.id))]
  const rows = await tx.rows<LeadRow & { allowed: boolean }>(lockLeads(actor, ids))
  const closed = rows.find(({ allowed }) => !allowed)
  if (closed) throw forbidden(`You have no right to edit lead ${closed.id}`)
  return new Map(rows.map(({ allowed: _, ...row }) => [row.id, row]))
}

/**
 * What working out a batch needs to know: its tags (found or made, before anything is locked), the locked leads, the names of the tags
 * they hold, the tags they are to lose, the users' groups and the stages.
 */
async function contextOf(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewLead | LeadChange>,
  lock: () => Promise<Map<number, LeadRow>> = () => Promise.resolve(new Map()),
) {
  const values = items.map(({ value }) => value as LeadChange)
  const named = items.flatMap((item) => {
    const { _embedded, tags_to_add } = item.value as LeadChange
    return [
      { item, path: '_embedded.tags', references: _embedded?.tags ?? [] },
      { item, path: 'tags_to_add', references: tags_to_add ?? [] },
    ]
  })
  const tags = await tagsOfBatch(tx, actor, 'leads', named, faults)
  const before = await lock()
  const touchesTags = values.some(
    ({ _embedded, tags_to_add, tags_to_delete }: LeadChange) => _embedded?.tags !== undefined || tags_to_add || tags_to_delete,
  )
  const held = touchesTags
    ? await tagNames(
        tx,
        actor,
        'leads',
        [...before.values()].flatMap(({ tag_ids }) => tag_ids),
      )
    : new Map<number, string>()
  const deleted = await tagIds(
    tx,
    actor,
    'leads',
    values.flatMap(({ tags_to_delete }) => tags_to_delete?.flatMap(({ name }) => name ?? []) ?? []),
  )
  const users = values.flatMap(({ responsible_user_id, created_by, updated_by }) => [
    responsible_user_id,
    created_by,
    updated_by,
  ])
  const stages = await stagesAround(
    tx,
    actor,
    [...values.flatMap(({ pipeline_id }) => pipeline_id ?? []), ...[...before.values()].map(({ pipeline_id }) => pipeline_id)],
    values.flatMap(({ status_id }) => status_id ?? []),
  )
  const groups = await groupsOfActiveUsers(tx, actor, [...new Set([actor.userId, ...users.flatMap((id) => id ?? [])])])
  return { tags, held, deleted, before, stages, groups, faults }
}

export type Context = Awaited<ReturnType<typeof contextOf>>
