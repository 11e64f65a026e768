// The stages that ask for a field, or that hide it: each is put on the list, or taken off, by itself.
import { CloseButton, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { Select } from '../../ui/select.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import type { FieldWrites, ManagedField } from './fields.ts'
import styles from './stages.module.css'

export function FieldStages({
  field,
  list,
  writes,
  onChanged,
}: {
  field: ManagedField
  list: 'required' | 'hidden'
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
}) {
  const words = useTranslations('fields')
  const { pipelines } = useBootstrap()
  const id = useId()
  const named = field[`${list}_statuses`]
  const set = useMutation({
    mutationFn: ({ key, isOn }: { key: string; isOn: boolean }) => {
      const [pipeline_id, status_id] = key.split(' ').map(Number) as [number, number]
      return writes.setStage(field.id, list, { pipeline_id, status_id }, isOn)
    },
    onSuccess: onChanged,
    scope: { id: 'fields' },
  })
  const stages = pipelines.flatMap((pipeline) =>
    pipeline.statuses.map((status) => ({
      key: `${pipeline.id} ${status.id}`,
      pipeline: pipeline.name,
      name: status.name,
      color: status.color,
      isOn: named.some(
        ({ pipeline_id, status_id }) => pipeline_id === pipeline.id && status_id === status.id,
      ),
    })),
  )
  const on = stages.filter(({ isOn }) => isOn)
  const data = pipelines.flatMap((pipeline) => {
    const items = stages
      .filter(({ key, isOn }) => !isOn && key.startsWith(`${pipeline.id} `))
      .map(({ key, name }) => ({ value: key, label: name }))
    return items.length > 0 ? [{ group: pipeline.name, items }] : []
  })
  return (
    <div>
      <Text fw={500} id={id}>
        {words(list)}
      </Text>
      <Text size="sm" c="dimmed" className={styles.about}>
        {words(`stagesAbout.${list}`)}
      </Text>
      {on.length > 0 && (
        <ul className={styles.stages} aria-labelledby={id}>
          {on.map(({ key, pipeline, name, color }) => (
            <li key={key} className={styles.stage}>
              <span className={styles.dot} style={{ background: color }} />
              <span>
                {pipelines.length > 1 ? words('stageOf', { pipeline, stage: name }) : name}
              </span>
              <CloseButton
                size={24}
                aria-label={words('takeOff', { stage: name })}
                onClick={() => set.mutate({ key, isOn: false })}
              />
            </li>
          ))}
        </ul>
      )}
      <Select
        key={on.length}
        mt="xs"
        maw={320}
        searchable
        aria-label={words(list === 'required' ? 'addRequired' : 'addHidden')}
        placeholder={words('addStage')}
        data={data}
        value={null}
        disabled={data.length === 0}
        onChange={(key) => key !== null && set.mutate({ key, isOn: true })}
      />
      <ProblemAlert error={set.error} />
    </div>
  )
}
