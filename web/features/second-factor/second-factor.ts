import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  BegunFactor as BegunShape,
  Proof,
  RecoveryCodes,
  SecondFactor,
  WithCode,
  WithPassword,
} from '../../../server/features/people/second-factor/schema.ts'
import { ask } from '../../data/api.ts'

export type BegunFactor = Static<typeof BegunShape>

const path = '/web/v1/second-factor'

/** Whether the second factor is on, since when, and how many recovery codes are left. */
export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => ask<Static<typeof SecondFactor>>(path, { signal }),
})

export const beginFactor = (body: Static<typeof WithPassword>) =>
  ask<BegunFactor>(path, { method: 'POST', body })

export const confirmFactor = (body: Static<typeof WithCode>) =>
  ask<Static<typeof RecoveryCodes>>(`${path}/confirm`, { method: 'POST', body })

export const renewCodes = (body: Proof) =>
  ask<Static<typeof RecoveryCodes>>(`${path}/recovery-codes`, { method: 'POST', body })

export const endFactor = (body: Proof) => ask<undefined>(path, { method: 'DELETE', body })
