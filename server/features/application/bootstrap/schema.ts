// The answer that the shell of the web application begins with, and the numbers on its badges.
import type { Static, TUnsafe } from 'typebox'
import { shownRights } from '../../../access/schema.ts'
import { entityTypes } from '../../../entity-types.ts'
import type { EntityType } from '../../../entity-types.ts'
import { Type } from '../../../http/type.ts'
import { Id, Nullable } from '../../../http/types.ts'
import type { FieldType } from '../../../records/fields/types.ts'
import { Tag } from '../../../records/tags.ts'
import { TaskType } from '../../definitions/task-types/schema.ts'
import { View } from '../../people/views/schema.ts'

const GroupId = Type.Integer({ minimum: 0 })
const named = { id: Id, name: Type.String() }
const sorted = { ...named, sort: Type.Integer() }
const colored = { ...sorted, color: Type.String(), type: Type.Integer() }

const Me = Type.Object({
  ...named,
  email: Type.String(),
  lang: Type.String(),
  group_id: GroupId,
  is_admin: Type.Boolean(),
  is_free: Type.Boolean(),
  rights: Type.Object(shownRights),
})

const AccountSummary = Type.Object({
  ...named,
  subdomain: Type.String(),
  language: Type.String(),
  country: Type.String(),
  currency: Type.String(),
  currency_symbol: Nullable(Type.String()),
  timezone: Type.String(),
  customers_mode: Type.String(),
  is_unsorted_on: Type.Boolean(),
  is_loss_reason_enabled: Type.Boolean(),
  contact_name_display_order: Type.Integer(),
  week_starts_on: Type.Integer({ description: '0: Sunday, 1: Monday, 6: Saturday' }),
  is_task_result_required: Type.Boolean({ description: 'Of people on the pages' }),
  chat_warn_minutes: Nullable(Type.Integer()),
  chat_late_minutes: Nullable(Type.Integer()),
  logo: Nullable(Type.String({ description: 'Names the version of the logo; null: none' })),
})

const PipelineSummary = Type.Object({
  ...sorted,
  is_main: Type.Boolean(),
  is_unsorted_on: Type.Boolean(),
  is_archive: Type.Boolean(),
  statuses: Type.Array(
    Type.Object({
      ...colored,
      is_editable: Type.Boolean(),
      stale_after_days: Nullable(
        Type.Integer({ description: 'Days after which a lead of the stage is stale' }),
      ),
    }),
  ),
})

const StageReference = Type.Object({ pipeline_id: Id, status_id: Id })

const FieldSummary = Type.Object({
  ...sorted,
  type: Type.String() as unknown as TUnsafe<FieldType>,
  code: Nullable(Type.String()),
  group_id: Nullable(Type.String()),
  is_api_only: Type.Boolean(),
  is_deletable: Type.Boolean(),
  currency: Nullable(Type.String()),
  enums: Nullable(
    Type.Array(
      Type.Object({
        id: Id,
        value: Type.String(),
        sort: Type.Integer(),
        code: Nullable(Type.String()),
        color: Type.Optional(Type.String({ description: 'One of the colors of statuses' })),
      }),
    ),
  ),
  chained_lists: Nullable(
    Type.Array(
      Type.Object({
        title: Type.String(),
        catalog_id: Id,
        parent_catalog_id: Nullable(Id),
      }),
    ),
  ),
  required_statuses: Type.Array(StageReference),
  hidden_statuses: Type.Array(StageReference),
})

const FieldsSummary = Type.Object({
  groups: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), sort: Type.Integer() })),
  fields: Type.Array(FieldSummary),
})

const ofEachType = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Object(
    Object.fromEntries(entityTypes.map((type) => [type, schema])) as Record<EntityType, Schema>,
  )

/** The most that a badge counts; beyond it the number is a lower bound. */
export const mostOnBadge = 1000

/** The numbers on the badges of the shell. Each is `mostOnBadge` at most. */
export const Counters = Type.Object({
  unsorted: Type.Integer({ description: 'Requests that wait in pipelines the user may see' }),
  chats: Type.Integer({ description: 'Chats with unread messages that the user may see' }),
  tasks: Type.Object(
    { overdue: Type.Integer(), today: Type.Integer() },
    { description: 'Own open tasks that are late, and those until midnight in the account’s zone' },
  ),
  notifications: Type.Integer(),
})
export type Counters = Static<typeof Counters>

const Cursor = Type.Integer({ minimum: 0, description: 'Where to begin the live stream' })

export const CountersAnswer = Type.Object({ counters: Counters, cursor: Cursor })

export const Bootstrap = Type.Object({
  version: Type.String({ description: 'The ETag: of everything but counters and cursor' }),
  me: Me,
  account: AccountSummary,
  users: Type.Array(
    Type.Object({
      ...named,
      group_id: GroupId,
      is_active: Type.Boolean(),
      is_admin: Type.Boolean(),
    }),
  ),
  groups: Type.Array(Type.Object({ id: GroupId, name: Type.String() })),
  roles: Type.Array(Type.Object(named), { description: 'Empty for all but administrators' }),
  pipelines: Type.Array(PipelineSummary, { description: 'The main one first' }),
  task_types: Type.Array(TaskType),
  loss_reasons: Type.Array(
    Type.Object({
      ...sorted,
      color: Nullable(Type.String()),
      icon_id: Nullable(Type.Integer()),
    }),
  ),
  sources: Type.Array(Type.Object({ ...named, pipeline_id: Id })),
  customer_statuses: Type.Array(Type.Object({ ...colored, is_default: Type.Boolean() })),
  segments: Type.Array(Type.Object({ ...named, color: Type.String() })),
  custom_fields: ofEachType(FieldsSummary),
  tags: ofEachType(
    Type.Array(Tag, { description: 'At most 100: those of the latest records, and the newest' }),
  ),
  views: Type.Array(View, { description: 'The own ones and the shared ones, by name' }),
  counters: Counters,
  cursor: Cursor,
})
export type Bootstrap = Static<typeof Bootstrap>
