import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Nullable } from '../../../http/types.ts'

/** How far the evaluation of all customers by changed rules is. */
export const SegmentRefreshProgress = Type.Object({
  is_running: Type.Boolean(),
  done: Type.Integer({ description: 'Customers evaluated so far' }),
  total: Nullable(Type.Integer({ description: 'Customers to evaluate; null until counted' })),
})
export type SegmentRefreshProgress = Static<typeof SegmentRefreshProgress>
