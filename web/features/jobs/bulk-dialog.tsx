import { Loader, Modal, MultiSelect, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { BulkKind } from '../../../server/features/application/jobs/schema.ts'
import { drawnOptions } from '../../crm/icons.tsx'
import { lost, unsortedType } from '../../crm/stages.ts'
import { useFoundTags } from '../../crm/tags.ts'
import type { Tag } from '../../crm/tags.ts'
import { CardWords } from '../../words/words.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { dayAt, momentAt } from '../../ui/day.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { ProblemText } from '../../ui/states.tsx'
import styles from './jobs.module.css'
import { jobsQuery, startJob } from './jobs.ts'
import { FieldToChange } from './field-to-change.tsx'
import type { ChosenField } from './field-to-change.tsx'
import type { BulkAction, JobTarget, JobType } from './jobs.ts'
import { Select } from '../../ui/select.tsx'

export type BulkVocabulary = Pick<
  Bootstrap,
  'me' | 'users' | 'pipelines' | 'loss_reasons' | 'task_types' | 'tags' | 'custom_fields'
>

/** Asks for the particulars of an act on many leads, repeats which ones, and begins the job. */
export function BulkDialog({
  kind,
  number,
  target,
  filterWords,
  vocabulary,
  onClose,
}: {
  kind: BulkKind
  /** "All 1,284 leads". */
  number: string
  target: JobTarget
  filterWords: string
  vocabulary: BulkVocabulary
  onClose: (isBegun: boolean) => void
}) {
  const words = useTranslations('jobs')
  const shared = useTranslations('ui')
  const client = useQueryClient()
  const timeZone = useTimeZone() ?? 'UTC'
  const { entity_type: type } = target
  const [change, setChange] = useState<ChosenField>()
  const [fieldFault, setFieldFault] = useState<string>()
  const form = useForm({
    initialValues: {
      stage: null as string | null,
      reason: null as string | null,
      user: null as string | null,
      add: [] as string[],
      remove: [] as Tag[],
      text: '',
      taskType: String(vocabulary.task_types[0]?.id ?? ''),
      due: `${dayAt(Date.now() / 1000, timeZone)}T18:00`,
    },
  })
  const { mutate, isPending, error } = useMutation({
    mutationFn: (act: BulkAction) => startJob(target, act),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: jobsQuery.queryKey })
      onClose(true)
    },
  })
  const which = (
    <div className={styles.which}>
      <b>{number}</b>
      {filterWords !== '' && <span>{filterWords}</span>}
    </div>
  )
  if (kind === 'delete' || kind === 'restore' || kind === 'purge')
    return (
      <Confirm
        opened
        title={words(`titles.${kind}`)}
        text={
          <>
            {which}
            {words(`texts.${kind}`)}
          </>
        }
        action={words(`acts.${kind}`)}
        isSafe={kind === 'restore'}
        isPending={isPending}
        error={error}
        onConfirm={() => mutate({ [kind]: {} })}
        onClose={() => onClose(false)}
      />
    )
  const { stage, reason, user, add, remove, text, taskType, due } = form.values
  const users = vocabulary.users
    .filter(({ is_active }) => is_active)
    .map(({ id, name }) => ({ value: String(id), label: name }))
  const isLost = stage?.endsWith(`:${lost}`)
  const act = (): BulkAction | string => {
    if (kind === 'move') {
      if (!stage) return words('stageMissing')
      const [pipeline, status] = stage.split(':').map(Number)
      return {
        move: {
          pipeline_id: pipeline!,
          status_id: status!,
          ...(isLost && reason && { loss_reason_id: Number(reason) }),
        },
      }
    }
    if (kind === 'assign')
      return user ? { assign: { responsible_user_id: Number(user) } } : words('userMissing')
    if (kind === 'tag')
      return add.length + remove.length > 0
        ? { tag: { add, remove: remove.map(({ id }) => id) } }
        : words('tagMissing')
    if (kind === 'field') {
      return change?.sent ? { field: change.sent } : words(change ? 'valueMissing' : 'fieldMissing')
    }
    if (text.trim() === '') return words('textMissing')
    const at = due === '' ? undefined : momentAt(due, timeZone)
    if (at === undefined) return words('dueMissing')
    return {
      task: {
        text: text.trim(),
        task_type_id: Number(taskType),
        complete_till: at,
        responsible_user_id: user ? Number(user) : null,
      },
    }
  }
  const first = {
    move: 'stage',
    assign: 'user',
    tag: 'add',
    task: 'text',
    field: undefined,
  } as const
  const submit = form.onSubmit(() => {
    const made = act()
    if (typeof made !== 'string') return mutate(made)
    const name = first[kind]
    if (name) form.setErrors({ [name]: made })
    else setFieldFault(made)
  })
  return (
    <Modal
      opened
      onClose={() => onClose(false)}
      title={words(`titles.${kind}`)}
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <DialogForm
        onSubmit={submit}
        onCancel={() => onClose(false)}
        action={kind === 'tag' || kind === 'field' ? words('change') : words(`acts.${kind}`)}
        isPending={isPending}
        error={error}
      >
        <Stack gap="md">
          {which}
          {kind === 'move' && (
            <Select
              label={words('stage')}
              data-autofocus
              searchable
              data={vocabulary.pipelines.map((pipeline) => ({
                group: pipeline.name,
                items: pipeline.statuses
                  .filter((each) => each.type !== unsortedType)
                  .map(({ id, name }) => ({ value: `${pipeline.id}:${id}`, label: name })),
              }))}
              {...form.getInputProps('stage')}
            />
          )}
          {kind === 'move' && isLost && vocabulary.loss_reasons.length > 0 && (
            <Select
              label={words('reason')}
              clearable
              clearButtonProps={{ 'aria-label': words('noReason') }}
              data={vocabulary.loss_reasons.map(({ id, name }) => ({
                value: String(id),
                label: name,
              }))}
              {...form.getInputProps('reason')}
            />
          )}
          {kind === 'assign' && (
            <Select
              label={words('user')}
              data-autofocus
              searchable
              data={users}
              {...form.getInputProps('user')}
            />
          )}
          {kind === 'tag' && (
            <>
              <AddedTags
                type={type}
                first={vocabulary.tags[type]}
                value={add}
                onChange={(tags) => form.setFieldValue('add', tags)}
              />
              <RemovedTags
                type={type}
                first={vocabulary.tags[type]}
                value={remove}
                onChange={(tags) => form.setFieldValue('remove', tags)}
              />
            </>
          )}
          {kind === 'field' && (
            <CardWords>
              <FieldToChange
                type={type}
                fields={vocabulary.custom_fields[type].fields}
                fault={fieldFault}
                onChange={(next) => {
                  setFieldFault(undefined)
                  setChange(next)
                }}
              />
            </CardWords>
          )}
          {kind === 'task' && (
            <>
              <Textarea
                label={words('text')}
                data-autofocus
                autosize
                minRows={2}
                maxLength={4096}
                {...form.getInputProps('text')}
              />
              <Select
                label={words('type')}
                allowDeselect={false}
                data={vocabulary.task_types.map(({ id, name }) => ({
                  value: String(id),
                  label: name,
                }))}
                {...drawnOptions(vocabulary.task_types, form.values.taskType)}
                {...form.getInputProps('taskType')}
              />
              <TextInput
                type="datetime-local"
                label={words('due')}
                {...form.getInputProps('due')}
              />
              <Select
                label={words('user')}
                description={words('userAbout')}
                clearable
                clearButtonProps={{ 'aria-label': words('ofRecord') }}
                placeholder={words('ofRecord')}
                data={users}
                {...form.getInputProps('user')}
              />
            </>
          )}
        </Stack>
      </DialogForm>
    </Modal>
  )
}

interface TagsProps<Value> {
  type: JobType
  /** The tags that are offered before somebody types. */
  first: readonly Tag[]
  value: Value[]
  onChange: (value: Value[]) => void
}

/** Names of tags; a name that no tag has makes one. */
function AddedTags({ type, first, value, onChange }: TagsProps<string>) {
  const words = useTranslations('jobs')
  const [typed, setTyped] = useState('')
  const { tags } = useFoundTags(type, typed)
  return (
    <TagsInput
      label={words('addTags')}
      data-autofocus
      maxTags={20}
      data={[...new Set([...first, ...tags].map(({ name }) => name))]}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value}
      onChange={onChange}
    />
  )
}

function RemovedTags({ type, first, value, onChange }: TagsProps<Tag>) {
  const words = useTranslations('jobs')
  const [typed, setTyped] = useState('')
  const { tags, isFetching, error } = useFoundTags(type, typed)
  const offered = new Map([...value, ...first, ...tags].map((tag) => [String(tag.id), tag]))
  return (
    <MultiSelect
      label={words('removeTags')}
      searchable
      maxValues={20}
      data={[...offered].map(([id, { name }]) => ({ value: id, label: name }))}
      error={error ? <ProblemText error={error} /> : undefined}
      rightSection={isFetching ? <Loader size={14} /> : undefined}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value.map(({ id }) => String(id))}
      onChange={(ids) => onChange(ids.flatMap((id) => offered.get(id) ?? []))}
    />
  )
}
