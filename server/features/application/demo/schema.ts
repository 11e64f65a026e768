import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'

/** The types that the demo makes and that can be removed, in the order of their removal. */
export const demoTypes = [
  'unsorted_items',
  'tasks',
  'leads',
  'customers',
  'contacts',
  'companies',
] as const
export type DemoType = (typeof demoTypes)[number]

const numbers = Object.fromEntries(demoTypes.map((type) => [type, Type.Integer()])) as Record<
  DemoType,
  ReturnType<typeof Type.Integer>
>

/** Numbers of records by type. Tasks are those without a record; the others go with theirs. */
export const DemoCounts = Type.Object(numbers)
export type DemoCounts = Static<typeof DemoCounts>

export const DemoData = Type.Object({
  is_removable: Type.Boolean({ description: 'Whether any record of the demo is left' }),
  records: DemoCounts,
})

export const RemovedDemoData = Type.Object({ removed: DemoCounts })
