import type { Static } from 'typebox'
import { parseNested } from '../../../../http/nested.ts'
import { badRequest } from '../../../../http/problem.ts'
import { Type } from '../../../../http/type.ts'
import { compile } from '../../../../http/validate.ts'

/**
 * The parameters with which an integration opens the window (interface: Access-granting window).
 */
export const ConsentParameters = Type.Object(
  {
    client_id: Type.String({ minLength: 1, maxLength: 64, description: 'Id of the integration' }),
    state: Type.Optional(
      Type.String({ maxLength: 4000, description: 'Returned unchanged in the redirect' }),
    ),
    mode: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'post_message: the redirect loads inside the window; popup: the window posts `{url}` to its opener; otherwise the window redirects in place',
      }),
    ),
    origin: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'With mode=popup: the address of the page that opened the window',
      }),
    ),
  },
  { additionalProperties: true },
)
export type ConsentParameters = Static<typeof ConsentParameters>

const Field = Type.Optional(Type.String())

/** The fields of all forms of the window; each form sends its own. */
export const ConsentForm = Type.Object({
  action: Field,
  question: Field,
  csrf: Field,
  email: Field,
  password: Field,
  code: Field,
  pair: Field,
  account: Field,
  scopes: Field,
})

const parameters = compile(ConsentParameters, 'text')

/**
 * The parameters as one text, for an address or a hidden field. A hidden field per parameter would
 * let browsers rewrite the line ends in `state`.
 */
export function asText({ client_id, state, mode, origin }: ConsentParameters): string {
  return Object.entries({ client_id, state, mode, origin })
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join('&')
}

/** Parses the parameters from such a text. Throws a 400 problem if they are invalid. */
export function fromText(text: string): ConsentParameters {
  const { value, faults } = parameters(parseNested(text))
  if (faults.length > 0)
    throw badRequest(`The parameter ${faults[0]!.path} of this page is not valid`)
  return value
}
