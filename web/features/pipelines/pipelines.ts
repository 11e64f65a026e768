// Pipelines and their stages, as administrators shape them. The vocabulary of the account has them; texts of
// stages and the numbers of their leads are asked for beside it.
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { TotalsAnswer } from '../../../server/features/application/board/schema.ts'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { Job } from '../../../server/features/application/jobs/schema.ts'
import type * as shapes from '../../../server/features/definitions/pipelines/shaping/schema.ts'
import type {
  NewStatus,
  SentDescription,
  Status,
} from '../../../server/features/definitions/pipelines/statuses/schema.ts'
import { isClosed, unsortedType } from '../../crm/stages.ts'
import { ask } from '../../data/api.ts'

export type AccountPipeline = Bootstrap['pipelines'][number]
export type PipelineStage = AccountPipeline['statuses'][number]
export type StageText = NonNullable<Status['descriptions']>[number]

/** Of an account, and stages of a pipeline with those that every pipeline has (interface: Limits). */
export const [mostPipelines, mostStages] = [50, 100]
/** The ranks that a text tells what a stage means. */
export const levels = ['newbie', 'candidate', 'master'] as const

const path = '/api/v4/leads/pipelines'
const own = '/web/v1/pipelines'
const post = { method: 'POST' } as const
const patch = { method: 'PATCH' } as const

/** The texts of the stages of a pipeline, by the id of the stage. */
export const stageTextsQuery = (pipeline: number) =>
  queryOptions({
    queryKey: ['pipelines', pipeline],
    queryFn: async ({ signal }): Promise<Record<number, StageText[]>> => {
      const { _embedded } = await ask<{ _embedded: { statuses: Status[] } }>(
        `${path}/${pipeline}/statuses?with=descriptions`,
        { signal },
      )
      return Object.fromEntries(
        _embedded.statuses.map(({ id, descriptions = [] }) => [id, descriptions]),
      )
    },
  })

/** The number of leads in each stage of a pipeline, by the id of the stage. */
export const stageTotalsQuery = (pipeline: number) =>
  queryOptions({
    queryKey: ['leads', 'totals', pipeline],
    queryFn: async ({ signal }): Promise<Record<number, number>> => {
      const { columns } = await ask<Static<typeof TotalsAnswer>>(
        `/web/v1/board/totals?pipeline_id=${pipeline}&closed=true`,
        { signal },
      )
      return Object.fromEntries(columns.map(({ status_id, count }) => [status_id, count]))
    },
    staleTime: 0,
  })

/**
 * Creates a pipeline with one stage. The stages that every pipeline has are called as in another one:
 * the server knows their English names alone.
 */
export const createPipeline = async (
  name: string,
  first: string,
  like: AccountPipeline | undefined,
): Promise<number> => {
  const system = (like?.statuses ?? []).flatMap((stage) => {
    if (stage.type === unsortedType) return { type: stage.type, name: stage.name }
    return isClosed(stage.id) ? { id: stage.id, name: stage.name } : []
  })
  const statuses = [...system, { name: first, color: '#98cbff' }]
  const { _embedded } = await ask<{ _embedded: { pipelines: { id: number }[] } }>(path, {
    ...post,
    body: [{ name, _embedded: { statuses } }],
  })
  return _embedded.pipelines[0]!.id
}

export const changePipeline = (
  id: number,
  change: Partial<Pick<AccountPipeline, 'name' | 'is_main' | 'is_unsorted_on'>>,
) => ask(`${path}/${id}`, { ...patch, body: change })

export const copyPipeline = async (id: number, name: string): Promise<number> =>
  (await ask<{ id: number }>(`${own}/${id}/copy`, { ...post, body: { name } })).id

export const archivePipeline = (id: number, isArchived: boolean) =>
  ask(`${own}/${id}/archive`, { method: isArchived ? 'PUT' : 'DELETE' })

export const deletePipeline = (id: number) => ask(`${path}/${id}`, { method: 'DELETE' })

/** Adds a stage before the one that has this `sort`; answers its id. */
export const createStage = async (
  pipeline: number,
  stage: Pick<NewStatus, 'name' | 'sort' | 'color'>,
): Promise<number> => {
  const { _embedded } = await ask<{ _embedded: { statuses: { id: number }[] } }>(
    `${path}/${pipeline}/statuses`,
    { ...post, body: [stage] },
  )
  return _embedded.statuses[0]!.id
}

export const changeStage = (
  pipeline: number,
  id: number,
  change: { name?: string; color?: string; descriptions?: SentDescription[] },
) => ask(`${path}/${pipeline}/statuses/${id}`, { ...patch, body: change })

export const setStaleAfter = (pipeline: number, id: number, change: shapes.StageChange) =>
  ask(`${own}/${pipeline}/statuses/${id}`, { ...patch, body: change })

export const moveStage = (pipeline: number, id: number, before: number | null) =>
  ask(`${own}/${pipeline}/statuses/${id}/move`, { ...post, body: { before } })

/** Begins the job that moves the leads of a stage and then deletes it. */
export const deleteStage = (pipeline_id: number, status_id: number, move_to: number) =>
  ask<Job>('/web/v1/definition-jobs', {
    ...post,
    body: { delete_status: { pipeline_id, status_id, move_to } },
  })

/** Has people asked for a field of leads before a stage, or no longer. */
export const requireField = (field: number, pipeline: number, stage: number, isRequired: boolean) =>
  ask(`/web/v1/fields/leads/${field}/stages/required/${pipeline}/${stage}`, {
    method: isRequired ? 'PUT' : 'DELETE',
  })
