import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { mayNone } from '../../../access/record-rights.ts'
import { entityTypes } from '../../../entity-types.ts'
import { accountHead, endOfDay } from '../../people/accounts/accounts.ts'
import { countUnreadChats } from '../../conversations/chats/chats.ts'
import { fieldGroupHeads, fieldHeads } from '../../definitions/custom-fields/custom-fields.ts'
import { customerStatusHeads } from '../../records/customers/customers.ts'
import { groupHeads } from '../../people/groups/groups.ts'
import { streamCursor } from '../live/live.ts'
import { lossReasonHeads } from '../../definitions/loss-reasons/loss-reasons.ts'
import { countUnread } from '../../activity/notifications/notifications.ts'
import { pipelineHeads } from '../../definitions/pipelines/pipelines.ts'
import { roleHeads } from '../../people/roles/roles.ts'
import { segmentHeads } from '../../records/segments/segments.ts'
import { sourceHeads } from '../../definitions/sources/sources.ts'
import { tagHeads } from '../../definitions/tags/tags.ts'
import { taskTypeRows } from '../../definitions/task-types/task-types.ts'
import { countDueTasks } from '../../activity/tasks/tasks.ts'
import { unsortedWaiting } from '../../records/unsorted/unsorted.ts'
import { ownHead, userHeads } from '../../people/users/users.ts'
import { viewHeads } from '../../people/views/views.ts'
import { mostOnBadge } from './schema.ts'

const first = (rows: Sql) => sql`(select row_to_json(row) from (${rows}) row)`
const all = (rows: Sql) => sql`array_to_json(array(select row_to_json(row) from (${rows}) row))`

const members = (named: Record<string, Sql>): Sql =>
  sql`json_build_object(${join(Object.entries(named).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`))})`

/** The whole shell in one statement, and so as of one moment: what changes later is news. */
export const shellHeads = (actor: Actor): Sql => sql`
  select ${members({
    me: first(ownHead(actor)),
    account: first(accountHead(actor)),
    users: all(userHeads(actor)),
    groups: all(groupHeads(actor)),
    ...(actor.isAdmin && { roles: all(roleHeads(actor)) }),
    pipelines: all(pipelineHeads(actor)),
    task_types: all(taskTypeRows(actor)),
    loss_reasons: all(lossReasonHeads(actor)),
    sources: all(sourceHeads(actor)),
    customer_statuses: all(customerStatusHeads(actor)),
    segments: all(segmentHeads(actor)),
    custom_fields: members(
      Object.fromEntries(
        entityTypes.map((type) => [
          type,
          members({
            groups: all(fieldGroupHeads(actor, type)),
            fields: all(fieldHeads(actor, type)),
          }),
        ]),
      ),
    ),
    tags: members(
      Object.fromEntries(
        entityTypes.map((type) => [
          type,
          mayNone(actor, type, 'view') ? sql`'[]'::json` : all(tagHeads(actor, type)),
        ]),
      ),
    ),
    views: all(viewHeads(actor)),
  })} as heads, ${counted(actor)}`

/** The numbers of the badges, and the cursor. */
export const shellCounters = (actor: Actor): Sql => sql`select ${counted(actor)}`

const counted = (actor: Actor) => sql`
  ${members({
    unsorted: sql`(${unsortedWaiting(actor, mostOnBadge)})`,
    chats: sql`(${countUnreadChats(actor, mostOnBadge)})`,
    tasks: first(countDueTasks(actor, endOfDay(actor), mostOnBadge)),
    notifications: sql`(${countUnread(actor, mostOnBadge)})`,
  })} as counters, ${streamCursor} as cursor`
