// Categories are added, renamed, moved and removed one by one. The interface takes the whole tree: a
// page that sent it would delete the categories that another administrator, or a program, has added
// since it was read (docs/decisions/0105-options-one-by-one.md).
import type { Actor } from '../../../../access/actor.ts'
import type { Tx } from '../../../../database/connect.ts'
import { badRequest, invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import { highestSort } from '../../../../http/types.ts'
import { cleanUpLater } from '../../../../records/clean-ups.ts'
import { fieldsChanged } from '../../../../records/fields/definitions.ts'
import { mostCategoryLevels } from '../enums.ts'
import { shownManaged } from '../managed/managed-fields.ts'
import type { ManagedRow } from '../managed/managed-fields.ts'
import { movedBefore, sortedAnew } from '../managed/order.ts'
import { managedFieldRows, setCategories } from '../managed/queries.ts'
import type { ManagedField } from '../managed/schema.ts'
import { forbidChosen, nameKey, newChoiceIds, newNames } from '../options/options.ts'
import { mostEnums } from '../options/schema.ts'
import type { AddedEnums } from '../options/schema.ts'
import type { FieldScope } from '../scopes.ts'
import type { CategoryMove, NewCategories } from './schema.ts'

type Tree = NonNullable<ManagedField['nested']>
type TreeRow = ManagedRow & { nested: Tree }

/**
 * Adds categories behind those of the same parent, in the order in which they are named. Names that
 * the parent has below it, or that come twice, are left out and named in the answer. Unknown field:
 * 404, a field without a tree, or an unknown parent: 400, too many categories, or levels: 422.
 */
export async function addCategories(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  { values, parent_id = null }: NewCategories,
): Promise<AddedEnums> {
  const row = await lockTree(tx, actor, scope, id)
  if (parent_id !== null) requireParent(row.nested, parent_id)
  const siblings = below(row.nested, parent_id)
  const { added, skipped } = newNames(siblings, values)
  if (added.length === 0) return { field: shownManaged(row), skipped }
  if (levelOf(row.nested, parent_id) + 1 > mostCategoryLevels) throw tooDeep()
  if (row.nested.length + added.length > mostEnums)
    throw new Problem(
      422,
      `A tree can have ${mostEnums} categories, and there are ${row.nested.length}`,
    )
  const ids = await newChoiceIds(tx, actor, scope, added.length)
  const last = siblings.at(-1)?.sort ?? 0
  const drafts = added.map((value, index) => ({
    id: ids[index]!,
    parent_id,
    value,
    sort: Math.min(last + 1 + index, highestSort),
  }))
  const after = [...row.nested, ...drafts]
  const field = await writeTree(tx, actor, scope, row, inOrder(after, [...siblings, ...drafts]))
  return { field, skipped }
}

/** Renames a category. Unknown: 404, a name that another one below the same parent has: 400. */
export async function renameCategory(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  categoryId: number,
  name: string,
): Promise<ManagedField> {
  const row = await lockTree(tx, actor, scope, id)
  const before = categoryById(row.nested, categoryId)
  const value = name.trim()
  if (value !== before.value) forbidNameBeside(row.nested, { ...before, value })
  return writeTree(
    tx,
    actor,
    scope,
    row,
    row.nested.map((each) => (each === before ? { ...each, value } : each)),
  )
}

/**
 * Moves a category, and all below it, before another one of a parent or behind all of them. Unknown:
 * 404; a parent below the category itself, a parent or neighbor that is not there, or a name that
 * the parent has: 400; too many levels: 422.
 */
export async function moveCategory(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  categoryId: number,
  { parent_id, before }: CategoryMove,
): Promise<ManagedField> {
  const row = await lockTree(tx, actor, scope, id)
  const former = categoryById(row.nested, categoryId)
  const moved = { ...former, parent_id }
  const branch = branchOf(row.nested, categoryId)
  if (parent_id !== null) {
    requireParent(row.nested, parent_id)
    if (branch.has(parent_id))
      throw invalidValue('NotSupportedChoice', 'parent_id', 'No category is below itself.')
  }
  // Programs may have made two of one name, which stay beside each other.
  if (parent_id !== former.parent_id) forbidNameBeside(row.nested, moved)
  const own = levelOf(row.nested, categoryId)
  const height = Math.max(...[...branch].map((each) => levelOf(row.nested, each) - own))
  if (levelOf(row.nested, parent_id) + 1 + height > mostCategoryLevels) throw tooDeep()
  const siblings = movedBefore(below(row.nested, parent_id), moved, before)
  if (!siblings)
    throw invalidValue('NotSupportedChoice', 'before', `The parent has no category ${before}.`)
  const after = row.nested.map((each) => (each.id === categoryId ? moved : each))
  return writeTree(tx, actor, scope, row, inOrder(after, siblings))
}

/**
 * Removes a category and all below it. Unknown: 404; elements may have one of them and are not to
 * lose it: 422. The clean-up takes them off the elements.
 */
export async function removeCategory(
  tx: Tx,
  actor: Actor,
  scope: FieldScope,
  id: number,
  categoryId: number,
  takesValues = false,
): Promise<ManagedField> {
  const row = await lockTree(tx, actor, scope, id)
  categoryById(row.nested, categoryId)
  const branch = branchOf(row.nested, categoryId)
  if (!takesValues && scope.catalog_id !== undefined)
    await forbidChosen(tx, actor, scope.catalog_id, id, [...branch])
  const rest = row.nested.filter((each) => !branch.has(each.id))
  const field = await writeTree(tx, actor, scope, row, rest)
  await cleanUpLater(tx, actor, { entity_type: scope.type, field_id: id, enum_ids: [...branch] })
  return field
}

/** The field; no other transaction changes definitions of the account until this one ends. */
async function lockTree(tx: Tx, actor: Actor, { type }: FieldScope, id: number): Promise<TreeRow> {
  await fieldsChanged(tx, actor.accountId)
  const row = await tx.row<ManagedRow>(managedFieldRows(actor, type, [id]))
  if (!row) throw notFound()
  if (row.type !== 'category') throw badRequest('The field has no categories')
  return { ...row, nested: row.nested ?? [] }
}

function categoryById(tree: Tree, id: number): Tree[number] {
  const found = tree.find((each) => each.id === id)
  if (!found) throw notFound()
  return found
}

function requireParent(tree: Tree, id: number): void {
  if (!tree.some((each) => each.id === id))
    throw invalidValue('NotSupportedChoice', 'parent_id', `The field has no category ${id}.`)
}

function forbidNameBeside(tree: Tree, { id, parent_id, value }: Tree[number]): void {
  const others = below(tree, parent_id).filter((each) => each.id !== id)
  if (others.some((each) => nameKey(each.value) === nameKey(value)))
    throw invalidValue('NotUnique', 'value', 'Another category beside it has this name.')
}

const tooDeep = () => new Problem(422, `A tree has at most ${mostCategoryLevels} levels`)

/** The categories of a parent, in their order. */
const below = (tree: Tree, parent_id: number | null): Tree =>
  tree.filter((each) => each.parent_id === parent_id).toSorted((a, b) => a.sort - b.sort)

/** The category and all below it. */
function branchOf(tree: Tree, id: number): Set<number> {
  const branch = new Set([id])
  // Parents come before their children.
  for (const each of tree)
    if (each.parent_id !== null && branch.has(each.parent_id)) branch.add(each.id)
  return branch
}

/** 1 on the first level; 0 for the parent of that. */
function levelOf(tree: Tree, id: number | null): number {
  const byId = new Map(tree.map((each) => [each.id, each]))
  let level = 0
  for (let up = id === null ? undefined : byId.get(id); up; up = byId.get(up.parent_id ?? 0))
    level++
  return level
}

/** The tree with new sorts for the categories of one parent, level by level as it is stored. */
function inOrder(tree: Tree, siblings: Tree): Tree {
  const sorts = new Map(sortedAnew(siblings).map(({ id, sort }) => [id, sort]))
  const sorted = tree.map((each) => ({ ...each, sort: sorts.get(each.id) ?? each.sort }))
  const levels = new Map(sorted.map(({ id }) => [id, levelOf(sorted, id)]))
  return sorted.toSorted((a, b) => levels.get(a.id)! - levels.get(b.id)! || a.sort - b.sort)
}

async function writeTree(
  tx: Tx,
  actor: Actor,
  { type }: FieldScope,
  row: TreeRow,
  nested: Tree,
): Promise<ManagedField> {
  await tx.rows(setCategories(actor, type, row.id, nested))
  return shownManaged({ ...row, nested })
}
