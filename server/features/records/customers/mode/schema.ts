import type { Static } from 'typebox'
import { Type } from '../../../../http/type.ts'

/** A way of working with customers, turned on or off. */
export const CustomersMode = Type.Object(
  {
    mode: Type.Union([Type.Literal('periodicity'), Type.Literal('segments')]),
    is_enabled: Type.Boolean({
      description: 'True turns the mode on and the other one off; false turns the mode off',
    }),
  },
  { additionalProperties: false },
)
export type CustomersMode = Static<typeof CustomersMode>
