import { Type } from '../../../../http/type.ts'

/** The length of a status in days. */
export const StatusLength = Type.Object(
  { days: Type.Integer({ minimum: 0, maximum: 3650 }) },
  { additionalProperties: false },
)
