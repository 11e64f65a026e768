import type { Fault } from '../../server/http/problem.ts'
import type { Answer } from '../client.ts'

/** All faults of a refused query. */
export const detailsOf = ({ body }: Answer): Fault[] =>
  body['validation-errors'].flatMap(({ errors }: { errors: Fault[] }) => errors)
