import { Button, Group, Textarea, TextInput } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { drawnOptions } from '../../crm/icons.tsx'
import { useRecentRecords } from '../../crm/recent.ts'
import { recordTypes } from '../../crm/records.ts'
import { addTask } from '../../crm/tasks.ts'
import { clockAt, dayAfter, dayAt, momentAt } from '../../ui/day.ts'
import { NewForm, SideBySide, Responsible, useNew } from './new.tsx'
import type { NewProps } from './new.tsx'
import { idOf, RecordPicker, typeOf } from './record-picker.tsx'
import type { Picked } from './record-picker.tsx'
import { Select } from '../../ui/select.tsx'

/** A task, of the record that is on the page unless another one is chosen. */
export function NewTaskForm(props: NewProps) {
  const words = useTranslations('create')
  const { me, account, task_types } = useBootstrap()
  const timeZone = useTimeZone() ?? account.timezone
  const shown = useShownRecord()
  const morning = (days: number) => `${dayAfter(dayAt(Date.now() / 1000, timeZone), days)}T09:00`
  const [picked, setPicked] = useState(shown)
  const [values] = useState(() => ({
    text: props.text,
    task_type_id: String(task_types[0]?.id ?? ''),
    complete_till: morning(1),
    responsible_user_id: String(me.id),
    entity_id: shown?.value ?? '',
  }))
  const filled = useNew(props, {
    values,
    stays: true,
    stale: ['tasks', 'counters', 'search'],
    validate: {
      text: (text) => (text.trim() === '' ? words('textMissing') : undefined),
      complete_till: (clock) => (clock === '' ? words('dateMissing') : undefined),
    },
    fieldOf: (path) => (path === 'entity_type' ? 'entity_id' : path),
    send: async ({ text, entity_id, complete_till, task_type_id, responsible_user_id }, key) => {
      await addTask(
        {
          text: text.trim(),
          task_type_id: Number(task_type_id),
          complete_till: momentAt(complete_till, timeZone),
          responsible_user_id: Number(responsible_user_id),
          ...(entity_id !== '' && { entity_type: typeOf(entity_id), entity_id: idOf(entity_id) }),
        },
        key,
      )
      return entity_id !== '' && picked
        ? { type: typeOf(entity_id), id: idOf(entity_id), name: picked.label }
        : undefined
    },
  })
  const { form } = filled
  const times = [
    ['inAnHour', clockAt(Date.now() / 1000 + 3600, timeZone)],
    ['tomorrow', morning(1)],
    ['inAWeek', morning(7)],
  ] as const
  const { onChange: setRecord, ...record } = form.getInputProps('entity_id')
  return (
    <NewForm filled={filled} onCancel={props.onCancel}>
      <Textarea
        label={words('text')}
        autosize
        minRows={2}
        maxRows={8}
        data-autofocus
        {...form.getInputProps('text')}
      />
      <SideBySide>
        <Select
          label={words('taskType')}
          data={task_types.map(({ id, name, code }) => ({
            value: String(id),
            label: code === 'FOLLOW_UP' || code === 'MEETING' ? words(`taskTypes.${code}`) : name,
          }))}
          allowDeselect={false}
          {...drawnOptions(task_types, form.values.task_type_id)}
          {...form.getInputProps('task_type_id')}
        />
        <Responsible
          subject={
            form.values.entity_id === ''
              ? undefined
              : { type: typeOf(form.values.entity_id), id: idOf(form.values.entity_id) }
          }
          {...form.getInputProps('responsible_user_id')}
        />
      </SideBySide>
      <div>
        <TextInput
          label={words('due')}
          type="datetime-local"
          max="9999-12-31T23:59"
          {...form.getInputProps('complete_till')}
        />
        <Group gap="xs" mt="xs" role="group" aria-label={words('times')}>
          {times.map(([name, clock]) => (
            <Button
              key={name}
              size="compact-xs"
              variant="default"
              onClick={() => form.setFieldValue('complete_till', clock)}
            >
              {words(name)}
            </Button>
          ))}
        </Group>
      </div>
      <RecordPicker
        label={words('record')}
        types={recordTypes}
        picked={picked}
        {...record}
        onChange={(value, each) => {
          setPicked(each)
          setRecord(value)
        }}
      />
    </NewForm>
  )
}

/** The record that the page shows, or the card over it. */
function useShownRecord(): Picked | undefined {
  const { type, id } = useParams({ strict: false }) as { type?: string; id?: string }
  const { card } = useSearch({ strict: false }) as { card?: string }
  const shown = card ?? `${type}-${id}`
  const record = useRecentRecords().find((each) => `${each.type}-${each.id}` === shown)
  return record && { value: `${record.type}:${record.id}`, label: record.name }
}
