// Types of tasks: the two that every account has, and the account's own (interface: Task types).
import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { HexColor, IconId, Id, Name, Nullable } from '../../../http/types.ts'
import { mostUses } from '../../../records/placement.ts'
import { readOnly } from '../../../records/schema.ts'

const closed = { additionalProperties: false }

/** A type as the account shows it. */
export const TaskType = Type.Object({
  id: Id,
  name: Type.String(),
  color: Nullable(
    Type.String({ description: 'Six hexadecimal digits; null for predefined types' }),
  ),
  icon_id: Nullable(Type.Integer()),
  code: Nullable(
    Type.String({ description: 'Of predefined types; null for those of the account' }),
  ),
})
export type TaskType = Static<typeof TaskType>

/** The types that every account has (interface: Task types). */
export const predefinedTaskTypes: readonly TaskType[] = [
  { id: 1, name: 'Call', color: null, icon_id: null, code: 'FOLLOW_UP' },
  { id: 2, name: 'Meeting', color: null, icon_id: null, code: 'MEETING' },
]

/** A type as the web application manages it. */
export const ManagedTaskType = Type.Object({
  ...TaskType.properties,
  is_deleted: Type.Boolean({ description: 'Tasks still have the type, and it cannot be chosen' }),
  used: Type.Optional(
    Type.Integer({
      description: `How many tasks have the type, in lists for administrators; ${mostUses + 1}: more than ${mostUses}`,
    }),
  ),
})
export type ManagedTaskType = Static<typeof ManagedTaskType>

export const ManagedTaskTypes = Type.Object({
  _embedded: Type.Object({ task_types: Type.Array(ManagedTaskType) }),
})

const icon = Nullable(IconId)
const ignored = readOnly('id', 'code', 'is_deleted', 'used')

export const NewTaskType = Type.Object(
  { name: Name(100), color: HexColor, icon_id: Type.Optional(icon), ...ignored },
  closed,
)
export type NewTaskType = Static<typeof NewTaskType>

export const TaskTypeChange = Type.Object(
  {
    name: Type.Optional(Name(100)),
    color: Type.Optional(HexColor),
    icon_id: Type.Optional(icon),
    ...ignored,
  },
  closed,
)
export type TaskTypeChange = Static<typeof TaskTypeChange>
