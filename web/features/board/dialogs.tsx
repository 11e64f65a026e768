import { drawnOptions, reasonChoices } from '../../crm/icons.tsx'
import { useFoundTags } from '../../crm/tags.ts'
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { Suspense, useLayoutEffect, useState } from 'react'
import type { FormEvent } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import { dayAfter, dayAt, momentAt } from '../../ui/day.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { CardWords } from '../../words/words.tsx'
import { FieldDialog } from '../../crm/fields/field-dialog.tsx'
import { Picker } from '../../ui/picker.tsx'
import { focusAgain } from './keys.ts'
import type { Dialog } from './selection.ts'
import { stagesOf, useSelection, useBoard } from './context.ts'
import { Select } from '../../ui/select.tsx'

/** The dialog that is open, one at a time. */
export function Dialogs() {
  const board = useBoard()
  const dialog = useSelection((state) => state.dialog)
  const isOpen = dialog !== undefined
  useLayoutEffect(() => {
    if (!isOpen) focusAgain(board)
  }, [isOpen, board])
  if (!dialog) return undefined
  const close = () => board.selection.set({ dialog: undefined })
  const props = { close }
  switch (dialog.kind) {
    case 'move':
      return <Move ids={dialog.ids} {...props} />
    case 'assign':
      return <Assign ids={dialog.ids} {...props} />
    case 'tag':
      return <Tags ids={dialog.ids} {...props} />
    case 'task':
      return <Task ids={dialog.ids} {...props} />
    case 'lost':
      return <Reason dialog={dialog} {...props} />
    case 'fields':
      return <Fields dialog={dialog} {...props} />
    default:
      return undefined
  }
}

interface Acting {
  ids: number[]
  close: () => void
}

/** The value that all these cards share. */
function common<Value>(values: Value[]): Value | undefined {
  return new Set(values).size === 1 ? values[0] : undefined
}

function useCards(ids: number[]) {
  const { store } = useBoard()
  return ids.flatMap((id) => store.cards.shown(id) ?? [])
}

function Move({ ids, close }: Acting) {
  const words = useTranslations('board')
  const { vocabulary, actions } = useBoard()
  const cards = useCards(ids)
  const now = common(cards.map(({ pipeline_id, status_id }) => `${pipeline_id}-${status_id}`))
  const { pipeline, pipelines } = vocabulary
  const all = [
    pipeline,
    ...pipelines.filter(({ id, is_archive }) => id !== pipeline.id && !is_archive),
  ]
  return (
    <Picker
      title={words('moveTitle', { count: ids.length, name: cards[0]?.name ?? '' })}
      hint={words('findStage')}
      choices={all.flatMap((each) =>
        stagesOf(each).map(({ id, name, color }) => ({
          key: `${each.id}-${id}`,
          text: name,
          color,
          group: each.name,
          isChosen: `${each.id}-${id}` === now,
        })),
      )}
      onPick={(key) => {
        const [pipelineId, statusId] = key.split('-').map(Number) as [number, number]
        close()
        actions.move(ids, { pipelineId, statusId })
      }}
      onClose={close}
    />
  )
}

function Assign({ ids, close }: Acting) {
  const words = useTranslations('board')
  const { vocabulary, actions } = useBoard()
  const cards = useCards(ids)
  const now = common(cards.map(({ responsible_user_id }) => responsible_user_id))
  const { me, users } = vocabulary
  const active = users.filter(({ is_active }) => is_active)
  return (
    <Picker
      title={words('assignTitle', { count: ids.length, name: cards[0]?.name ?? '' })}
      hint={words('findPerson')}
      choices={active
        .toSorted((one, other) => Number(other.id === me.id) - Number(one.id === me.id))
        .map(({ id, name }) => ({
          key: String(id),
          text: id === me.id ? words('yourself', { name }) : name,
          isChosen: id === now,
        }))}
      onPick={(key) => {
        close()
        actions.assign(ids, Number(key))
      }}
      onClose={close}
    />
  )
}

function Tags({ ids, close }: Acting) {
  const words = useTranslations('board')
  const { vocabulary, actions } = useBoard()
  const cards = useCards(ids)
  const [typed, setTyped] = useState('')
  const { tags: found, isFetching, error } = useFoundTags('leads', typed)
  const own = cards.flatMap(({ tags }) => tags)
  const offered = [...own, ...vocabulary.tags.leads, ...found]
  const known = new Map(offered.map(({ id, name }) => [name, id]))
  const isOnAll = (name: string) =>
    cards.every(({ tags }) => tags.some((each) => each.name === name))
  return (
    <Picker
      title={words('tagTitle', { count: ids.length, name: cards[0]?.name ?? '' })}
      hint={words('findTag')}
      onType={setTyped}
      isFetching={isFetching}
      error={error}
      choices={[...known].map(([name]) => ({ key: name, text: name, isChosen: isOnAll(name) }))}
      make={{
        text: (name) => words('newTag', { name }),
        run: (name) => {
          close()
          actions.tag(ids, { name }, true)
        },
      }}
      onPick={(name) => {
        close()
        const id = known.get(name)
        actions.tag(ids, { name, ...(id !== undefined && { id }) }, !isOnAll(name))
      }}
      onClose={close}
    />
  )
}

/** The end of the working day in so many days, as `datetime-local` writes it. */
const dueIn = (days: number, timeZone: string): string =>
  `${dayAfter(dayAt(Date.now() / 1000, timeZone), days)}T18:00`

function Task({ ids, close }: Acting) {
  const words = useTranslations('board')
  const { vocabulary, actions } = useBoard()
  const cards = useCards(ids)
  const types = vocabulary.task_types
  const timeZone = useTimeZone() ?? vocabulary.account.timezone
  const [text, setText] = useState('')
  const [type, setType] = useState(String(types[0]?.id ?? 1))
  const [due, setDue] = useState(dueIn(1, timeZone))
  const [isTried, setTried] = useState(false)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (text.trim() === '' || due === '') return
    close()
    actions.addTask(ids, {
      text: text.trim(),
      task_type_id: Number(type),
      complete_till: momentAt(due, timeZone),
    })
  }
  return (
    <Sheet
      title={words('taskTitle', { count: ids.length, name: cards[0]?.name ?? '' })}
      close={close}
    >
      <DialogForm
        onSubmit={send}
        onCancel={close}
        action={words('addTask')}
        isPending={false}
        error={undefined}
      >
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={words('taskText')}
            value={text}
            error={isTried && text.trim() === '' && words('needed')}
            onChange={({ target }) => setText(target.value)}
          />
          <Select
            label={words('taskType')}
            data={types.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={type}
            allowDeselect={false}
            {...drawnOptions(types, type)}
            onChange={(value) => setType(value ?? type)}
          />
          <div>
            <TextInput
              type="datetime-local"
              label={words('taskDue')}
              value={due}
              error={isTried && due === '' && words('needed')}
              onChange={({ target }) => setDue(target.value)}
            />
            <Group gap={6} mt={6}>
              {(['dueToday', 'dueTomorrow', 'dueWeek'] as const).map((key, at) => (
                <Button
                  key={key}
                  variant="default"
                  size="compact-sm"
                  onClick={() => setDue(dueIn([0, 1, 7][at]!, timeZone))}
                >
                  {words(key)}
                </Button>
              ))}
            </Group>
          </div>
        </Stack>
      </DialogForm>
    </Sheet>
  )
}

function Reason({
  dialog,
  close,
}: {
  dialog: Extract<Dialog, { kind: 'lost' }>
  close: () => void
}) {
  const words = useTranslations('board')
  const { vocabulary } = useBoard()
  const cards = useCards(dialog.ids)
  const done = (reason: number | null) => {
    close()
    dialog.onReason(reason)
  }
  return (
    <Picker
      title={words('lostTitle', { count: dialog.ids.length, name: cards[0]?.name ?? '' })}
      hint={words('lostHint')}
      choices={reasonChoices(vocabulary.loss_reasons)}
      onPick={(key) => done(Number(key))}
      skip={{ text: words('withoutReason'), run: () => done(null) }}
      onClose={close}
    />
  )
}

/** The fields that the stage requires and the leads lack. */
function Fields({
  dialog: { fields, ids, onFilled },
  close,
}: {
  dialog: Extract<Dialog, { kind: 'fields' }>
  close: () => void
}) {
  const words = useTranslations('board')
  return (
    <Suspense>
      <CardWords>
        <FieldDialog
          title={words('fieldsTitle')}
          text={words('fieldsText', { count: ids.length })}
          action={words('move')}
          fields={fields}
          elsewhere={{
            text: words('fieldsElsewhere'),
            action: (
              <Button component="a" href={`/leads/${ids[0]}`}>
                {words('open')}
              </Button>
            ),
          }}
          onFilled={(filled) => {
            close()
            onFilled(filled)
          }}
          onClose={close}
        />
      </CardWords>
    </Suspense>
  )
}

function Sheet({
  title,
  close,
  children,
}: {
  title: string
  close: () => void
  children: React.ReactNode
}) {
  const ui = useTranslations('ui')
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={440}
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      {children}
    </Modal>
  )
}
