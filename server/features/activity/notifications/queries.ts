import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import type { PagePosition } from '../../../http/paging.ts'
import type { MentionValues, NotificationKind, ReadNotifications, WebhookValues } from './schema.ts'

export interface NewNotification {
  account_id: number
  /** 0: every administrator. */
  user_id: number
  kind: Exclude<NotificationKind, 'mention'>
  values: WebhookValues
}

/** The row of a notification. */
export type NotificationRow = {
  id: number
  is_read: boolean
  created_at: number
} & (Pick<NewNotification, 'kind' | 'values'> | { kind: 'mention'; values: MentionValues })

export interface NewMention {
  user_id: number
  values: Omit<MentionValues, 'by_name'> & { text: string }
}

/**
 * Adds the mentions that their users were not told before. PostgreSQL itself wakes the browsers after the
 * commit: mentions are rare, and verbs of notes know no signals.
 */
export const insertMentions = (
  { accountId, at }: Actor,
  channel: string,
  drafts: NewMention[],
): Sql => sql`
  with added as (
    insert into notifications (account_id, user_id, kind, values, created_at)
    select ${accountId}::bigint, user_id, 'mention', (values || jsonb_build_object('by_name', (
             select name from users where account_id = ${accountId} and id = (values ->> 'by')::bigint)))::json, ${at}::bigint
      from json_to_recordset(${JSON.stringify(drafts)}::json) as draft(user_id bigint, values jsonb)
        on conflict (account_id, user_id, (values ->> 'about')) where kind = 'mention' do nothing
    returning user_id
  )
  select pg_notify(${channel}, ${accountId}::text || ' ' || user_id) from (select distinct user_id from added) added`

export const insertNotifications = (drafts: NewNotification[], at: number): Sql => sql`
  insert into notifications (account_id, user_id, kind, values, created_at)
  select account_id, user_id, kind, values, ${at}::bigint
    from json_to_recordset(${JSON.stringify(drafts)}::json) as draft(account_id bigint, user_id bigint, kind text, values json)`

/** The notifications that the actor sees: the own ones, and an administrator those of all administrators. */
const seen = ({ accountId, userId, isAdmin }: Actor) => sql`
  notification.account_id = ${accountId} and notification.user_id = any(${isAdmin ? [0, userId] : [userId]}::bigint[])`

const isRead = ({ accountId, userId }: Actor) => sql`
  exists (select from notification_reads its
           where its.account_id = ${accountId} and its.user_id = ${userId} and its.notification_id = notification.id)`

/** A page of the actor's notifications, the newest first. */
export const notificationPage = (
  actor: Actor,
  read: boolean[] | undefined,
  { after, offset, limit }: PagePosition,
): Sql => sql`
  select id, kind, values, ${isRead(actor)} as is_read, created_at
    from notifications notification
   where ${seen(actor)} ${after ? sql`and id < ${after.id}` : empty}
     ${read ? sql`and ${isRead(actor)} = any(${read}::boolean[])` : empty}
   order by id desc limit ${limit} offset ${offset}`

/** The unread ones, `most` at most. */
export const countUnread = (actor: Actor, most: number): Sql => sql`
  select count(*)::int as unread
    from (select from notifications notification where ${seen(actor)} and not ${isRead(actor)} limit ${most}) unread`

export const insertReads = (
  actor: Actor,
  { ids = [], up_to = 0, all }: ReadNotifications,
): Sql => sql`
  insert into notification_reads (account_id, notification_id, user_id)
  select account_id, id, ${actor.userId}::bigint from notifications notification
   where ${seen(actor)} and (${all === true}::boolean or id = any(${ids}::bigint[]) or id <= ${up_to}) and not ${isRead(actor)}
      on conflict do nothing
  returning notification_id as id`

export const dropNotifications = (before: number, most: number): Sql => sql`
  with dropped as (
    delete from notifications where (account_id, id) in (select account_id, id from notifications where created_at < ${before}::bigint limit ${most})
    returning account_id, id
  ), reads as (
    delete from notification_reads its using dropped where its.account_id = dropped.account_id and its.notification_id = dropped.id
  )
  select count(*) as dropped from dropped`
