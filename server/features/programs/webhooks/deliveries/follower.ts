// Turns journal rows into deliveries: for each subscription that wants a change, a row with the body
// to send. The rows are written in the transaction that moves the position of the follower, so each
// change becomes its deliveries exactly once. sender.ts sends them.
import type { Logger } from 'pino'
import sql from 'sql-template-tag'
import type { Follower } from '../../../../changes/follow.ts'
import type { JournalRow } from '../../../../changes/position.ts'
import { accountAddress } from '../../../../http/addresses.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import type { Entities } from '../../../../changes/entity.ts'
import { eventNameOf } from '../event-names.ts'
import { bodyOf, buildNotices, shareBodies } from '../notices.ts'
import type { Notice } from '../notices.ts'
import { lockSubscriptions, insertDeliveries, keepUnbuilt, subscriptionsOf } from './queries.ts'
import type {
  DueDelivery,
  NamedAccount,
  NewDelivery,
  Subscription,
  WrittenDelivery,
} from './queries.ts'

interface Circumstances {
  entities: Entities
  /** The public address of the server. */
  url(): string
  /** Milliseconds since 1970. */
  nowMs(): number
  log: Pick<Logger, 'error'>
  /** Counts changes that were set aside, after the commit. */
  countUnbuilt(count: number): void
  /** Called when this process begins to follow: another one may have written deliveries before. */
  begin(): void
  /** Called once deliveries are committed, with those due at once, in the order of their ids. */
  written(deliveries: DueDelivery[]): void
}

export function deliveryFollower(circumstances: Circumstances): Follower {
  const { entities, url, nowMs, log, countUnbuilt } = circumstances
  return {
    name: 'webhooks',
    begin: circumstances.begin,
    concerns: sql`exists (select from webhooks where webhooks.account_id = news.account_id)`,
    async handle(tx, changes) {
      const accountIds = [...new Set(changes.map(({ account_id }) => account_id))]
      const subscriptions = await tx.rows<Subscription>(subscriptionsOf(accountIds))
      const written: Planned[] = []
      for (const its of Map.groupBy(subscriptions, ({ account_id }) => account_id).values()) {
        const { account } = its[0]!
        const ofAccount = changes.filter(({ account_id }) => account_id === account.id)
        const named = { ...account, url: accountAddress({ url: url() }, account) }
        const { planned, unbuilt } = await planDeliveries(tx, entities, named, its, ofAccount)
        await setAside(tx, unbuilt)
        written.push(...planned)
      }
      const deliveries = await writeDeliveries(tx, written, nowMs())
      if (written.length > 0) tx.afterCommit(() => circumstances.written(deliveries))
    },
  }

  /** A change whose notices cannot be built is kept for later; the follower goes on. */
  async function setAside(tx: Tx, unbuilt: Unbuilt[]): Promise<void> {
    if (unbuilt.length === 0) return
    for (const { change, error } of unbuilt)
      log.error({ journal: change.id, account: change.account_id, error }, 'a notice was not built')
    await tx.rows(keepUnbuilt(unbuilt, nowMs()))
    tx.afterCommit(() => countUnbuilt(unbuilt.length))
  }
}

/** A change whose notices cannot be built, and why. */
export interface Unbuilt {
  change: JournalRow
  error: string
}

/**
 * The deliveries that changes of one account become, in the order of the changes, for those of its
 * subscriptions that want them; and the changes whose notices cannot be built.
 */
export async function planDeliveries(
  reader: Reader,
  entities: Entities,
  account: NamedAccount & { url: string },
  subscriptions: Subscription[],
  changes: JournalRow[],
): Promise<{ planned: Planned[]; unbuilt: Unbuilt[] }> {
  const wanted = changes.filter(
    (change) => isWanted(change, subscriptions) && isCovered(entities, change),
  )
  if (wanted.length === 0) return { planned: [], unbuilt: [] }
  const built = await buildNotices(reader, entities, account, wanted)
  const unbuilt = wanted.flatMap((change, index) => {
    const error = built[index]
    return error instanceof Error ? [{ change, error: String(error) }] : []
  })
  const notices = built.flatMap((each) => (each instanceof Error ? [] : each))
  return { planned: deliveriesOf(account, subscriptions, notices), unbuilt }
}

/**
 * Writes deliveries, and their bodies once each; answers those that are due at once, in the order of
 * their ids.
 */
export async function writeDeliveries(
  tx: Tx,
  planned: Planned[],
  nowMs: number,
): Promise<DueDelivery[]> {
  if (planned.length === 0) return []
  await queueOrSend(tx, planned)
  const texts = [...new Map(planned.map((each) => [each.body, each.account_id])).entries()]
  const bodies = texts.map(([{ format, text }, account_id]) => ({ account_id, format, body: text }))
  const indexOf = new Map(texts.map(([body], index) => [body, index]))
  const rows = planned.map((each) => ({ ...each, body: indexOf.get(each.body)! }))
  const written = await tx.rows<WrittenDelivery>(insertDeliveries(bodies, rows, nowMs))
  return written.map(({ place: index, id }) => dueDelivery(id, planned[index]!))
}

/**
 * A subscription may be enabled after it was read here. A delivery is held only if its subscription is
 * still off, and then none enables it before the delivery is committed.
 */
async function queueOrSend(tx: Tx, planned: Planned[]): Promise<void> {
  const queued = planned.filter(({ is_held }) => is_held)
  if (queued.length === 0) return
  const named = queued.map(({ account_id, webhook_id: id }) => ({ account_id, id }))
  const now = await tx.rows<Pick<Subscription, 'account_id' | 'id' | 'is_disabled'>>(
    lockSubscriptions(named),
  )
  const enabled = new Set(
    now.flatMap(({ account_id, id, is_disabled }) => (is_disabled ? [] : [`${account_id} ${id}`])),
  )
  for (const each of queued) each.is_held = !enabled.has(`${each.account_id} ${each.webhook_id}`)
}

const dueDelivery = (id: number, { body, is_held: _, ...planned }: Planned): DueDelivery => ({
  ...planned,
  id,
  attempts: 0,
  replayed_after: null,
  format: body.format,
  body: body.text,
})

/** A body, which several deliveries may share. */
interface Body {
  format: 'form' | 'json'
  text: string
}

type Planned = Omit<NewDelivery, 'body'> & { body: Body }

const isAfter = ({ after_journal_id }: Subscription, id: number) => id > after_journal_id

function hears({ settings }: Subscription, entityType: string, action: string): boolean {
  const event = eventNameOf(entityType, action)
  return event !== undefined && settings.includes(event)
}

const isWanted = (change: JournalRow, subscriptions: Subscription[]): boolean =>
  subscriptions.some(
    (each) =>
      isAfter(each, change.id) &&
      change.actions.some((action) => hears(each, change.entity_type, action)),
  )

const isCovered = (entities: Entities, { entity_type, after }: JournalRow): boolean =>
  entities.get(entity_type)?.news.isNotified?.(after ?? {}) ?? true

/** The deliveries of notices, in the order of the changes: for each group, by subscription. */
function deliveriesOf(
  account: NamedAccount & { url: string },
  subscriptions: Subscription[],
  notices: Notice[],
): Planned[] {
  return shareBodies(notices).flatMap((group) => {
    const bodies = new Map<string, Body>()
    const { entityType, action } = group[0]!
    return subscriptions.flatMap((subscription): Planned[] => {
      const { format, deletion_form } = subscription
      if (!hears(subscription, entityType, action)) return []
      const heard = group.filter(({ journalId }) => isAfter(subscription, journalId))
      if (heard.length === 0) return []
      const form = `${format} ${deletion_form} ${heard[0]!.journalId}`
      const body = bodies.get(form) ?? {
        format,
        text: bodyOf(account, heard, { format, deletionForm: deletion_form }),
      }
      bodies.set(form, body)
      return [
        {
          account_id: account.id,
          webhook_id: subscription.id,
          body,
          event: eventNameOf(entityType, action)!,
          records: [...new Set(heard.map(recordOf))],
          is_held: subscription.is_disabled,
        },
      ]
    })
  })
}

const recordOf = ({ entityType, entityId }: Notice) => `${entityType} ${entityId}`
