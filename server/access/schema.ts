import { Type } from '../http/type.ts'
import { Id, Nullable } from '../http/types.ts'
import { actions } from './rights.ts'
import type { Action } from './rights.ts'

const closed = { additionalProperties: false }
const Level = Type.Union([
  Type.Literal('A', { description: 'Always' }),
  Type.Literal('L', { description: 'Only through a linked record' }),
  Type.Literal('G', { description: "If the responsible user is in the user's own group" }),
  Type.Literal('M', { description: 'If the user is responsible' }),
  Type.Literal('D', { description: 'Never' }),
])
const OptionalLevel = Type.Optional(Level)

/** Levels as a client sends them: an absent level is denied. */
function SentLevels<Name extends Action>(...names: Name[]) {
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, OptionalLevel])) as Record<
      Name,
      typeof OptionalLevel
    >,
    closed,
  )
}

/** Levels as they are answered. */
function ReadLevels<Name extends Action>(...names: Name[]) {
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, Level])) as Record<Name, typeof Level>,
  )
}

const stage = { entity_type: Type.Literal('leads'), pipeline_id: Id, status_id: Id }

/** Rights as a client sends them (interface: Rights object). */
export const sentRights = {
  leads: Type.Optional(SentLevels(...actions)),
  contacts: Type.Optional(SentLevels(...actions)),
  companies: Type.Optional(SentLevels(...actions)),
  tasks: Type.Optional(SentLevels('edit', 'delete')),
  status_rights: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({ ...stage, rights: SentLevels('view', 'edit', 'delete', 'export') }, closed),
        {
          maxItems: 5000,
          description:
            'Rights for leads in single statuses: A or D. Statuses of unsorted leads are closed unless listed here',
        },
      ),
    ),
  ),
  catalog_rights: Type.Optional(
    Nullable(
      Type.Array(Type.Object({ catalog_id: Id, rights: SentLevels(...actions) }, closed), {
        maxItems: 1000,
      }),
    ),
  ),
  mail_access: Type.Optional(Type.Boolean()),
  catalog_access: Type.Optional(Type.Boolean()),
}

/** Rights as they are answered. */
export const shownRights = {
  leads: ReadLevels(...actions),
  contacts: ReadLevels(...actions),
  companies: ReadLevels(...actions),
  tasks: ReadLevels('edit', 'delete'),
  status_rights: Nullable(
    Type.Array(
      Type.Object({
        ...stage,
        rights: Type.Object({
          view: Level,
          edit: Level,
          delete: Level,
          export: Type.Optional(Level),
        }),
      }),
    ),
  ),
  catalog_rights: Type.Array(Type.Object({ catalog_id: Id, rights: ReadLevels(...actions) })),
  mail_access: Type.Boolean(),
  catalog_access: Type.Boolean(),
}
