// Saved views. A private one is its author's alone. A shared one is seen by all users of the account;
// its author and administrators change it.
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Signals } from '../../../changes/signals.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { forbidden, invalidValue, notFound, Problem } from '../../../http/problem.ts'
import * as queries from './queries.ts'
import type { ViewRow } from './queries.ts'
import type { NewView, View, ViewChange } from './schema.ts'

export { viewSummaries } from './queries.ts'

/** The channel on which browsers hear that views have changed: `<account> <user>`, 0 for all users. */
export const viewsChannel = 'kontor_views'

/** The most views of one user, and the most that one pins to the navigation. */
const most = 100
const mostPins = 20

/** Whether a signal of `viewsChannel` is about views that the actor may see; an empty one may be. */
export const seesViewsOf = ({ accountId, userId, clientId }: Actor, payload: string): boolean =>
  clientId === null && ['', `${accountId} ${userId}`, `${accountId} 0`].includes(payload)

/** The actor's views and the shared ones, by name. */
export const listViews = (reader: Reader, actor: Actor): Promise<View[]> =>
  reader.rows<View>(queries.viewSummaries(actor))

/** Throws 422 beyond 100 views of the user, and 400 for an unknown pipeline. */
export async function createView(
  tx: Tx,
  signals: Signals,
  actor: Actor,
  { pipeline_id = null, is_shared = false, ...draft }: NewView,
): Promise<View> {
  await tx.rows(lockAccount(actor))
  const own = await tx.row<{ count: number }>(queries.countOwnViews(actor))
  if (own!.count >= most) throw new Problem(422, `A user has at most ${most} views`)
  await checkPipeline(tx, actor, pipeline_id)
  const row = { ...draft, name: draft.name.trim(), pipeline_id, is_shared, updated_at: actor.at }
  const created = await tx.row<ViewRow>(queries.insertView(actor, row))
  signal(tx, signals, actor, [created!])
  return shown(actor, created!)
}

/** Throws 404 for a view that the actor does not see, and 403 for one of another user. */
export async function changeView(
  tx: Tx,
  signals: Signals,
  actor: Actor,
  id: number,
  change: ViewChange,
): Promise<View> {
  const before = await lockView(tx, actor, id)
  if (change.pipeline_id !== undefined) await checkPipeline(tx, actor, change.pipeline_id)
  const after = { ...before, ...change, updated_at: actor.at }
  const changed = await tx.row<ViewRow>(
    queries.updateView(actor, { ...after, name: after.name.trim() }),
  )
  if (!changed) throw notFound()
  signal(tx, signals, actor, [before, changed])
  return shown(actor, changed)
}

/** Throws 404 for a view that the actor does not see, and 403 for one of another user. */
export async function deleteView(
  tx: Tx,
  signals: Signals,
  actor: Actor,
  id: number,
): Promise<void> {
  const before = await lockView(tx, actor, id)
  if (!(await tx.row(queries.removeView(actor, id)))) throw notFound()
  signal(tx, signals, actor, [before])
}

/**
 * Pins a view to the navigation of the actor, who need not be its author. Throws 404 for a view that the
 * actor does not see, and 422 beyond 20 pinned views.
 */
export async function pinView(tx: Tx, signals: Signals, actor: Actor, id: number): Promise<View> {
  const view = await lockSeenView(tx, actor, id)
  if (view.pinned_at !== null) return shown(actor, view)
  const pins = await tx.row<{ count: number }>(queries.countPins(actor))
  if (pins!.count >= mostPins) throw new Problem(422, `A user pins at most ${mostPins} views`)
  await tx.rows(queries.insertPin(actor, id))
  signalUser(tx, signals, actor.accountId, actor.userId)
  return shown(actor, { ...view, pinned_at: actor.at })
}

/** Throws 404 for a view that the actor does not see. */
export async function unpinView(tx: Tx, signals: Signals, actor: Actor, id: number): Promise<void> {
  await lockSeenView(tx, actor, id)
  if (await tx.row(queries.removePin(actor, id)))
    signalUser(tx, signals, actor.accountId, actor.userId)
}

/** Views read in one statement, some 2 MB at most. */
const readAtOnce = 1000

/** Rewrites the filters by custom fields in the views of an account that the caller has locked. */
export async function rewriteSearches(
  tx: Tx,
  accountId: number,
  rewritten: (search: string) => string,
): Promise<void> {
  for (let after = 0; ;) {
    const views = await tx.rows<Pick<ViewRow, 'id' | 'search'>>(
      queries.viewsByFields(accountId, after, readAtOnce),
    )
    const changed = views
      .map(({ id, search }) => ({ id, search: rewritten(search) }))
      .filter(({ search }, index) => search !== views[index]!.search)
    if (changed.length > 0) await tx.rows(queries.setSearches(accountId, changed))
    if (views.length < readAtOnce) return
    after = views.at(-1)!.id
  }
}

/** The view, of which no other transaction changes one of the account until this one ends. */
async function lockSeenView(tx: Tx, actor: Actor, id: number): Promise<ViewRow> {
  await tx.rows(lockAccount(actor))
  const view = await tx.row<ViewRow>(queries.oneView(actor, id))
  if (!view) throw notFound()
  return view
}

/** The locked view, which the actor may change. */
async function lockView(tx: Tx, actor: Actor, id: number): Promise<ViewRow> {
  const view = await lockSeenView(tx, actor, id)
  if (view.user_id !== actor.userId && !actor.isAdmin)
    throw forbidden('Only its author and administrators change a shared view')
  return view
}

async function checkPipeline(tx: Tx, actor: Actor, id: number | null): Promise<void> {
  if (id === null || (await tx.row(queries.isPipeline(actor, id)))) return
  throw invalidValue('NotSupportedChoice', 'pipeline_id', `There is no pipeline ${id}.`)
}

/** Browsers of those who see the view, or saw it before, hear of the change after the commit. */
function signal(tx: Tx, signals: Signals, { accountId }: Actor, states: ViewRow[]): void {
  const isForAll = states.some(({ is_shared }) => is_shared)
  signalUser(tx, signals, accountId, isForAll ? 0 : states[0]!.user_id)
}

/** `userId`: 0 for all users. */
function signalUser(tx: Tx, signals: Signals, accountId: number, userId: number): void {
  tx.afterCommit(() => signals.notify(viewsChannel, `${accountId} ${userId}`))
}

const shown = (actor: Actor, row: ViewRow): View => ({
  ...row,
  is_own: row.user_id === actor.userId,
  may_change: row.user_id === actor.userId || actor.isAdmin,
})
