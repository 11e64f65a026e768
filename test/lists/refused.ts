import type { Fault } from '../../server/http/problem.ts'
import type { Answer } from '../client.ts'

/** What a refused query was told, in whole. */
export const detailsOf = ({ body }: Answer): Fault[] =>
  body['validation-errors'].flatMap(({ errors }: { errors: Fault[] }) => errors)
