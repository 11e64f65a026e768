// Tasks (interface: Task).
import type { Static } from 'typebox'
import { entityTypes } from '../../../entity-types.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, Name, Nullable, SafeInteger, Text, Timestamp } from '../../../http/types.ts'
import {
  Filter,
  Filters,
  Ids,
  Order,
  pollingHint,
  range,
  several,
  TimeRange,
  UserIds,
} from '../../../records/lists/schema.ts'
import {
  readOnly,
  ResponsibleUserId,
  RecordTime,
  UpdatedAt,
  UserId,
} from '../../../records/schema.ts'
import { StatusesFilter } from '../../definitions/pipelines/schema.ts'

const closed = { additionalProperties: false }
const open = { additionalProperties: true }

/** The most characters of a text or a result. */
const longest = 65_535

const TaskEntity = Type.Enum([...entityTypes])

/** A task as it is read. */
export const Task = Type.Object({
  id: Id,
  created_by: UserId,
  updated_by: UserId,
  created_at: RecordTime,
  updated_at: RecordTime,
  responsible_user_id: UserId,
  group_id: Type.Integer({ description: 'Group of the responsible user; 0 is the default group' }),
  entity_id: Nullable(Id),
  entity_type: Nullable(TaskEntity),
  is_completed: Type.Boolean(),
  task_type_id: Type.Integer({
    description: '1 is a call, 2 is a meeting; larger ids are types of the account',
  }),
  text: Type.String(),
  duration: Type.Integer({ minimum: 0, description: 'In seconds' }),
  complete_till: { ...Timestamp, description: 'When the task is due' },
  result: Type.Union([
    Type.Object({ text: Type.String() }),
    Type.Array(Type.Unknown(), { maxItems: 0, description: 'No result' }),
  ]),
  account_id: Id,
  _links: SelfLink,
})

const sent = {
  task_type_id: Type.Optional(Type.Integer({ ...Id, description: '1 (a call) by default' })),
  responsible_user_id: Type.Optional(ResponsibleUserId),
  entity_id: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The record of the task; null or 0 for a task without a record',
      }),
    ),
  ),
  entity_type: Type.Optional(Nullable(TaskEntity)),
  is_completed: Type.Optional(Type.Boolean()),
  duration: Type.Optional(Type.Integer({ ...SafeInteger, minimum: 0, description: 'In seconds' })),
  result: Type.Optional(
    Nullable(
      Type.Object(
        { text: Type.Optional(Text(longest)) },
        { ...closed, description: 'What came of the task; an empty text is no result' },
      ),
    ),
  ),
  created_by: Type.Optional(UserId),
  updated_by: Type.Optional(UserId),
  created_at: Type.Optional(Timestamp),
  updated_at: Type.Optional(UpdatedAt),
  ...readOnly('group_id', 'account_id', '_links'),
}

export const NewTask = Type.Object(
  { text: Name(longest), complete_till: Timestamp, ...sent, ...readOnly('id') },
  closed,
)
export type NewTask = Static<typeof NewTask>

const changed = {
  text: Type.Optional(Name(longest)),
  complete_till: Type.Optional(Timestamp),
  ...sent,
}
export const TaskChange = Type.Object({ id: Id, ...changed }, closed)
export const OneTaskChange = Type.Object({ ...readOnly('id'), ...changed }, closed)
export type TaskChange = Static<typeof TaskChange>

/** A new task in an answer. */
export interface AddedTask {
  id: number
  request_id: string
}

/** A changed task in an answer. */
export interface ChangedTask extends AddedTask {
  updated_at: number
}

const added = { id: Id, request_id: Type.String(), _links: SelfLink }
/** The answers to creating tasks, changing several, and changing one. */
export const AddedTasks = Type.Object({
  _links: SelfLink,
  _embedded: Type.Object({ tasks: Type.Array(Type.Object(added)) }),
})
export const ChangedTaskAnswer = Type.Object({ ...added, updated_at: Timestamp })
export const ChangedTasks = Type.Object({
  _links: SelfLink,
  _embedded: Type.Object({ tasks: Type.Array(ChangedTaskAnswer) }),
})

export const TaskQuery = Type.Object(
  {
    ...Paging,
    filter: Type.Optional(
      Filters({
        id: Filter(Ids, several('id', 'id')),
        responsible_user_id: Filter(UserIds, several('responsible_user_id', 'user id')),
        created_by: Filter(UserIds, several('created_by', 'user id')),
        is_completed: Filter(
          CommaList(Type.Boolean(), 2, 1),
          `${several('is_completed', '1 or 0')}: 1 for completed tasks, 0 for open ones`,
        ),
        task_type: Filter(Ids, several('task_type', 'task type id')),
        task_type_id: Filter(Ids, `${several('task_type_id', 'task type id')}; as task_type`),
        entity_type: Filter(
          CommaList(TaskEntity, entityTypes.length, 1),
          several('entity_type', entityTypes.join(', ')),
        ),
        entity_id: Filter(Ids, `${several('entity_id', 'id')}. Needs filter[entity_type]`),
        lead_statuses: StatusesFilter('lead_statuses'),
        updated_at: Filter(
          TimeRange,
          pollingHint(range('updated_at', 'Unix seconds', 'for later than that')),
        ),
      }),
    ),
    order: Type.Optional(Order(['created_at', 'complete_till', 'id'])),
  },
  open,
)
export type TaskQuery = Static<typeof TaskQuery>
