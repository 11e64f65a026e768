import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../../../access/actor.ts'
import type { PagePosition } from '../../../../http/paging.ts'
import { selfLink } from '../../../../http/self-link.ts'
import { mayOnChat } from '../queries.ts'
import type { ChatWay } from '../viewed.ts'
import type { TalkFilter } from './schema.ts'

/** The right to a talk is that to its chat; the row of the talk is named `talk`. */
const mayViewTalk = (actor: Actor): Sql =>
  actor.isAdmin
    ? sql`true`
    : sql`(select ${mayOnChat(actor, 'view')} from chats chat
            where chat.account_id = ${actor.accountId} and chat.id = talk.chat_id)`

/** A page of talks in the order of their ids. Talks are found before they are rendered. */
export const talkPage = (
  actor: Actor,
  base: string,
  filter: TalkFilter,
  seek: PagePosition,
  way: ChatWay,
): Sql => sql`
  select row_to_json(shown)::text as json, talk.id as key, talk.id
    from (${matchingTalks(actor, filter, seek, way)}) talk, lateral (select ${shape(actor, base)}) shown`

function matchingTalks(
  actor: Actor,
  filter: TalkFilter,
  { after, offset, limit }: PagePosition,
  way: ChatWay,
): Sql {
  const rows = sql`
    select talk.* from talks talk
     where talk.account_id = ${actor.accountId} ${filter.only_in_work ? sql`and talk.closed_at is null` : empty}`
  const further = after ? sql`and talk.id > ${after.id}` : empty
  const ordered = sql`order by talk.id`
  const cut = sql`limit ${limit} offset ${offset}`
  const may = mayViewTalk(actor)
  const named = namedTalks(filter)
  if (named)
    return sql`
      select talk.* from unnest(${named.ids}::bigint[]) named (id)
       cross join lateral (${rows} and ${named.isOf} ${andOthers(filter)} offset 0) talk
       where ${may} ${further} ${ordered} ${cut}`
  switch (way.kind) {
    case 'walk':
      return sql`${rows} and ${may} ${further} ${ordered} ${cut}`
    case 'window':
      return sql`select talk.* from (${rows} ${further} ${ordered} limit ${way.rows}) talk where ${may} ${ordered} ${cut}`
    case 'beyond':
      return sql`select talk.* from (${rows} ${further} ${ordered} limit 1 offset ${way.rows}) talk`
    case 'lookUp':
      return sql`
        select talk.* from (select distinct found.id from (${way.ids}) found) found
         cross join lateral (${rows} and talk.chat_id = found.id offset 0) talk
         where ${may} ${further} ${ordered} ${cut}`
  }
}

/** The filter that finds talks by an index, each of its values for itself; undefined for none. */
export function namedTalks(filter: TalkFilter): { ids: number[]; isOf: Sql } | undefined {
  const { talk_id, contact_id, entity_id } = filter
  const once = (ids: number[]) => [...new Set(ids)]
  if (talk_id) return { ids: once(talk_id), isOf: sql`talk.id = named.id` }
  if (contact_id) return { ids: once(contact_id), isOf: sql`talk.contact_id = named.id` }
  if (entity_id)
    return {
      ids: once(entity_id),
      isOf: sql`talk.entity_type = ${pluralOf(filter)} and talk.entity_id = named.id`,
    }
  return undefined
}

/** The filters of a row besides the one that finds it; asking that one again costs nothing. */
function andOthers(filter: TalkFilter): Sql {
  const { contact_id, entity_id } = filter
  return sql`${contact_id ? sql`and talk.contact_id = any(${contact_id}::bigint[])` : empty}
             ${entity_id ? sql`and talk.entity_type = ${pluralOf(filter)} and talk.entity_id = any(${entity_id}::bigint[])` : empty}`
}

const pluralOf = ({ entity_type }: TalkFilter) =>
  entity_type?.startsWith('customer') ? 'customers' : 'leads'

/** One talk; its text is null where the actor may not view its chat. */
export const shownTalk = (actor: Actor, base: string, id: number): Sql => sql`
  select case when ${mayViewTalk(actor)} then row_to_json(shown)::text end as json
    from talks talk, lateral (select ${shape(actor, base)}) shown
   where talk.account_id = ${actor.accountId} and talk.id = ${id}`

/** The members of a row named `talk`. */
function shape({ accountId }: Actor, base: string): Sql {
  const listed = (type: string, id: Sql) => sql`
    (select coalesce(json_agg(linked), '[]') from (
      select ${id} as id, ${selfLink(sql`${`${base}/api/v4/${type}/`}::text || ${id}`)} as _links where ${id} is not null) linked)`
  const entity = (type: string) =>
    sql`(case when talk.entity_type = ${type} then talk.entity_id end)`
  return sql`
    talk.id as talk_id, talk.created_at, talk.updated_at, talk.rate, talk.contact_id, chat.uid as chat_id, talk.entity_id,
    case talk.entity_type when 'leads' then 'lead' when 'customers' then 'customer' end as entity_type,
    talk.closed_at is null as is_in_work, talk.is_read, chat.code as origin, talk.missed_at,
    case when talk.closed_at is null then 'in_work' else 'closed' end as status, chat.source_id, talk.account_id,
    ${selfLink(sql`${`${base}/api/v4/talks/`}::text || talk.id`)} as _links,
    (select row_to_json(embedded) from (
      select ${listed('contacts', sql`talk.contact_id`)} as contacts, ${listed('leads', entity('leads'))} as leads,
             ${listed('customers', entity('customers'))} as customers) embedded) as _embedded
    from (select chat.uid, chat.source_id, (select code from channels where id = chat.channel_id) as code
            from chats chat where chat.account_id = ${accountId} and chat.id = talk.chat_id offset 0) chat`
}

/** Ends the open talk of a locked chat. */
export const updateTalkClosed = ({ accountId, at }: Actor, id: number): Sql => sql`
  update talks set closed_at = ${at}, is_read = true, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id}`

/** A chat without an open talk has nothing unread. */
export const updateChatClosed = ({ accountId, at }: Actor, id: number): Sql => sql`
  update chats set talk_id = null, unread = 0, waiting_since = null, updated_at = greatest(${at}::bigint, created_at)
   where account_id = ${accountId} and id = ${id}`
