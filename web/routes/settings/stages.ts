import { useBootstrap } from '../../crm/bootstrap.ts'
import type { ExceptionStage } from '../../features/roles/exceptions.tsx'
import { unsortedType } from '../../crm/stages.ts'

/** All stages of all pipelines, as the rights of stages show them. */
export function useStages(): ExceptionStage[] {
  const { pipelines } = useBootstrap()
  return pipelines.flatMap(({ id, name, statuses }) =>
    statuses.map((status) => ({
      pipeline_id: id,
      status_id: status.id,
      pipeline: name,
      name: status.name,
      color: status.color,
      isUnsorted: status.type === unsortedType,
    })),
  )
}
