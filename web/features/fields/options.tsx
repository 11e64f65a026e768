// The choices of a list, each changed by itself: nobody's page sends the whole list.
import { ActionIcon, Button, Group, Menu, Popover, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis, Palette } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { stageColors, useColorNames } from '../../crm/colors.ts'
import { Problem } from '../../data/api.ts'
import { useOrders } from '../../ui/conflict.tsx'
import { OrderedList } from '../../ui/ordered-list.tsx'
import { ProblemAlert, ProblemText } from '../../ui/states.tsx'
import { textLines } from './fields.ts'
import type { FieldOption, FieldWrites, ManagedField } from './fields.ts'
import styles from './options.module.css'

/** Writes of one field go one after the other, as they were made. */
const scope = { id: 'fields' }

/** An option that records have, and the act that its administrator is asked about. */
export interface AskedOption {
  option: FieldOption
  act: 'merge' | 'delete'
}

/** Renames, colors, orders, adds, merges and removes choices; each change is saved at once. */
export function OptionsEditor({
  field,
  mayMerge,
  mayTake,
  writes,
  onChanged,
  onLeaving,
}: {
  field: ManagedField
  /** Its records can be given another option. */
  mayMerge: boolean
  /** An option that its records have can be deleted. */
  mayTake: boolean
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
  onLeaving: (leaving: AskedOption) => void
}) {
  const words = useTranslations('fields')
  const options = field.enums ?? []
  return (
    <>
      <OrderedList
        label={words('options')}
        items={options.map((option) => ({ ...option, name: option.value }))}
        move={async (id, before) => onChanged(await writes.moveOption(field.id, id, before))}
        row={(option) => (
          <OptionRow
            field={field}
            option={option}
            mayMerge={mayMerge}
            mayTake={mayTake}
            writes={writes}
            onChanged={onChanged}
            onLeaving={onLeaving}
          />
        )}
      />
      <AddOptions field={field} writes={writes} onChanged={onChanged} />
    </>
  )
}

function OptionRow({
  field,
  option,
  mayMerge,
  mayTake,
  writes,
  onChanged,
  onLeaving,
}: {
  field: ManagedField
  option: FieldOption
  mayMerge: boolean
  mayTake: boolean
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
  onLeaving: (leaving: AskedOption) => void
}) {
  const words = useTranslations('fields')
  const orders = useOrders()
  const { id, value, color } = option
  /** What is typed and not saved yet, and the name that it began with. */
  const [typed, setTyped] = useState<{ text: string; from: string }>()
  const change = useMutation({
    mutationFn: (body: Parameters<FieldWrites['changeOption']>[2]) =>
      writes.changeOption(field.id, id, body),
    onSuccess: onChanged,
    scope,
  })
  const remove = useMutation({
    mutationFn: () => writes.removeOption(field.id, id),
    onSuccess: onChanged,
    onError: (error) => {
      if (mayTake && isUsed(error)) onLeaving({ option, act: 'delete' })
    },
    scope,
  })
  const save = () => {
    if (!typed || orders.notice) return
    const text = typed.text.trim()
    if (text === '' || text === value) return setTyped(undefined)
    orders.give({
      base: typed.from,
      present: value,
      wanted: text,
      text: words('overtaken', { value }),
      run: () => change.mutate({ value: text }, { onSuccess: () => setTyped(undefined) }),
      dropped: () => setTyped(undefined),
    })
  }
  const failed = change.error ?? (mayTake && isUsed(remove.error) ? null : remove.error)
  const isLast = field.enums?.length === 1
  return (
    <div className={styles.option}>
      <ColorMenu name={value} color={color} onPick={(picked) => change.mutate({ color: picked })} />
      <div className={styles.name}>
        <TextInput
          aria-label={words('optionName', { name: value })}
          data-name
          // The first Escape takes back what was typed; the dialog stays.
          data-mantine-stop-propagation={typed !== undefined}
          maxLength={255}
          value={typed?.text ?? value}
          error={
            isUsed(failed) ? (
              words('optionUsed')
            ) : failed ? (
              <ProblemText error={failed} />
            ) : undefined
          }
          onChange={({ target }) => {
            change.reset()
            remove.reset()
            setTyped({ text: target.value, from: typed?.from ?? value })
          }}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              save()
            } else if (event.key === 'Escape' && typed) {
              change.reset()
              setTyped(undefined)
            }
          }}
        />
        {orders.notice}
      </div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={words('actsOfOption', { name: value })}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayMerge && (
            <Menu.Item disabled={isLast} onClick={() => onLeaving({ option, act: 'merge' })}>
              {words('mergeOption')}
            </Menu.Item>
          )}
          <Menu.Item
            c="danger"
            disabled={isLast}
            onClick={() => {
              change.reset()
              remove.mutate()
            }}
          >
            {words('removeOption')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

/** Records have the option, or the category. */
export const isUsed = (error: unknown): boolean => error instanceof Problem && error.status === 422

/** The colors of stages by their names, and none. */
function ColorMenu({
  name,
  color,
  onPick,
}: {
  name: string
  color: string | null
  onPick: (color: string | null) => void
}) {
  const words = useTranslations('fields')
  const colors = useTranslations('colors')
  const colorName = useColorNames()
  const [isOpen, setOpen] = useState(false)
  const pick = (picked: string | null) => {
    setOpen(false)
    if (picked !== color) onPick(picked)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus withRoles={false}>
      <Popover.Target>
        <button
          type="button"
          className={styles.swatch}
          aria-label={words('colorOf', { name, color: colorName(color) })}
          aria-expanded={isOpen}
          style={color === null ? undefined : { background: color }}
          onClick={() => setOpen(!isOpen)}
        >
          {color === null && <Palette size={14} aria-hidden />}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <div role="group" aria-label={colors('title')} className={styles.palette}>
          {stageColors.map((each) => (
            <button
              key={each}
              type="button"
              className={styles.swatch}
              aria-label={colorName(each)}
              aria-pressed={each === color}
              style={{ background: each }}
              onClick={() => pick(each)}
            />
          ))}
        </div>
        <Button
          variant="default"
          mt="sm"
          fullWidth
          aria-pressed={color === null}
          onClick={() => pick(null)}
        >
          {colorName(null)}
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}

/** One choice, or many by a pasted list: one in each line. */
function AddOptions({
  field,
  writes,
  onChanged,
}: {
  field: ManagedField
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
}) {
  const words = useTranslations('fields')
  const [text, setText] = useState('')
  const lines = textLines(text)
  const add = useMutation({
    mutationFn: (values: string[]) => writes.addOptions(field.id, values),
    onSuccess: ({ field: changed }) => onChanged(changed),
    // The next one may be under way already.
    onError: (_error, values) => setText((now) => (now === '' ? values.join('\n') : now)),
    scope,
  })
  const send = () => {
    if (lines.length === 0) return
    setText('')
    add.mutate(lines)
  }
  const skipped = add.data?.skipped ?? []
  return (
    <>
      <Group gap="sm" align="flex-end" mt="sm" wrap="nowrap">
        <Textarea
          className={styles.name}
          label={words('addOptions')}
          description={words('addOptionsAbout')}
          autosize
          minRows={1}
          maxRows={8}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            // A single line is added by Enter, as in any list; Shift Enter begins another.
            if (event.key !== 'Enter' || event.shiftKey || lines.length > 1) return
            event.preventDefault()
            send()
          }}
        />
        <Button
          variant="default"
          disabled={lines.length === 0}
          loading={add.isPending}
          onClick={send}
        >
          {lines.length > 1 ? words('addNumber', { count: lines.length }) : words('addOne')}
        </Button>
      </Group>
      <ProblemAlert error={add.error} />
      {skipped.length > 0 && (
        <Text size="sm" c="dimmed" role="status" mt="xs">
          {words('skipped', {
            names: [...skipped.slice(0, 20), ...(skipped.length > 20 ? ['…'] : [])].join(', '),
          })}
        </Text>
      )}
    </>
  )
}
