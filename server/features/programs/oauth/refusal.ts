import { Problem } from '../../../http/problem.ts'

/**
 * The refusals of the token endpoint, in the words that clients look for (interface: Token
 * refusals).
 */
export interface Refusal {
  status: 400 | 401
  hint: string
  title: string
  detail: string
}

const invalidRequest = {
  title: 'invalid request',
  detail:
    'The request is missing a required parameter, includes an invalid parameter value, or is otherwise malformed.',
}
const about = (status: 400 | 401, hint: string): Refusal => ({ status, hint, ...invalidRequest })

export const oauthRefusals = {
  expiredCode: about(400, 'Authorization code has expired'),
  usedCode: about(400, 'Authorization code has been revoked'),
  unreadableCode: about(400, 'Cannot decrypt the authorization code'),
  codeOfAnother: about(400, 'Authorization code was not issued to this client'),
  revokedRefreshToken: about(401, 'Token has been revoked'),
  expiredRefreshToken: about(401, 'Token has expired'),
  unreadableRefreshToken: about(401, 'Cannot decrypt the refresh token'),
}

export function refuse({ status, hint, title, detail }: Refusal): Problem {
  return new Problem(status, detail, { extra: { hint, title } })
}

/** A parameter is absent, empty or no text. */
export const missing = (parameter: string) =>
  refuse(about(400, `Check the \`${parameter}\` parameter`))

export const unsupportedGrant = () =>
  refuse({
    status: 400,
    hint: 'Check that all required parameters have been provided',
    title: 'unsupported grant type',
    detail: 'The authorization grant type is not supported by the authorization server.',
  })

export const invalidClient = () =>
  new Problem(401, 'Client authentication failed', { extra: { title: 'invalid client' } })
