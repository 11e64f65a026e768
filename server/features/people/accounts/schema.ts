import type { Static } from 'typebox'
import { SelfLink } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { Id, Nullable, Timestamp } from '../../../http/types.ts'
import { withNames } from '../../../http/with.ts'
import { TaskType } from '../../definitions/task-types/schema.ts'

const Group = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  name: Type.String(),
  uuid: Nullable(Type.String()),
})

const DatetimeSettings = Type.Object({
  date_pattern: Type.String(),
  short_date_pattern: Type.String(),
  short_time_pattern: Type.String(),
  date_format: Type.String(),
  time_format: Type.String(),
  timezone: Type.String(),
  timezone_offset: Type.String(),
})

const Forms = Type.Record(Type.String(), Type.String())
const EntityNames = Type.Record(
  Type.String(),
  Type.Record(
    Type.String(),
    Type.Object({ gender: Type.String(), singular_form: Forms, plural_form: Forms }),
  ),
)
export type EntityNames = Static<typeof EntityNames>

/** The account as every program reads it after signing in (interface: Account). */
export const Account = Type.Object({
  id: Id,
  name: Type.String(),
  subdomain: Type.String(),
  created_at: Timestamp,
  created_by: Type.Integer(),
  updated_at: Timestamp,
  updated_by: Type.Integer(),
  current_user_id: Id,
  country: Type.String(),
  currency: Type.String(),
  currency_symbol: Nullable(Type.String()),
  customers_mode: Type.String(),
  is_unsorted_on: Type.Boolean(),
  mobile_feature_version: Type.Integer(),
  is_loss_reason_enabled: Type.Boolean(),
  is_helpbot_enabled: Type.Boolean(),
  is_technical_account: Type.Boolean(),
  contact_name_display_order: Type.Integer({
    description: '1: first name first; 2: last name first',
  }),
  amojo_id: Type.Optional(
    Type.String({ description: 'with=amojo_id: id of the account in the chat service' }),
  ),
  uuid: Type.Optional(Type.String()),
  version: Type.Optional(Type.Integer()),
  drive_url: Type.Optional(Type.String()),
  is_api_filter_enabled: Type.Optional(Type.Boolean()),
  entity_names: Type.Optional(EntityNames),
  invoices_settings: Type.Optional(
    Type.Object({ lang: Nullable(Type.String()), invoices_catalog_id: Nullable(Type.Integer()) }),
  ),
  _links: SelfLink,
  _embedded: Type.Optional(
    Type.Object({
      amojo_rights: Type.Optional(
        Type.Object({ can_direct: Type.Boolean(), can_create_groups: Type.Boolean() }),
      ),
      users_groups: Type.Optional(Type.Array(Group)),
      task_types: Type.Optional(Type.Array(TaskType)),
      datetime_settings: Type.Optional(DatetimeSettings),
    }),
  ),
})
export type Account = Static<typeof Account>
export type AccountGroup = Static<typeof Group>

/** The keys that the account shows on demand. */
export const accountWith = withNames(
  'amojo_id',
  'uuid',
  'amojo_rights',
  'users_groups',
  'task_types',
  'version',
  'entity_names',
  'datetime_settings',
  'drive_url',
  'is_api_filter_enabled',
  'invoices_settings',
)

export const AccountQuery = Type.Object(
  {
    with: accountWith.parameter,
  },
  { additionalProperties: true },
)
