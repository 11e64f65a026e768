import { Type } from '../../../http/type.ts'
import { Id } from '../../../http/types.ts'

/** The request body of the token endpoint (interface: Token exchange). */
export const Exchange = Type.Object(
  {
    client_id: Type.String(),
    client_secret: Type.String(),
    grant_type: Type.Union([Type.Literal('authorization_code'), Type.Literal('refresh_token')]),
    code: Type.Optional(
      Type.String({ description: 'Required when grant_type is authorization_code' }),
    ),
    refresh_token: Type.Optional(
      Type.String({ description: 'Required when grant_type is refresh_token' }),
    ),
    redirect_uri: Type.String({ description: 'Must equal the redirect URI of the integration' }),
  },
  { additionalProperties: true },
)

/** The account of a token, and its host (interface: Account of a token). */
export const AccountDomain = Type.Object({
  id: Id,
  subdomain: Type.String(),
  domain: Type.String({ description: 'The host of the account, with its port' }),
  top_level_domain: Type.String({
    description: 'The last part of the host, such as `com`; the whole of an address',
  }),
})

/** Times are in Unix seconds; `expires_in` is in seconds from now (interface: Token pair). */
export const TokenPair = Type.Object({
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  server_time: Type.Integer(),
  access_token: Type.String(),
  refresh_token: Type.String(),
})
