import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Name, Nullable } from '../../../http/types.ts'

const GroupId = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const Group = Type.Object({
  id: GroupId,
  name: Type.String(),
  uuid: Nullable(Type.String()),
  users: Type.Integer({ description: 'Number of users in the group' }),
})
export type Group = Static<typeof Group>

export const GroupList = Type.Object({ _embedded: Type.Object({ groups: Type.Array(Group) }) })

export const GroupDraft = Type.Object({ name: Name(100) }, { additionalProperties: false })
export type GroupDraft = Static<typeof GroupDraft>

export const GroupParams = Type.Object({ id: GroupId })
