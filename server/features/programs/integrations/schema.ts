import type { Static } from 'typebox'
import { SelfLink } from '../../../http/hal.ts'
import { Paging } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Text, Timestamp } from '../../../http/types.ts'

/**
 * The scopes of integrations, in the order in which they are shown (interface: Scopes).
 */
export const scopes = [
  'crm',
  'files',
  'files_delete',
  'notifications',
  'push_notifications',
] as const

const [crm, files, files_delete, notifications, push_notifications] = scopes
const Scope = Type.Union([
  Type.Literal(crm),
  Type.Literal(files),
  Type.Literal(files_delete),
  Type.Literal(notifications),
  Type.Literal(push_notifications),
])
const Scopes = Type.Array(Scope, { minItems: 1, maxItems: scopes.length })
const EmptyList = Nullable(Type.Union([Type.Literal(200), Type.Literal(204)]))

/** The most origins of one integration, and the most characters of one. */
const [mostOrigins, longestOrigin] = [10, 300]
const Origins = Type.Array(Name(longestOrigin), {
  maxItems: mostOrigins,
  description:
    'The origins of pages that may call the interface from a browser, as `https://app.example.com`',
})

const settings = {
  name: Name(255),
  description: Text(65_000),
  redirect_uri: Name(2000),
  scopes: Scopes,
  is_public: Type.Boolean({ description: 'Other accounts may install it too' }),
  empty_list: EmptyList,
  forgiving_refresh: Type.Boolean({
    description: 'A refresh token may be used again within a minute and yields a new pair',
  }),
  uninstall_hook: Nullable(Name(2000)),
  manages_people: Type.Boolean({
    description: 'Whether it asks to manage people and roles; an account that installs it decides',
  }),
  origins: Origins,
  logo: Nullable(
    Type.String({
      maxLength: 270_000,
      description: 'A data URL: data:image/png;base64,…, or jpeg or gif, at most 200 kB',
    }),
  ),
}

const DuplicatePipelines = Type.Array(Id, {
  maxItems: 50,
  description: 'Pipelines in which complex creation looks for duplicates',
})

/** The settings of an account for an installed integration. */
export const Installation = Type.Object({
  duplicate_pipelines: Type.Optional(DuplicatePipelines),
  manages_people: Type.Optional(Type.Boolean()),
})
export type Installation = Static<typeof Installation>

const { name, redirect_uri, ...others } = settings

export const NewIntegration = Type.Object({
  name,
  redirect_uri,
  ...Type.Partial(Type.Object(others)).properties,
})
export type NewIntegration = Static<typeof NewIntegration>

export const ChangedIntegration = Type.Partial(Type.Object(settings))
export type ChangedIntegration = Static<typeof ChangedIntegration>

const { logo, ...listed } = settings

/** An integration as shown to an account that created or installed it. */
export const ListedIntegration = Type.Object({
  client_id: Type.String({ format: 'uuid' }),
  ...listed,
  has_logo: Type.Boolean(),
  is_own: Type.Boolean({ description: 'True if created in this account' }),
  is_enabled: Type.Boolean({ description: 'True if enabled in this account' }),
  may_manage_people: Type.Boolean({ description: 'True if this account lets it' }),
  duplicate_pipelines: DuplicatePipelines,
  grants: Type.Integer({ description: 'The grants in force in this account' }),
  people: Type.Integer({ description: 'The active users of this account that it has made' }),
  last_used_at: Nullable(
    Type.Integer({
      ...Timestamp,
      description:
        'When it called last, up to five minutes too early; null: not with a grant in force',
    }),
  ),
  created_by: Type.Integer({ minimum: 0 }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ListedIntegration = Static<typeof ListedIntegration>

/** One integration, without its secret. */
export const OneIntegration = Type.Object({
  ...ListedIntegration.properties,
  logo,
  _links: SelfLink,
})

/** An integration as its creation answers it. */
export const MadeIntegration = Type.Object({
  ...OneIntegration.properties,
  client_secret: Type.String(),
})

export const IntegrationList = Type.Object({
  _links: SelfLink,
  _embedded: Type.Object({ integrations: Type.Array(ListedIntegration) }),
})

/** What goes with an integration when it ends in the account. */
export const Ending = Type.Object(
  {
    deactivate_people: Type.Optional(
      Type.Boolean({ description: 'Whether the users that it has made are deactivated' }),
    ),
  },
  { additionalProperties: false },
)

export const Secret = Type.Object({ client_id: Type.String(), client_secret: Type.String() })
export const Code = Type.Object({ code: Type.String(), expires_at: Timestamp })
export const NewToken = Type.Object({ days: Type.Integer({ minimum: 1, maximum: 1826 }) })
export const Token = Type.Object({ access_token: Type.String(), expires_at: Timestamp })

/** A grant in force: a user gave it, and nobody has revoked it. */
export const Grant = Type.Object({
  id: Id,
  user_id: Id,
  user_name: Type.String(),
  is_full_access: Type.Boolean({ description: 'True if granted by an administrator' }),
  scopes: Type.Array(Type.String()),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(
    Type.Integer({
      ...Timestamp,
      description: 'When a token of it called last, up to five minutes too early; null: never',
    }),
  ),
})
export type Grant = Static<typeof Grant>

/** A request of an integration, as the log of its latest calls has it. */
export const IntegrationCall = Type.Object({
  id: Id,
  user_id: Id,
  user_name: Type.String(),
  method: Type.String(),
  path: Type.String({ description: 'With the query string, 500 characters at most' }),
  status: Type.Integer(),
  fault: Nullable(Type.String({ description: 'Why it was refused' })),
  milliseconds: Type.Integer(),
  rate: Type.Integer({ description: 'The calls of the integration in the same second' }),
  called_at: Timestamp,
})
export type IntegrationCall = Static<typeof IntegrationCall>

export const GrantQuery = Type.Object(Paging)

export const ClientParams = Type.Object({ client_id: Type.String({ format: 'uuid' }) })
export const GrantParams = Type.Object({ client_id: Type.String({ format: 'uuid' }), id: Id })
