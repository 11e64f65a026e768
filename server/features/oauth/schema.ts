import { Type } from 'typebox'

/** The request body of the token endpoint (specification, Token exchange). */
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

/** Times are in Unix seconds; `expires_in` is in seconds from now (specification, Token pair). */
export const TokenPair = Type.Object({
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  server_time: Type.Integer(),
  access_token: Type.String(),
  refresh_token: Type.String(),
})
