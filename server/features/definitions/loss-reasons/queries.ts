import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { selfLink } from '../../../http/self-link.ts'
import type { Actor } from '../../../access/actor.ts'
import type { LossReason, ManagedLossReason } from './schema.ts'

/** What can be written of a reason. */
export type LossReasonRow = Pick<LossReason, 'name' | 'sort'> &
  Pick<ManagedLossReason, 'color' | 'icon_id'>

/** A reason as the undo of its merge brings it back. */
export type LossReasonTaken = LossReasonRow & Pick<LossReason, 'id' | 'created_at' | 'updated_at'>

/** The public columns of a row named `reason`. */
const shape = (base: string) => sql`
  reason.id, reason.name, reason.sort, reason.created_at, reason.updated_at,
  ${selfLink(sql`${`${base}/api/v4/leads/loss_reasons/`}::text || reason.id`)} as _links`

/** The reasons of the account by `sort`, all or those with these ids. */
export const lossReasonList = (actor: Actor, base: string, ids?: number[]) => sql`
  select ${shape(base)} from loss_reasons reason
   where reason.account_id = ${actor.accountId} ${ids ? sql`and reason.id = any(${ids}::bigint[])` : empty}
   order by reason.sort, reason.id`

export const lossReasonSummaries = ({ accountId }: Actor) => sql`
  select id, name, sort, color, icon_id from loss_reasons where account_id = ${accountId} order by sort, id`

/**
 * The reasons by `sort`, all or those with these ids, as they are managed. The leads of each are
 * counted up to one more than `most`; those in the bin do not count.
 */
export const managedLossReasonList = (actor: Actor, most: number, ids?: number[]) => sql`
  select reason.id, reason.name, reason.color, reason.icon_id,
         (select count(*) from (select from leads
                   where leads.account_id = ${actor.accountId} and leads.loss_reason_id = reason.id and not leads.is_deleted
                   limit ${most + 1}::int) counted) as used
    from loss_reasons reason
   where reason.account_id = ${actor.accountId} ${ids ? sql`and reason.id = any(${ids}::bigint[])` : empty}
   order by reason.sort, reason.id`

export const lossReasonOrder = ({ accountId }: Actor) => sql`
  select id from loss_reasons where account_id = ${accountId} order by sort, id`

/** Gives the reasons the order of their ids in the list. */
export const sortLossReasons = (actor: Actor, ids: number[]) => sql`
  update loss_reasons reason set sort = placed.place, updated_at = greatest(${actor.at}::bigint, reason.created_at)
    from unnest(${ids}::bigint[]) with ordinality placed (id, place)
   where reason.account_id = ${actor.accountId} and reason.id = placed.id and reason.sort <> placed.place`

export const countLossReasons = (actor: Actor) => sql`
  select count(*) as total, coalesce(max(sort), 0) as last from loss_reasons where account_id = ${actor.accountId}`

/** Answers the ids in the order of the rows. */
export const insertLossReasons = (actor: Actor, rows: Partial<LossReasonRow>[]) => sql`
  insert into loss_reasons (account_id, name, sort, color, icon_id, created_at, updated_at)
  select ${actor.accountId}::bigint, name, sort, color, icon_id, ${actor.at}::bigint, ${actor.at}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::json) as draft(name text, sort int, color text, icon_id bigint)
  returning id`

export const lockLossReason = (actor: Actor, id: number) => sql`
  select name, sort, color, icon_id from loss_reasons where account_id = ${actor.accountId} and id = ${id} for no key update`

export const updateLossReason = (
  actor: Actor,
  id: number,
  { name, sort, color, icon_id }: LossReasonRow,
) => sql`
  update loss_reasons set name = ${name}, sort = ${sort}, color = ${color}, icon_id = ${icon_id}, updated_at = greatest(${actor.at}::bigint, created_at)
   where account_id = ${actor.accountId} and id = ${id}`

/** Locks a reason that goes: whoever gives it to a lead has ended, or waits. */
export const lockLeavingReason = (actor: Actor, id: number) => sql`
  select name from loss_reasons where account_id = ${actor.accountId} and id = ${id} for update`

/** All of a reason, as `insertTakenReason` takes it. */
export const takeReason = (actor: Actor, id: number) => sql`
  delete from loss_reasons where account_id = ${actor.accountId} and id = ${id}
  returning id, name, sort, color, icon_id, created_at, updated_at`

/** One that is there stays as it is. */
export const insertTakenReason = (actor: Actor, reason: LossReasonTaken) => sql`
  insert into loss_reasons (account_id, id, name, sort, color, icon_id, created_at, updated_at)
  values (${actor.accountId}, ${reason.id}, ${reason.name}, ${reason.sort}, ${reason.color}, ${reason.icon_id},
          ${reason.created_at}, ${reason.updated_at})
      on conflict (account_id, id) do nothing`

/** Answers a row if one was deleted. */
export const removeLossReason = (actor: Actor, id: number) => sql`
  delete from loss_reasons where account_id = ${actor.accountId} and id = ${id} returning id`

/** Locks reasons, so that none of them is deleted before this transaction ends. */
export const keepLossReasons = (actor: Actor, ids: number[]) => sql`
  select id from loss_reasons where account_id = ${actor.accountId} and id = any(${ids}::bigint[]) order by id for key share`

/** The existing ones of these reasons. */
export const existingLossReasons = (actor: Actor, ids: number[]) => sql`
  select id from loss_reasons where account_id = ${actor.accountId} and id = any(${ids}::bigint[])`

/**
 * The reason of a row of leads named `record`; null for a deleted one, although the column still
 * holds its id. A page of 250 lost leads takes 1.8 ms with it and 1.6 ms without, or 2.6 ms with
 * the list below and 250 different reasons (2 cores, PostgreSQL 18).
 */
export const reasonOfRecord: Sql = sql`
  case when record.loss_reason_id is not null
       then (select reason.id from loss_reasons reason
              where reason.account_id = record.account_id and reason.id = record.loss_reason_id) end`

/** The reason of a row of leads named `record` as a JSON list of one or no element. */
export const reasonsOfRecord = (base: string): Sql => sql`
  '[' || coalesce((select row_to_json(shown)::text
                     from loss_reasons reason, lateral (select ${shape(base)}) shown
                    where reason.account_id = record.account_id and reason.id = record.loss_reason_id), '') || ']'`
