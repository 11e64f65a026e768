// The rules between levels, as the server applies them (server/access/rights.ts): a user edits only
// records that the user may view, and deletes only those that the user may edit.
import type { Action, RightLevel, Rights } from '../../../server/access/rights.ts'

export type { Action, RightLevel, Rights }

export const actions = ['view', 'edit', 'add', 'delete', 'export'] as const
export const rightsTypes = ['leads', 'contacts', 'companies', 'tasks'] as const
export type RightsType = (typeof rightsTypes)[number]
export type Levels = Partial<Record<Action, RightLevel>>
/** A part of the rights, as a role or a user takes it. */
export type RightsPart = Partial<Record<RightsType, Levels>> &
  Partial<Pick<Rights, 'status_rights' | 'catalog_access'>>
export type StageRight = NonNullable<Rights['status_rights']>[number]

const strongestFirst: RightLevel[] = ['A', 'L', 'G', 'M', 'D']

const isStronger = (one: RightLevel, other: RightLevel): boolean =>
  strongestFirst.indexOf(one) < strongestFirst.indexOf(other)

/** Whether an action on a type of records has a level. */
export const hasLevel = (type: RightsType, action: Action): boolean =>
  type !== 'tasks' || action === 'edit' || action === 'delete'

/** The levels to choose from, the strongest first. */
export const levelChoices = (action: Action): RightLevel[] =>
  action === 'add' ? ['A', 'D'] : ['A', 'G', 'M', 'D']

/** The action that another needs: its level is the limit. */
const neededFor: Partial<Record<Action, Action>> = {
  edit: 'view',
  delete: 'edit',
  export: 'view',
}

/** The action whose level forbids this one; undefined: the level is allowed. */
export function limitOf(levels: Levels, action: Action, level: RightLevel): Action | undefined {
  const needed = neededFor[action]
  const most = needed && levels[needed]
  return most !== undefined && isStronger(level, most) ? needed : undefined
}

/** The levels after a change: actions that need the changed one become no stronger than it. */
export function withLevel(levels: Levels, action: Action, level: RightLevel): Levels {
  const next = { ...levels, [action]: level }
  for (const [each, needed] of Object.entries(neededFor) as [Action, Action][]) {
    const [own, most] = [next[each], next[needed]]
    if (own !== undefined && most !== undefined && isStronger(own, most)) next[each] = most
  }
  return next
}
