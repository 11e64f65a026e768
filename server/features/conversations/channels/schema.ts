import type { Static } from 'typebox'
import { SelfLink } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { Id, Name, Nullable, Text, Timestamp } from '../../../http/types.ts'
import { readOnly } from '../../../records/schema.ts'
import { longestDestination } from '../../programs/webhooks/webhooks.ts'

const closed = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })

/** The most accounts besides the owner that one channel may be connected to. */
const mostAllowed = 250

const ChannelName = Type.String({
  maxLength: 100,
  pattern: '^[A-Za-z][ -~]*$',
  description: 'Latin letters, digits and signs; the first character is a letter',
})
const Hook = Nullable(
  Type.String({
    ...Name(longestDestination),
    description: 'Where callbacks go; `:scope_id` in it stands for the scope. null: nowhere',
  }),
)

const settings = {
  name: ChannelName,
  bot_name: Type.String({ ...Name(255), description: 'The sender of messages of no user' }),
  hook_v1: Hook,
  hook_v2: Hook,
  client_id: Nullable(
    Type.String({
      ...Uuid,
      description: 'An own integration: only accounts that it is enabled in can be connected',
    }),
  ),
  allowed_accounts: Type.Array(Uuid, {
    maxItems: mostAllowed,
    description: 'The `amojo_id` of each account that may be connected besides the own one',
  }),
  is_avatar_required: Type.Boolean({ description: 'Whether senders without avatar are refused' }),
}

/** A channel as its owner sees it: never with the secret. */
export const Channel = Type.Object({
  id: Uuid,
  code: Type.String({ description: 'The origin of its conversations: kontor.ext.<n>' }),
  ...settings,
  bot_id: Uuid,
  created_by: Type.Integer({ ...Id, minimum: 0, description: '0: a command on the server' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  _links: SelfLink,
})

const secret = Type.String({ description: '40 hexadecimal digits, shown this once' })

/** A channel as its creation answers it. */
export const ShownChannel = Type.Object({ ...Channel.properties, secret })

export const ChannelSecret = Type.Object({ id: Uuid, secret, _links: SelfLink })

const shown = readOnly(
  'id',
  'code',
  'bot_id',
  'created_by',
  'created_at',
  'updated_at',
  'account_id',
  '_links',
)

const { name, ...others } = Type.Partial(Type.Object(settings)).properties

export const NewChannel = Type.Object({ name: settings.name, ...others, ...shown }, closed)
export type NewChannel = Static<typeof NewChannel>

export const ChannelChange = Type.Object({ name, ...others, ...shown }, closed)
export type ChannelChange = Static<typeof ChannelChange>

export const ChannelParams = Type.Object({ id: Uuid })

/** A request of the chat protocol, which the server signs for the owner of the channel. */
export const TriedRequest = Type.Object(
  {
    method: Type.Enum(['GET', 'POST', 'DELETE']),
    path: Type.String({
      ...Text(2048),
      pattern: '^/v2/origin/custom/',
      description: 'With the query string',
    }),
    body: Type.Optional(Type.Unknown({ description: 'The body, as JSON' })),
  },
  closed,
)
export type TriedRequest = Static<typeof TriedRequest>

export const TriedAnswer = Type.Object({
  status: Type.Integer(),
  body: Type.Unknown({ description: 'null: the answer has none' }),
})

/** A request to be signed, or one whose signature is in doubt. */
export const SignatureRequest = Type.Object(
  {
    method: Type.Enum(['GET', 'POST', 'DELETE']),
    path: Type.String({ ...Text(2048), description: 'Without the query string' }),
    body: Type.Optional(Type.String({ ...Text(65_536), description: 'The bytes, as sent' })),
    content_type: Type.Optional(
      Type.String({ ...Text(255), description: 'application/json by default' }),
    ),
    date: Type.Optional(Type.String({ ...Text(255), description: 'Now by default' })),
  },
  closed,
)
export type SignatureRequest = Static<typeof SignatureRequest>

export const ChannelSignature = Type.Object({
  of_body: Type.String({ description: 'The X-Signature that covers the body alone' }),
  of_request: Type.String({ description: 'The X-Signature that covers the canonical form' }),
  content_md5: Type.String(),
  date: Type.String(),
  canonical: Type.String({ description: 'The lines that `of_request` covers' }),
})

/** A request between a channel and its program, as the log of the latest ones has it. */
export const ChannelCall = Type.Object({
  id: Id,
  is_incoming: Type.Boolean({ description: 'From the program, or a callback to it' }),
  method: Type.String(),
  path: Type.String({ description: 'Of a callback, its address without the query' }),
  status: Type.Integer({ description: '0: no answer' }),
  fault: Nullable(Type.String({ description: 'Why it was refused, or had no answer' })),
  milliseconds: Type.Integer(),
  called_at: Timestamp,
})
export type ChannelCall = Static<typeof ChannelCall>

const HookVersionName = Type.Enum(['v1', 'v2'])

/** A connection as administrators see it. */
export const ConnectionState = Type.Object({
  scope_id: Type.String(),
  channel_id: Uuid,
  code: Type.String(),
  channel_name: Type.String(),
  account_id: Type.String({ ...Uuid, description: 'The `amojo_id` of the connected account' }),
  title: Type.String(),
  hook_api_version: HookVersionName,
  is_time_window_disabled: Type.Boolean(),
  has_hook: Type.Boolean({ description: 'Whether the channel has an address for this version' }),
  is_connected: Type.Boolean(),
  connected_at: Timestamp,
  disconnected_at: Nullable(Timestamp),
  last_error: Nullable(Type.String({ description: 'Why the latest callback failed' })),
  last_error_at: Nullable(Timestamp),
})
export type ConnectionState = Static<typeof ConnectionState>

/** The path of the methods that a channel calls before it has a scope. */
export const ChannelPath = Type.Object({ channel_id: Type.String() })

export const ConnectBody = Type.Object(
  {
    account_id: Type.String({
      ...Uuid,
      description: 'The account: `amojo_id` of `GET /api/v4/account?with=amojo_id`',
    }),
    title: Type.Optional(
      Type.String({ ...Text(255), description: 'The name of the channel by default' }),
    ),
    hook_api_version: Type.Optional(Type.Enum(['v1', 'v2'], { description: 'v1 by default' })),
    is_time_window_disabled: Type.Optional(Type.Boolean({ description: 'false by default' })),
    ...readOnly('scope_id'),
  },
  closed,
)
export type ConnectBody = Static<typeof ConnectBody>

/** The connection as the protocol answers it (interface: Chat connection). */
export const Connected = Type.Object({
  account_id: Uuid,
  scope_id: Type.String({ description: '<channel id>_<account id>' }),
  title: Type.String(),
  hook_api_version: HookVersionName,
  is_time_window_disabled: Type.Boolean(),
})
export type Connected = Static<typeof Connected>

export const DisconnectBody = Type.Object(
  { account_id: Uuid, ...readOnly('scope_id', 'title', 'hook_api_version') },
  closed,
)
