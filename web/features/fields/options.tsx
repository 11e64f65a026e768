// The choices of a list, each changed by itself: nobody's page sends the whole list.
import { ActionIcon, Button, Group, Menu, Popover, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis, Palette } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Problem } from '../../data/api.ts'
import { ProblemAlert, ProblemText } from '../../ui/states.tsx'
import { optionColors } from './colors.ts'
import { textLines } from './fields.ts'
import type { FieldOption, FieldWrites, ManagedField } from './fields.ts'
import { Orderable, OrderedRow } from './order.tsx'
import styles from './options.module.css'

/** Writes of one field go one after the other, as they were made. */
const scope = { id: 'fields' }

/** Renames, colors, orders, adds and removes choices; each change is saved at once. */
export function OptionsEditor({
  field,
  writes,
  now,
  onChanged,
  say,
}: {
  field: ManagedField
  writes: FieldWrites
  /** The field after the latest change, which keys may be ahead of drawing. */
  now: () => ManagedField
  onChanged: (field: ManagedField) => void
  /** Tells screen readers. */
  say: (text: string) => void
}) {
  const words = useTranslations('fields')
  const moved = useRef<number | string>(undefined)
  const options = field.enums ?? []
  const moving = useMutation({
    mutationFn: ({ id, before }: { id: number; before: number | null }) =>
      writes.moveOption(field.id, id, before),
    onSuccess: onChanged,
    scope,
  })
  const move = (id: number, before: number | null) => {
    const present = now()
    const all = present.enums ?? []
    const option = all.find((each) => each.id === id)
    if (!option || before === id) return
    const others = all.filter((each) => each !== option)
    const found = before === null ? others.length : others.findIndex((each) => each.id === before)
    const at = found < 0 ? others.length : found
    onChanged({ ...present, enums: others.toSpliced(at, 0, option) })
    say(words('movedOption', { name: option.value, place: at + 1, count: all.length }))
    moving.mutate({ id, before })
  }
  const step = (key: number | string, by: 1 | -1) => {
    const all = now().enums ?? []
    const at = all.findIndex(({ id }) => id === key)
    if (!all[at + by]) return
    move(Number(key), all[by < 0 ? at - 1 : at + 2]?.id ?? null)
  }
  return (
    <>
      <Orderable
        name="option"
        moved={moved}
        step={step}
        drop={(key, _list, before) => move(Number(key), before as number | null)}
      >
        <ul className={styles.options} aria-label={words('options')}>
          {options.map((option, index) => (
            <OrderedRow
              key={option.id}
              id={option.id}
              list="options"
              next={options[index + 1]?.id ?? null}
              className={styles.option}
            >
              <OptionRow
                field={field}
                option={option}
                writes={writes}
                onChanged={onChanged}
                isFirst={index === 0}
                isLast={index === options.length - 1}
                step={(by) => step(option.id, by)}
              />
            </OrderedRow>
          ))}
        </ul>
      </Orderable>
      <ProblemAlert error={moving.error} />
      <AddOptions field={field} writes={writes} onChanged={onChanged} />
    </>
  )
}

function OptionRow({
  field,
  option,
  writes,
  onChanged,
  isFirst,
  isLast,
  step,
}: {
  field: ManagedField
  option: FieldOption
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
  isFirst: boolean
  isLast: boolean
  step: (by: 1 | -1) => void
}) {
  const words = useTranslations('fields')
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
    scope,
  })
  const save = () => {
    if (!typed) return
    const text = typed.text.trim()
    if (text === '' || text === value) return setTyped(undefined)
    change.mutate({ value: text }, { onSuccess: () => setTyped(undefined) })
  }
  const isOvertaken = typed !== undefined && typed.from !== value && typed.text.trim() !== value
  const failed = change.error ?? remove.error
  const isUsed = remove.error instanceof Problem && remove.error.status === 422
  return (
    <>
      <ColorMenu name={value} color={color} onPick={(picked) => change.mutate({ color: picked })} />
      <TextInput
        className={styles.name}
        aria-label={words('optionName', { name: value })}
        data-name
        // The first Escape takes back what was typed; the dialog stays.
        data-mantine-stop-propagation={typed !== undefined}
        maxLength={255}
        value={typed?.text ?? value}
        error={
          isUsed ? (
            words('optionUsed')
          ) : failed ? (
            <ProblemText error={failed} />
          ) : isOvertaken ? (
            words('overtaken', { value })
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
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={words('actsOfOption', { name: value })}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={isFirst} onClick={() => step(-1)}>
            {words('moveUp')}
          </Menu.Item>
          <Menu.Item disabled={isLast} onClick={() => step(1)}>
            {words('moveDown')}
          </Menu.Item>
          <Menu.Item
            c="danger"
            disabled={isFirst && isLast}
            onClick={() => {
              change.reset()
              remove.mutate()
            }}
          >
            {words('removeOption')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

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
          aria-label={words('colorOf', {
            name,
            color: words(colorKey(color)),
          })}
          aria-expanded={isOpen}
          style={color === null ? undefined : { background: color }}
          onClick={() => setOpen(!isOpen)}
        >
          {color === null && <Palette size={14} aria-hidden />}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <div role="group" aria-label={words('color')} className={styles.palette}>
          {Object.keys(optionColors).map((each) => (
            <button
              key={each}
              type="button"
              className={styles.swatch}
              aria-label={words(colorKey(each))}
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
          {words('colors.none')}
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}

const colorKey = (color: string | null) =>
  `colors.${optionColors[color as keyof typeof optionColors] ?? ('none' as const)}` as const

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
