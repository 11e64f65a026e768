import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'

/** The first steps in a new account, each with whether it is done. */
export const Checklist = Type.Object({
  pipeline: Type.Boolean({ description: "A pipeline has stages of the account's own" }),
  fields: Type.Boolean({ description: 'There is a custom field that the account added' }),
  invite: Type.Boolean({ description: 'Somebody else is a user, or is invited' }),
  role: Type.Boolean({ description: 'There is a role' }),
  factor: Type.Boolean({ description: 'The caller has a second factor' }),
  program: Type.Boolean({ description: 'There is an integration or an API key' }),
  webhook: Type.Boolean({ description: 'There is a webhook' }),
})
export type Checklist = Static<typeof Checklist>
