// Types of tasks. A type that tasks have is only hidden when it is deleted: the tasks keep it, its
// name can be read, and nobody can choose it any more (docs/decisions/0042-task-types.md).
import { lockAccount } from '../../../access/account.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { mostUses, placedBefore } from '../../../records/placement.ts'
import { badRequest, invalidValue, notFound, Problem } from '../../../http/problem.ts'
import {
  hideTaskType,
  insertTaskType,
  isTypeOfTasks,
  keepTaskTypes,
  lockTaskType,
  lockTaskTypesAmong,
  removeTaskType,
  sortTaskTypes,
  takeTaskType,
  taskTypeRows,
  updateTaskType,
  usesOfTaskTypes,
} from './queries.ts'
import type { TaskTypeRow } from './queries.ts'
import { predefinedTaskTypes } from './schema.ts'
import type { ManagedTaskType, NewTaskType, TaskType, TaskTypeChange } from './schema.ts'

export { taskTypeRows } from './queries.ts'
export type { TaskTypeRow } from './queries.ts'

/** At most this many own types per account, and of them so many that are not deleted. */
const most = { inAll: 500, chosen: 100 }

/**
 * The types that a task can be given, the predefined ones first, and those of the account as they
 * were created: programs know no other order.
 */
export async function listTaskTypes(reader: Reader, actor: Actor): Promise<TaskType[]> {
  const types = await managedTaskTypes(reader, actor)
  types.sort((one, other) => one.id - other.id)
  return types.flatMap(({ is_deleted, ...type }) => (is_deleted ? [] : type))
}

/** All types that tasks may have, deleted ones among them: the predefined ones, then by `sort`. */
export async function managedTaskTypes(reader: Reader, actor: Actor): Promise<ManagedTaskType[]> {
  const own = await reader.rows<TaskTypeRow>(taskTypeRows(actor))
  return [...predefinedTaskTypes.map((type) => ({ ...type, is_deleted: false })), ...own.map(shown)]
}

/** The same with the number of tasks that have each. Tasks that the user may not see count, too. */
export async function usedTaskTypes(reader: Reader, actor: Actor): Promise<ManagedTaskType[]> {
  const types = await managedTaskTypes(reader, actor)
  const ids = types.map(({ id }) => id)
  const counted = await reader.rows<{ id: number; used: number }>(
    usesOfTaskTypes(actor, ids, mostUses),
  )
  const used = new Map(counted.map((each) => [each.id, each.used]))
  return types.map((type) => ({ ...type, used: used.get(type.id)! }))
}

/**
 * Creates a type as the last one; a deleted one of the same name comes back under its id. A name
 * that is taken: 400; too many types: 422.
 */
export async function createTaskType(
  tx: Tx,
  actor: Actor,
  { name, color, icon_id = null }: NewTaskType,
): Promise<ManagedTaskType> {
  const known = await lockTaskTypes(tx, actor)
  const draft = { name: name.trim(), color: color.toLowerCase(), icon_id }
  checkName(known, draft.name)
  const deleted = known.find((type) => type.is_deleted && isNamed(type, draft.name))
  checkNumber(known, deleted)
  const row = {
    ...draft,
    is_deleted: false,
    sort: Math.max(0, ...known.map(({ sort }) => sort)) + 1,
  }
  const { id } = (await tx.row<{ id: number }>(insertTaskType(actor, { ...row, id: deleted?.id })))!
  return shown({ ...row, id })
}

/** Changes a type of the account. Unknown: 404; a predefined type or a name that is taken: 400. */
export async function changeTaskType(
  tx: Tx,
  actor: Actor,
  id: number,
  { name, color, icon_id }: TaskTypeChange,
): Promise<ManagedTaskType> {
  refusePredefined(id)
  const known = await lockTaskTypes(tx, actor)
  const before = known.find((type) => type.id === id && !type.is_deleted)
  if (!before) throw notFound()
  const after = {
    ...before,
    name: name?.trim() ?? before.name,
    color: color?.toLowerCase() ?? before.color,
    icon_id: icon_id === undefined ? before.icon_id : icon_id,
  }
  const others = known.filter((type) => type !== before)
  checkName(others, after.name)
  if (!(await tx.row(updateTaskType(actor, after)))) throw notFound()
  return shown(after)
}

/**
 * Moves a type of the account before another one, or to the end. Unknown: 404; predefined, or before
 * none that can be chosen: 400.
 */
export async function moveTaskType(
  tx: Tx,
  actor: Actor,
  id: number,
  before: number | null,
): Promise<void> {
  refusePredefined(id)
  const known = await lockTaskTypes(tx, actor)
  const chosen = known.flatMap((type) => (type.is_deleted ? [] : type.id))
  await tx.rows(sortTaskTypes(actor, placedBefore(chosen, id, before)))
}

/** Deletes a type of the account; tasks that have it keep it. Unknown: 404; predefined: 400. */
export async function deleteTaskType(tx: Tx, actor: Actor, id: number): Promise<void> {
  refusePredefined(id)
  if (!(await tx.row(lockTaskType(actor, id)))) throw notFound()
  const isInUse = await tx.row(isTypeOfTasks(actor, id))
  await tx.rows(isInUse ? hideTaskType(actor, id) : removeTaskType(actor, id))
}

/**
 * The names of a type that is merged into another. The same one, and a predefined type that would go: 400;
 * unknown ones: 404.
 */
export async function checkTaskTypeMerge(
  tx: Tx,
  actor: Actor,
  id: number,
  into: number,
): Promise<{ name: string; into: string }> {
  refusePredefined(id)
  if (id === into) throw invalidValue('NotSupportedChoice', 'into', 'This is the same task type.')
  const types = await listTaskTypes(tx, actor)
  const nameOf = (wanted: number) => types.find((type) => type.id === wanted)?.name
  const [name, nameOfOther] = [nameOf(id), nameOf(into)]
  if (name === undefined || nameOfOther === undefined) throw notFound()
  return { name, into: nameOfOther }
}

/**
 * Deletes a type that no task has; answers all that `putBackTaskType` needs, and undefined where tasks
 * have it again. No task can be given it before the transaction ends. Throws 404 where one of both types
 * cannot be chosen any more.
 */
export async function takeOutTaskType(
  tx: Tx,
  actor: Actor,
  id: number,
  into: number,
): Promise<TaskTypeRow | undefined> {
  const own = [id, into].filter((each) => !isPredefined(each))
  const locked = await tx.rows(lockTaskTypesAmong(actor, own))
  if (locked.length < own.length) throw notFound('The task type does not exist any more')
  if (await tx.row(isTypeOfTasks(actor, id))) return undefined
  return tx.row<TaskTypeRow>(takeTaskType(actor, id))
}

/**
 * Brings a type back as it was, under its id. One that is there stays as it is. Too many types: 422; a name
 * that another one has by now: 400.
 */
export async function putBackTaskType(tx: Tx, actor: Actor, type: TaskTypeRow): Promise<void> {
  const known = await lockTaskTypes(tx, actor)
  if (known.some(({ id }) => id === type.id)) return
  checkName(known, type.name)
  checkNumber(known)
  await tx.rows(insertTaskType(actor, type))
}

/** Those of these types that a task can be given, locked against deletion. */
export async function taskTypesAmong(
  tx: Tx,
  actor: Actor,
  ids: number[],
): Promise<ReadonlySet<number>> {
  const predefined = predefinedTaskTypes.map(({ id }) => id)
  const others = [...new Set(ids)].filter((id) => !predefined.includes(id))
  if (others.length === 0) return new Set(predefined)
  const own = await tx.rows<{ id: number }>(keepTaskTypes(actor, others))
  return new Set([...predefined, ...own.map(({ id }) => id)])
}

/** No other transaction adds or renames types until this one ends. */
async function lockTaskTypes(tx: Tx, actor: Actor): Promise<TaskTypeRow[]> {
  await tx.rows(lockAccount(actor))
  return tx.rows<TaskTypeRow>(taskTypeRows(actor))
}

/** A name is unique among the types that can be chosen, regardless of case. */
function checkName(others: TaskTypeRow[], name: string): void {
  const chosen = [...predefinedTaskTypes, ...others.filter(({ is_deleted }) => !is_deleted)]
  if (!chosen.some((type) => isNamed(type, name))) return
  const detail = 'Another task type has this name.'
  throw invalidValue('NotUnique', 'name', detail)
}

/** Whether one more can be chosen, which is new or comes back. */
function checkNumber(known: TaskTypeRow[], deleted?: TaskTypeRow): void {
  const chosen = known.filter(({ is_deleted }) => !is_deleted)
  if (chosen.length >= most.chosen)
    throw new Problem(422, `An account has at most ${most.chosen} task types of its own`)
  if (!deleted && known.length >= most.inAll)
    throw new Problem(422, `An account has at most ${most.inAll} task types, deleted ones included`)
}

const isNamed = (type: { name: string }, name: string) =>
  type.name.toLowerCase() === name.toLowerCase()

const isPredefined = (id: number) => predefinedTaskTypes.some((type) => type.id === id)

function refusePredefined(id: number): void {
  if (isPredefined(id)) throw badRequest('Every account has this task type, it stays as it is')
}

function shown({ id, name, color, icon_id, is_deleted }: TaskTypeRow): ManagedTaskType {
  return { id, name, color, icon_id, code: null, is_deleted }
}
