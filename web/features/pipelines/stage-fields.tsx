import { MultiSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { useRefusalText } from '../../ui/states.tsx'
import { requireField } from './pipelines.ts'

/** The fields that people are asked for before a lead enters a stage. Each is added and removed by itself. */
export function StageFields({
  pipeline,
  stage,
  refresh,
}: {
  pipeline: number
  stage: number
  refresh: () => Promise<unknown>
}) {
  const words = useTranslations('pipelines')
  const refusalText = useRefusalText()
  const { custom_fields } = useBootstrap()
  const { fields } = custom_fields.leads
  const required = fields
    .filter(({ required_statuses }) =>
      required_statuses.some(
        ({ pipeline_id, status_id }) => pipeline_id === pipeline && status_id === stage,
      ),
    )
    .map(({ id }) => String(id))
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: async ({ fields: changed }: { shown: string[]; fields: [string, boolean][] }) => {
      for (const [field, isRequired] of changed)
        await requireField(Number(field), pipeline, stage, isRequired)
      await refresh()
    },
  })
  return (
    <MultiSelect
      label={words('required')}
      description={words('requiredAbout')}
      placeholder={fields.length === 0 ? words('noFields') : words('addField')}
      data={fields.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={isPending ? variables.shown : required}
      searchable
      nothingFoundMessage={words('noField')}
      error={error ? refusalText(error) : undefined}
      onChange={(shown) =>
        mutate({
          shown,
          fields: [
            ...shown
              .filter((id) => !required.includes(id))
              .map((id) => [id, true] as [string, boolean]),
            ...required
              .filter((id) => !shown.includes(id))
              .map((id) => [id, false] as [string, boolean]),
          ],
        })
      }
    />
  )
}
