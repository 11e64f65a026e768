// Turns journal rows into deliveries: for each subscription that wants a change, a row with the body
// to send. The rows are written in the transaction that moves the position of the follower, so each
// change becomes its deliveries exactly once. sender.ts sends them.
import type { Logger } from 'pino'
import type { Follower } from '../../../changes/follow.ts'
import type { JournalRow } from '../../../changes/position.ts'
import type { Tx } from '../../../database/connect.ts'
import { causesOf } from '../event-names.ts'
import { bodyOf, buildNotices } from '../notices.ts'
import type { Notice } from '../notices.ts'
import {
  accountsNamed,
  drawBodyIds,
  insertDeliveries,
  keepUnbuilt,
  subscriptionsOf,
} from './queries.ts'
import type { NamedAccount, NewDelivery, Subscription } from './queries.ts'

/** The most items of one body. */
const mostItems = 250

interface Circumstances {
  /** The public address of the server. */
  url(): string
  /** Milliseconds since 1970. */
  nowMs(): number
  log: Pick<Logger, 'error'>
  /** Called in the transaction, after deliveries were written. */
  wake(tx: Tx): void
}

export function deliveryFollower({ url, nowMs, log, wake }: Circumstances): Follower {
  return {
    name: 'webhooks',
    async handle(tx, changes) {
      const accountIds = [...new Set(changes.map(({ account_id }) => account_id))]
      const subscriptions = await tx.rows<Subscription>(subscriptionsOf(accountIds))
      if (subscriptions.length === 0) return
      const accounts = await tx.rows<NamedAccount>(accountsNamed(accountIds))
      const written: Planned[] = []
      for (const account of accounts) {
        const its = subscriptions.filter(({ account_id }) => account_id === account.id)
        const wanted = changes.filter(
          (change) => change.account_id === account.id && isWanted(change, its),
        )
        if (wanted.length === 0) continue
        const built = await buildNotices(tx, { ...account, url: url() }, wanted)
        await setAside(tx, wanted, built)
        const notices = built.flatMap((each) => (each instanceof Error ? [] : each))
        written.push(...planOf({ ...account, url: url() }, its, notices))
      }
      await write(tx, written)
    },
  }

  /** A change whose notices cannot be built is kept for later; the follower goes on. */
  async function setAside(
    tx: Tx,
    changes: JournalRow[],
    built: (Notice[] | Error)[],
  ): Promise<void> {
    const unbuilt = changes.flatMap((change, place) => {
      const error = built[place]
      return error instanceof Error ? [{ change, error: String(error) }] : []
    })
    if (unbuilt.length === 0) return
    for (const { change, error } of unbuilt)
      log.error({ journal: change.id, account: change.account_id, error }, 'a notice was not built')
    await tx.rows(keepUnbuilt(unbuilt, nowMs()))
  }

  async function write(tx: Tx, planned: Planned[]): Promise<void> {
    if (planned.length === 0) return
    const texts = [...new Map(planned.map((each) => [each.body, each.account_id])).entries()]
    const ids = await tx.rows<{ id: number }>(drawBodyIds(texts.length))
    const bodies = texts.map(([body, account_id], place) => ({
      account_id,
      id: ids[place]!.id,
      body: body.text,
    }))
    const idOf = new Map(texts.map(([body], place) => [body, ids[place]!.id]))
    const deliveries = planned.map((each) => ({ ...each, body: idOf.get(each.body)! }))
    await tx.rows(insertDeliveries(bodies, deliveries, nowMs()))
    wake(tx)
  }
}

/** A body, which several deliveries may share. */
interface Body {
  text: string
}

type Planned = Omit<NewDelivery, 'body'> & { body: Body }

const isAfter = ({ after_journal_id }: Subscription, id: number) => id > after_journal_id

const isWanted = (change: JournalRow, subscriptions: Subscription[]): boolean =>
  subscriptions.some(
    (each) =>
      isAfter(each, change.id) &&
      causesOf(change.entity_type, change.actions).some((name) => each.settings.includes(name)),
  )

/** The deliveries of notices, in the order of the changes: for each group, by subscription. */
export function planOf(
  account: NamedAccount & { url: string },
  subscriptions: Subscription[],
  notices: Notice[],
): Planned[] {
  return groupsOf(notices).flatMap((group) => {
    const bodies = new Map<string, Body>()
    return subscriptions.flatMap((subscription): Planned[] => {
      const { format, deletion_form } = subscription
      const heard = group.filter(
        ({ event, journalId }) =>
          subscription.settings.includes(event) && isAfter(subscription, journalId),
      )
      if (heard.length === 0) return []
      const form = `${format} ${deletion_form} ${heard[0]!.journalId}`
      const body = bodies.get(form) ?? {
        text: bodyOf(account, heard, { format, deletionForm: deletion_form }),
      }
      bodies.set(form, body)
      return [
        {
          account_id: account.id,
          webhook_id: subscription.id,
          body,
          event: heard[0]!.event,
          records: [...new Set(heard.map(recordOf))],
          is_held: subscription.is_disabled,
        },
      ]
    })
  })
}

const recordOf = ({ entityType, entityId }: Notice) => `${entityType} ${entityId}`

/**
 * The notices that share a body: those of one request, entity type and action, a deletion alone. A
 * group stays open until one of its records is in a later group, so notices of a record keep their
 * order.
 */
export function groupsOf(notices: Notice[]): Notice[][] {
  const groups: Notice[][] = []
  const open = new Map<string, number>()
  const latest = new Map<string, number>()
  for (const notice of notices) {
    const { requestId, event, action } = notice
    const name = `${requestId} ${event}`
    const place = open.get(name)
    const record = recordOf(notice)
    const fits =
      requestId !== null &&
      action !== 'delete' &&
      place !== undefined &&
      groups[place]!.length < mostItems &&
      (latest.get(record) ?? 0) <= place
    const group = fits ? place : groups.push([]) - 1
    groups[group]!.push(notice)
    open.set(name, group)
    latest.set(record, group)
  }
  return groups
}
