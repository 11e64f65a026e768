// Webhooks: addresses that hear of the changes in an account. Version 4 replaces the events of an
// address, version 2 adds and takes some. Verbs lock the account, so no two add the last webhook.
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import { lastDrawn } from '../../../changes/position.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import type { Batch } from '../../../http/batch.ts'
import type { Permit } from '../../../outgoing/guarded.ts'
import { notFound, Problem } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import { lockIntegration } from '../integrations/integrations.ts'
import { destinationFault } from './destinations.ts'
import { isEventName } from './event-names.ts'
import type { EventName } from './event-names.ts'
import * as queries from './queries.ts'
import type { StoredWebhook } from './queries.ts'
import type {
  EndedSubscription,
  NewSubscription,
  NewWebhook,
  SubscriptionOutcome,
  WebhookChange,
} from './schema.ts'

export { destinationFault, longestDestination } from './destinations.ts'
export type { StoredWebhook } from './queries.ts'

/** Active webhooks of an account at most (interface: Limits). */
const mostActive = 100
/** Webhooks of an account at most, with disabled ones. */
const most = 1000

/**
 * Version 4: subscribes an address, or replaces the events of one that is subscribed, which stays
 * disabled if it is. The 101st active one: 422.
 */
export async function subscribe(
  tx: Tx,
  actor: Actor,
  { items, faults }: Batch<NewWebhook>,
  permit: Permit,
): Promise<StoredWebhook> {
  for (const item of items)
    for (const fault of faultsOf(item.value, permit)) faults.add(item, fault)
  faults.throwIfAny()
  const { destination, settings, sort } = items[0]!.value
  const names = [...new Set(namesIn(settings).map(([, name]) => name as EventName))]
  const known = await lockWebhooks(tx, actor)
  const there = known.find((webhook) => webhook.destination === destination)
  const refusal = there ? undefined : limitOf(known)
  if (refusal !== undefined) throw new Problem(422, refusal)
  if (there) {
    const row = { ...there, settings: names, sort: sort ?? there.sort, client_id: actor.clientId }
    await tx.rows(queries.updateWebhooks(actor, [row]))
  } else {
    const draft = { destination, settings: names, sort: sort ?? sortAfter(known) }
    await tx.rows(queries.insertWebhooks(actor, await lastDrawn(tx), [draft]))
  }
  return (await listWebhooks(tx, actor, { destination }))[0]!
}

/** Version 4: ends the webhook of an address. Unknown: 404. */
export async function unsubscribe(tx: Tx, actor: Actor, destination: string): Promise<void> {
  const there = (await lockWebhooks(tx, actor)).find((each) => each.destination === destination)
  if (!there) throw notFound()
  await tx.rows(queries.removeWebhooks(actor, [there.id]))
}

/**
 * Version 2: adds events to addresses, and subscribes new ones. An item that cannot be done has the
 * result false, and the others are done.
 */
export async function addSubscriptions(
  tx: Tx,
  actor: Actor,
  items: NewSubscription[],
  permit: Permit,
): Promise<SubscriptionOutcome[]> {
  const known = await lockWebhooks(tx, actor)
  const webhooks = new Map<string, Subscription>(known.map((each) => [each.destination, each]))
  const outcomes = items.map(({ url, events }): SubscriptionOutcome => {
    const [there, all] = [webhooks.get(url), [...webhooks.values()]]
    const error =
      faultsOf({ destination: url, settings: events }, permit)[0]?.detail ??
      (there ? undefined : limitOf(all))
    if (error !== undefined) return { url, result: false, error }
    const { settings: before, ...rest } = there ?? { ...newSubscription(all), destination: url }
    const settings = [...new Set([...before, ...(events as EventName[])])]
    if (settings.length > before.length || rest.client_id !== actor.clientId)
      webhooks.set(url, { ...rest, settings, client_id: actor.clientId })
    return { url, result: true }
  })
  const after = [...webhooks.values()]
  const made = after.filter(({ id }) => id === null)
  const changed = after.filter((each) => each.id !== null && !known.includes(each as StoredWebhook))
  if (made.length > 0) await tx.rows(queries.insertWebhooks(actor, await lastDrawn(tx), made))
  if (changed.length > 0) await tx.rows(queries.updateWebhooks(actor, changed))
  return outcomes
}

/**
 * Version 2: takes events from addresses, or from all where an item names none. A webhook without
 * events ends.
 */
export async function removeSubscriptions(
  tx: Tx,
  actor: Actor,
  items: EndedSubscription[],
): Promise<SubscriptionOutcome[]> {
  const before = await lockWebhooks(tx, actor)
  let after = before
  const outcomes = items.map(({ url = null, events }): SubscriptionOutcome => {
    const isMeant = ({ destination, settings }: StoredWebhook) =>
      settings.length > 0 && (url === null || destination === url)
    const error =
      nameFaults(events)[0]?.detail ??
      (after.some(isMeant) ? undefined : 'There is no such webhook.')
    if (error !== undefined) return { url, result: false, error }
    const taken = new Set<string>(events)
    after = after.map((webhook) => {
      if (!isMeant(webhook) || !webhook.settings.some((name) => taken.has(name))) return webhook
      return { ...webhook, settings: webhook.settings.filter((name) => !taken.has(name)) }
    })
    return { url, result: true }
  })
  const changed = after.filter((webhook, index) => webhook !== before[index])
  const ended = changed.filter(({ settings }) => settings.length === 0).map(({ id }) => id)
  const left = changed.filter(({ settings }) => settings.length > 0)
  if (ended.length > 0) await tx.rows(queries.removeWebhooks(actor, ended))
  if (left.length > 0) await tx.rows(queries.updateWebhooks(actor, left))
  return outcomes
}

/**
 * Changes the form of deliveries and the place in lists, enables, and switches off by hand. Unknown:
 * 404.
 */
export async function changeWebhook(
  tx: Tx,
  actor: Actor,
  id: number,
  { sort, format, deletion_form, disabled }: WebhookChange,
): Promise<void> {
  if (disabled === false) await enableWebhook(tx, actor, id)
  const before = (await lockWebhooks(tx, actor)).find((webhook) => webhook.id === id)
  if (!before) throw notFound()
  if (disabled === true) await tx.rows(queries.disableByHand(actor, id))
  const after = {
    sort: sort ?? before.sort,
    format: format ?? before.format,
    deletion_form: deletion_form ?? before.deletion_form,
  }
  if (
    after.sort !== before.sort ||
    after.format !== before.format ||
    after.deletion_form !== before.deletion_form
  )
    await tx.rows(queries.updateWebhookForm(actor, id, after))
}

/** Enables a disabled webhook. Unknown: 404. The 101st active one: 422. */
export async function enableWebhook(tx: Tx, actor: Actor, id: number): Promise<void> {
  const known = await lockWebhooks(tx, actor)
  const webhook = known.find((each) => each.id === id)
  if (!webhook) throw notFound()
  if (!webhook.is_disabled) return
  if (activeAmong(known) >= mostActive) throw new Problem(422, tooManyActive)
  await tx.rows(queries.enableDisabled(actor, id))
}

/** The webhooks of the account by `sort`: all, the one with an address, or the one with an id. */
export function listWebhooks(
  reader: Reader,
  actor: Pick<Actor, 'accountId'>,
  which: { destination?: string | undefined; id?: number | undefined } = {},
): Promise<StoredWebhook[]> {
  return reader.rows<StoredWebhook>(queries.webhookList(actor, which))
}

/**
 * The webhooks of the account, which no other transaction adds, enables or changes until this one
 * ends. The calling integration stays installed until then, or its webhook could outlive it.
 */
async function lockWebhooks(tx: Tx, actor: Actor): Promise<StoredWebhook[]> {
  await tx.rows(lockAccount(actor))
  if (actor.clientId !== null) await lockIntegration(tx, actor.accountId, actor.clientId)
  return listWebhooks(tx, actor)
}

const tooManyActive = `An account has at most ${mostActive} active webhooks`

/** A webhook that is there, or one to be made, which has no id yet. */
type Subscription = Pick<
  StoredWebhook,
  'destination' | 'settings' | 'sort' | 'is_disabled' | 'client_id'
> & { id: number | null }

const newSubscription = (others: Subscription[]) => ({
  id: null,
  settings: [],
  sort: sortAfter(others),
  is_disabled: false,
  client_id: null,
})

/** Why no webhook can be added; undefined if one can. */
function limitOf(known: Pick<StoredWebhook, 'is_disabled'>[]): string | undefined {
  if (activeAmong(known) >= mostActive) return tooManyActive
  return known.length >= most ? `An account has at most ${most} webhooks` : undefined
}

const activeAmong = (webhooks: Pick<StoredWebhook, 'is_disabled'>[]) =>
  webhooks.filter(({ is_disabled }) => !is_disabled).length

const sortAfter = (webhooks: Pick<StoredWebhook, 'sort'>[]) =>
  Math.min(Math.max(0, ...webhooks.map(({ sort }) => sort)) + 1, highestSort)

function faultsOf({ destination, settings }: NewWebhook, permit: Permit): Fault[] {
  const detail = destinationFault(destination, permit)
  const faults = nameFaults(settings)
  return detail === undefined
    ? faults
    : [{ code: 'InvalidUrl', path: 'destination', detail }, ...faults]
}

function nameFaults(settings: NewWebhook['settings']): Fault[] {
  return namesIn(settings).flatMap(([key, name]) => {
    const detail = `There is no event ${JSON.stringify(name.slice(0, 100))}.`
    return isEventName(name)
      ? []
      : [{ code: 'NotSupportedChoice', path: `settings.${key}`, detail }]
  })
}

/** The names of events, each with its key in `settings`. */
function namesIn(settings: NewWebhook['settings']): (readonly [key: string | number, string])[] {
  return Array.isArray(settings)
    ? [...settings.entries()]
    : Object.keys(settings).map((name) => [name, name] as const)
}
