import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { mayNone } from '../../../access/record-rights.ts'
import { entityTypes } from '../../../entity-types.ts'
import { accountSummary, endOfDay } from '../../people/accounts/accounts.ts'
import { countUnreadChats } from '../../conversations/chats/chats.ts'
import {
  fieldGroupSummaries,
  fieldSummaries,
} from '../../definitions/custom-fields/custom-fields.ts'
import { customerStatusSummaries } from '../../records/customers/customers.ts'
import { groupSummaries } from '../../people/groups/groups.ts'
import { streamCursor } from '../live/live.ts'
import { lossReasonSummaries } from '../../definitions/loss-reasons/loss-reasons.ts'
import { countUnread } from '../../activity/notifications/notifications.ts'
import { pipelineSummaries } from '../../definitions/pipelines/pipelines.ts'
import { roleSummaries } from '../../people/roles/roles.ts'
import { segmentSummaries } from '../../records/segments/segments.ts'
import { sourceSummaries } from '../../definitions/sources/sources.ts'
import { tagSummaries } from '../../definitions/tags/tags.ts'
import { taskTypeRows } from '../../definitions/task-types/task-types.ts'
import { countDueTasks } from '../../activity/tasks/tasks.ts'
import { unsortedWaiting } from '../../records/unsorted/unsorted.ts'
import { ownSummary, userSummaries } from '../../people/users/users.ts'
import { viewSummaries } from '../../people/views/views.ts'
import { mostOnBadge } from './schema.ts'

const first = (rows: Sql) => sql`(select row_to_json(row) from (${rows}) row)`
const all = (rows: Sql) => sql`array_to_json(array(select row_to_json(row) from (${rows}) row))`

const members = (named: Record<string, Sql>): Sql =>
  sql`json_build_object(${join(Object.entries(named).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`))})`

/** The whole shell in one statement, and so as of one moment: what changes later is news. */
export const shellSummaries = (actor: Actor): Sql => sql`
  select ${members({
    me: first(ownSummary(actor)),
    account: first(accountSummary(actor)),
    users: all(userSummaries(actor)),
    groups: all(groupSummaries(actor)),
    ...(actor.isAdmin && { roles: all(roleSummaries(actor)) }),
    pipelines: all(pipelineSummaries(actor)),
    task_types: all(taskTypeRows(actor)),
    loss_reasons: all(lossReasonSummaries(actor)),
    sources: all(sourceSummaries(actor)),
    customer_statuses: all(customerStatusSummaries(actor)),
    segments: all(segmentSummaries(actor)),
    custom_fields: members(
      Object.fromEntries(
        entityTypes.map((type) => [
          type,
          members({
            groups: all(fieldGroupSummaries(actor, type)),
            fields: all(fieldSummaries(actor, type)),
          }),
        ]),
      ),
    ),
    tags: members(
      Object.fromEntries(
        entityTypes.map((type) => [
          type,
          mayNone(actor, type, 'view') ? sql`'[]'::json` : all(tagSummaries(actor, type)),
        ]),
      ),
    ),
    views: all(viewSummaries(actor)),
  })} as summaries, ${counted(actor)}`

/** The numbers of the badges, and the cursor. */
export const shellCounters = (actor: Actor): Sql => sql`select ${counted(actor)}`

const counted = (actor: Actor) => sql`
  ${members({
    unsorted: sql`(${unsortedWaiting(actor, mostOnBadge)})`,
    chats: sql`(${countUnreadChats(actor, mostOnBadge)})`,
    tasks: first(countDueTasks(actor, endOfDay(actor), mostOnBadge)),
    notifications: sql`(${countUnread(actor, mostOnBadge)})`,
  })} as counters, ${streamCursor} as cursor`
