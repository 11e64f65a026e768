// The rows of a new pipeline: pure functions of its draft.
import type { Fault } from '../../../http/problem.ts'
import { highestSort } from '../../../http/types.ts'
import type { NewPipeline } from './schema.ts'
import { descriptionFaults } from './statuses/descriptions.ts'
import { colorFaults, lost, paletteColor, won } from './statuses/schema.ts'
import type { EmbeddedStatus, SentDescription } from './statuses/schema.ts'

type SystemStatus = 'unsorted' | 'won' | 'lost'

export interface PipelineDraft {
  name: string
  is_main: boolean
  sort: number
  is_unsorted_on?: boolean
  /** The ordinary statuses, in order. */
  statuses: { name: string; color: string; descriptions?: SentDescription[] | undefined }[]
  /** The names of the statuses that every pipeline has, where they are not the usual ones. */
  names?: { [Status in SystemStatus]?: string | undefined }
}

/** Statuses are in the order of their sort; those without one come last, in the order sent. */
export function draftPipeline(
  { name, sort, is_unsorted_on, _embedded }: NewPipeline,
  nextSort: number,
): PipelineDraft {
  const sent = _embedded?.statuses ?? []
  const statuses = sent
    .filter((status) => systemStatus(status) === undefined)
    .toSorted((one, other) => (one.sort ?? highestSort) - (other.sort ?? highestSort))
    .map((status) => ({
      name: status.name.trim(),
      color: paletteColor(status.color),
      descriptions: status.descriptions,
    }))
  const named = sent.map((status) => [systemStatus(status), status.name.trim()] as const)
  return {
    name: name.trim(),
    is_main: false,
    sort: sort ?? nextSort,
    ...(is_unsorted_on !== undefined && { is_unsorted_on }),
    statuses: statuses.length > 0 ? statuses : [{ name: 'Initial contact', color: '#99ccff' }],
    names: Object.fromEntries(named.filter(([status]) => status !== undefined)),
  }
}

/** The faults of the statuses that are sent with a new pipeline. */
export function embeddedFaults({ _embedded }: NewPipeline): Fault[] {
  const sent = _embedded?.statuses ?? []
  const systems = sent.map(systemStatus)
  return sent.flatMap((status, index): Fault[] => {
    const at = `_embedded.statuses.${index}`
    const system = systems[index]
    if (system === undefined)
      return [
        ...colorFaults(status.color, `${at}.color`),
        ...descriptionFaults(status.descriptions, `${at}.descriptions`),
      ]
    const isRepeated = systems.indexOf(system) < index
    return isRepeated
      ? [{ code: 'NotUnique', path: `${at}.id`, detail: `The status ${system} is there twice.` }]
      : []
  })
}

/** The ordinary statuses of a pipeline, between those that every pipeline has. */
export function statusesOf({ statuses, names = {} }: PipelineDraft) {
  return [
    { name: names.unsorted ?? 'Incoming leads', color: '#c1c1c1', sort: 10, type: 1, id: null },
    ...statuses.map(({ name, color }, index) => ({
      name,
      color,
      sort: 20 + 10 * index,
      type: 0,
      id: null,
    })),
    { name: names.won ?? 'Closed - won', color: '#CCFF66', sort: 10_000, type: 0, id: won },
    { name: names.lost ?? 'Closed - lost', color: '#D5D8DB', sort: 11_000, type: 0, id: lost },
  ]
}

/** Which of the statuses that every pipeline has is meant, undefined for an ordinary one. */
function systemStatus({ id, type }: EmbeddedStatus): SystemStatus | undefined {
  if (id === won) return 'won'
  if (id === lost) return 'lost'
  return type === 1 ? 'unsorted' : undefined
}
