// The levels of rights and the rules between them (interface: Rights object). All functions are
// pure: a draft becomes the rights that are stored, and stored rights become the rights in force.

/** Always, through a linked record, own group, own, denied: from the strongest to the weakest. */
export const rightLevels = ['A', 'L', 'G', 'M', 'D'] as const
export type RightLevel = (typeof rightLevels)[number]
export const actions = ['view', 'edit', 'add', 'delete', 'export'] as const
export type Action = (typeof actions)[number]

type ActionLevels = Record<Action, RightLevel>

/** Overrides the rights to the leads of one status: allowed or denied, for any responsible user. */
export interface StatusRight {
  entity_type: 'leads'
  pipeline_id: number
  status_id: number
  rights: { view: RightLevel; edit: RightLevel; delete: RightLevel; export?: RightLevel }
}

/** The rights of a user as stored: complete, and no level stronger than the rules allow. */
export interface Rights {
  leads: ActionLevels
  contacts: ActionLevels
  companies: ActionLevels
  tasks: Record<'edit' | 'delete', RightLevel>
  status_rights: StatusRight[] | null
  catalog_rights: { catalog_id: number; rights: ActionLevels }[]
  mail_access: boolean
  catalog_access: boolean
}

type Loose = { [Key in Action]?: RightLevel | undefined }

/** Rights as a client sends them. */
export interface RightsDraft {
  leads?: Loose | undefined
  contacts?: Loose | undefined
  companies?: Loose | undefined
  tasks?: Loose | undefined
  status_rights?: (Omit<StatusRight, 'rights'> & { rights: Loose })[] | null | undefined
  catalog_rights?: { catalog_id: number; rights: Loose }[] | null | undefined
  mail_access?: boolean | undefined
  catalog_access?: boolean | undefined
}

/**
 * Completes a draft. An absent level is denied, and so is one that the action does not know. No
 * action is stronger than the action it needs: a user deletes only records that the user may edit,
 * and edits only records that the user may view.
 */
export function normalise(sent: RightsDraft): Rights {
  return {
    leads: levelsOf(sent.leads, 'AGMD'),
    contacts: levelsOf(sent.contacts, 'AGMD'),
    companies: levelsOf(sent.companies, 'AGMD'),
    tasks: tasks(sent.tasks),
    status_rights: sent.status_rights ? sent.status_rights.map(statusRight) : null,
    catalog_rights: (sent.catalog_rights ?? []).map(({ catalog_id, rights }) => ({
      catalog_id,
      rights: levelsOf(rights, 'ALD'),
    })),
    mail_access: sent.mail_access ?? false,
    catalog_access: sent.catalog_access ?? false,
  }
}

export const noRights = normalise({})

const all: Loose = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' }
/** All rights, except to unsorted statuses, which need a right of their own (`withUnsorted`). */
export const fullRights = normalise({
  leads: all,
  contacts: all,
  companies: all,
  tasks: all,
  mail_access: true,
  catalog_access: true,
})

export interface PipelineStatus {
  pipeline_id: number
  status_id: number
}

/** Closes the unsorted statuses that the rights do not name. Nothing is exported from those. */
export function withUnsorted(rights: Rights, unsorted: readonly PipelineStatus[]): Rights {
  const named = (rights.status_rights ?? []).map((right): StatusRight => {
    const { export: _, ...others } = right.rights
    return isIn(right, unsorted) ? { ...right, rights: others } : right
  })
  const closed = unsorted
    .filter((status) => !isIn(status, named))
    .map(({ pipeline_id, status_id }): StatusRight => ({
      entity_type: 'leads',
      pipeline_id,
      status_id,
      rights: {
        view: 'D',
        edit: 'D',
        delete: 'D',
      },
    }))
  return { ...rights, status_rights: [...named, ...closed] }
}

export function isIn(
  { pipeline_id, status_id }: PipelineStatus,
  statuses: readonly PipelineStatus[],
): boolean {
  return statuses.some((each) => each.pipeline_id === pipeline_id && each.status_id === status_id)
}

function levelsOf(sent: Loose = {}, known: string): ActionLevels {
  const view = allowed(sent.view, known)
  const edit = weaker(allowed(sent.edit, known), view)
  return {
    view,
    edit,
    add: allowed(sent.add, 'AD'),
    delete: weaker(allowed(sent.delete, known), edit),
    export: weaker(allowed(sent.export, known), view),
  }
}

/** Tasks need no right to view: a user sees those of each visible record. Deleting needs editing. */
function tasks(sent: Loose = {}): Rights['tasks'] {
  const edit = allowed(sent.edit, 'AGMD')
  return { edit, delete: weaker(allowed(sent.delete, 'AGMD'), edit) }
}

function statusRight({
  pipeline_id,
  status_id,
  rights: sent,
}: Omit<StatusRight, 'rights'> & { rights: Loose }): StatusRight {
  const { view, edit, delete: remove, export: out } = levelsOf({ ...sent, add: 'D' }, 'AD')
  const rights = { view, edit, delete: remove, ...(sent.export !== undefined && { export: out }) }
  return { entity_type: 'leads', pipeline_id, status_id, rights }
}

function allowed(level: RightLevel | undefined, known: string): RightLevel {
  return level !== undefined && known.includes(level) ? level : 'D'
}

function weaker(one: RightLevel, other: RightLevel): RightLevel {
  return rightLevels.indexOf(one) > rightLevels.indexOf(other) ? one : other
}
