// The envelope of the version-2 answers (interface: Version-2 answers). Links are paths without the
// query string, where programs put their key.
import type { FastifyRequest } from 'fastify'
import { halAnswer } from '../../../../http/hal.ts'
import type { Answer } from '../../../../http/hal.ts'
import type { Fault, ItemFaults, Problem } from '../../../../http/problem.ts'

export function linksOf({ method, url }: FastifyRequest) {
  const requestedMethod = method === 'HEAD' ? 'get' : method.toLowerCase()
  return { self: { href: url.split('?', 1)[0]!, method: requestedMethod } }
}

export const successAnswer = (request: FastifyRequest, data: object): Answer =>
  halAnswer({ status: 'success', data, _links: linksOf(request) })

/** A problem with the status, the sentences and the number that version 2 has for it. */
export function failureAnswer(problem: Problem, request: FastifyRequest): Answer {
  const faults = faultsOf(problem)
  const failure = {
    status: 'fail',
    data: [],
    error: faults.length > 0 ? sentencesOf(faults) : problem.message,
    error_code: faults.length > 0 ? numberOfFault(faults[0]!) : numberOfStatus(problem.status),
    _links: linksOf(request),
  }
  return halAnswer(failure, problem.status)
}

/** The name of an item in faults: its path in the body. */
export const nameOfItem = (key: string) => `add.${key}`

function faultsOf(problem: Problem): Fault[] {
  const items: ItemFaults[] = problem.body()['validation-errors'] ?? []
  return items.flatMap(({ request_id, errors }) =>
    errors.map((fault) => ({ ...fault, path: pathOf(request_id, fault.path) })),
  )
}

/** Faults that the verbs add name the keys of version 4. */
function pathOf(name: string, path: string): string {
  if (!name.startsWith('add.')) return path
  const key = path
    .replace(/^_embedded(?=$|\.(?:leads|contacts|companies))/, 'incoming_entities')
    .replace(/^metadata(?=\.|$)/, 'incoming_lead_info')
  return `${name}.${key}`
}

/** The most faults that one answer names. */
const mostNamed = 10

function sentencesOf(faults: Fault[]): string {
  const named = faults
    .slice(0, mostNamed)
    .map(({ path, detail }) => (path === '' ? detail : `${path}: ${detail}`))
  const others = faults.length - named.length
  return [...named, ...(others > 0 ? [`${others} more faults.`] : [])].join(' ')
}

// The numbers that the interface has for its older methods (interface: Version-2 answers).
const [noParameters, badStructure, badValue, noField, notCreated] = [103, 400, 203, 204, 205]
const byStatus: Readonly<Record<number, number>> = { 401: 110, 403: 244, 404: 2002 }

function numberOfFault({ code, path }: Fault): number {
  if (/^(?:add|accept|decline)?$/.test(path) && code !== 'TooMany') return noParameters
  if (path.endsWith('.source_uid') && code === 'NotUnique') return notCreated
  if (!/\.custom_fields(?:_values)?\./.test(path)) return badStructure
  return /\.custom_fields(?:_values)?\.\d+\.(?:field_)?(?:id|code)$/.test(path) ? noField : badValue
}

const numberOfStatus = (status: number) => byStatus[status] ?? status
