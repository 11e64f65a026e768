// Rights as letters, and the rules between them (entities reference, Rights object). Pure: what is sent becomes what is kept, what is
// kept becomes what is in force.

/** Always, only through a linked record, in my group, mine, denied: from the strongest to the weakest. */
export const rightLevels = ['A', 'L', 'G', 'M', 'D'] as const
export type RightLevel = (typeof rightLevels)[number]
export const actions = ['view', 'edit', 'add', 'delete', 'export'] as const
export type Action = (typeof actions)[number]

type ActionLevels = Record<Action, RightLevel>

/** Another right for the leads of one status: allowed whoever is responsible, or denied; what it does not say stays as it is. */
export interface StatusRight {
  entity_type: 'leads'
  pipeline_id: number
  status_id: number
  rights: { view: RightLevel; edit: RightLevel; delete: RightLevel; export?: RightLevel }
}

/** What a user may do, as it is kept: whole, and no letter stronger than the rules allow. */
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

/** Rights as they are sent. */
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

/** What is not said is denied, and so is a letter that an action does not know; no action is stronger than one it needs. */
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
/** Everything, but the unsorted statuses, which only administrators see unasked. */
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

/** Rights with the unsorted statuses closed, except those they speak of. There is nothing to export from an unsorted status. */
export function withUnsorted(rights: Rights, unsorted: readonly PipelineStatus[]): Rights {
  const said = (rights.status_rights ?? []).map((right): StatusRight => {
    const { export: _, ...others } = right.rights
    return isIn(right, unsorted) ? { ...right, rights: others } : right
  })
  const closed = unsorted
    .filter((place) => !isIn(place, said))
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
  return { ...rights, status_rights: [...said, ...closed] }
}

export function isIn(
  { pipeline_id, status_id }: PipelineStatus,
  places: readonly PipelineStatus[],
): boolean {
  return places.some((place) => place.pipeline_id === pipeline_id && place.status_id === status_id)
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

/** Everybody sees the tasks of what they see, so there is nothing but editing that deleting needs. */
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

function allowed(letter: RightLevel | undefined, known: string): RightLevel {
  return letter !== undefined && known.includes(letter) ? letter : 'D'
}

function weaker(one: RightLevel, other: RightLevel): RightLevel {
  return rightLevels.indexOf(one) > rightLevels.indexOf(other) ? one : other
}
