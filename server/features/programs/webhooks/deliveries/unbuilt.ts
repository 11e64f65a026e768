// Changes whose notices could not be built. The follower has set them aside and gone on; a later
// version of Kontor, or a mended record, may build them.
//
// Order: a replay handles the changes of the account from the oldest on, and its deliveries go out as
// new ones, so a receiver hears of them after later changes that it has heard of already. Fields are
// those of the change; names, tags and links are those of the moment of the replay.
//
// Identity: the deliveries were never made before, so they get ids now. The transaction that writes
// them removes the change from those set aside: each change is delivered once, however many replay.
// Subscriptions hear of it that want its event now and were made before the change, so one that was
// removed and made anew does not. Where none is left that wants it, the change is only removed.
import sql, { empty } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import { lockAccount } from '../../../../access/account.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { Entities } from '../../../../changes/entity.ts'
import type { JournalRow } from '../../../../changes/position.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { accountAddress } from '../../../../http/addresses.ts'
import type { PagePosition } from '../../../../http/paging.ts'
import type { Kontor } from '../../../../kontor.ts'
import { planDeliveries, writeDeliveries } from './follower.ts'
import { accountsNamed, subscriptionsOf } from './queries.ts'
import type { NamedAccount, Subscription } from './queries.ts'
import { deliveriesChannel } from './engine.ts'

type Owner = Pick<Actor, 'accountId'>

/** Changes per transaction. */
const chunk = 500

export interface UnbuiltReplay {
  /** Changes that are set aside no more. */
  replayed: number
  /** The deliveries that they became. */
  deliveries: number
  /** Changes whose notices still cannot be built. */
  left: number
}

/** A change that is set aside, as its list shows it, but for its links. Times are Unix seconds. */
export interface ListedUnbuilt {
  /** Of the journal row. */
  id: number
  entity_type: string
  entity_id: number
  actions: string[]
  error: string
  changed_at: number
  created_at: number
}

/** A page of the changes of the account that are set aside, the newest first. */
export function listUnbuilt(
  reader: Reader,
  actor: Owner,
  page: PagePosition,
): Promise<ListedUnbuilt[]> {
  return reader.list<ListedUnbuilt>(unbuiltPage(actor, page))
}

/** Builds the notices of all changes of the account that are set aside once more, and sends them. */
export async function replayUnbuilt(
  { database, signals, url }: Pick<Kontor, 'database' | 'signals' | 'url'>,
  entities: Entities,
  actor: Actor,
): Promise<UnbuiltReplay> {
  const sum: UnbuiltReplay = { replayed: 0, deliveries: 0, left: 0 }
  let after = 0
  for (;;) {
    const step = await database.transaction(async (tx) => {
      const done = await replayChunk(tx, { url }, entities, actor, after)
      if (done.deliveries > 0) tx.afterCommit(() => signals.notify(deliveriesChannel))
      return done
    })
    sum.replayed += step.changes.length - step.left
    sum.deliveries += step.deliveries
    sum.left += step.left
    if (step.changes.length < chunk) return sum
    after = step.changes.at(-1)!.id
  }
}

/** The lock of the account lets one replay at a time handle a change. */
async function replayChunk(
  tx: Tx,
  kontor: Pick<Kontor, 'url'>,
  entities: Entities,
  actor: Actor,
  after: number,
): Promise<{ changes: JournalRow[]; deliveries: number; left: number }> {
  await tx.rows(lockAccount(actor))
  const found = await tx.rows<{ change: JournalRow }>(nextUnbuilt(actor, after, chunk))
  const changes = found.map(({ change }) => change)
  if (changes.length === 0) return { changes, deliveries: 0, left: 0 }
  const account = (await tx.row<NamedAccount>(accountsNamed([actor.accountId])))!
  const subscriptions = await tx.rows<Subscription>(subscriptionsOf([actor.accountId]))
  const { planned, unbuilt } = await planDeliveries(
    tx,
    entities,
    { ...account, url: accountAddress(kontor, account) },
    subscriptions,
    changes,
  )
  const left = new Set(unbuilt.map(({ change }) => change.id))
  const built = changes.map(({ id }) => id).filter((id) => !left.has(id))
  if (built.length > 0) await tx.rows(dropBuilt(actor, built))
  if (unbuilt.length > 0) {
    const errors = unbuilt.map(({ change, error }) => ({ journal_id: change.id, error }))
    await tx.rows(updateErrors(actor, errors))
  }
  await writeDeliveries(tx, planned, actor.at * 1000)
  return { changes, deliveries: planned.length, left: left.size }
}

export const unbuiltPage = (
  { accountId }: Owner,
  { after, offset, limit }: PagePosition,
): Sql => sql`
  select journal_id as id, change ->> 'entity_type' as entity_type, (change ->> 'entity_id')::bigint as entity_id,
         change -> 'actions' as actions, error, (change ->> 'created_at')::bigint as changed_at, created_at / 1000 as created_at
    from unbuilt_notices
   where account_id = ${accountId} ${after ? sql`and journal_id < ${after.id}` : empty}
   order by journal_id desc limit ${limit} offset ${offset}`

export const nextUnbuilt = ({ accountId }: Owner, after: number, most: number): Sql => sql`
  select change from unbuilt_notices
   where account_id = ${accountId} and journal_id > ${after} order by journal_id limit ${most}`

const dropBuilt = ({ accountId }: Owner, ids: number[]) => sql`
  delete from unbuilt_notices where account_id = ${accountId} and journal_id = any(${ids}::bigint[])`

const updateErrors = ({ accountId }: Owner, errors: { journal_id: number; error: string }[]) => sql`
  update unbuilt_notices notice set error = given.error
    from json_to_recordset(${JSON.stringify(errors)}::json) as given(journal_id bigint, error text)
   where notice.account_id = ${accountId} and notice.journal_id = given.journal_id`
