// The controls of the types of fields, on cards and in dialogs. Each shows a draft and tells what is typed; a choice
// that ends the edit says so with `onCommit`.
import {
  ActionIcon,
  Button,
  Checkbox,
  MultiSelect,
  Radio,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ComponentType } from 'react'
import { useTranslations } from 'use-intl'
import { askList } from '../../data/api.ts'
import styles from './controls.module.css'
import type { Draft, Field, FieldType, Labelled, Value } from './field.ts'
import { addressParts } from './labelled.ts'
import { legalParts } from './object.ts'
import { useLabelText } from './labels.ts'
import { fieldKinds } from './types.ts'

interface ControlProps {
  field: Field
  draft: Draft
  /** Opens no list of choices by itself. */
  isQuiet: boolean
  onChange: (draft: Draft) => void
  /** Saves, with another draft than the present one. */
  onCommit: (draft?: Draft) => void
  aria: {
    'aria-labelledby': string
    'aria-describedby': string | undefined
    'aria-invalid': true | undefined
    /** The first control of a dialog. */
    'data-autofocus'?: true | undefined
  }
}

/** The control of a field; a field whose values come from elsewhere has none. */
export function Control(props: ControlProps) {
  const Own = controls[props.field.type]
  return Own && <Own {...props} />
}

/** What names and describes a group of controls; the first of them has the focus. */
const groupOf = ({ 'data-autofocus': _, ...aria }: ControlProps['aria']) => aria

const textOfDraft = (draft: Draft): string => (typeof draft === 'string' ? draft : '')
const choicesOf = ({ enums }: Field) =>
  (enums ?? []).map(({ id, value }) => ({ value: String(id), label: value }))

/** A control of one line. */
const line =
  (input: { type?: string; inputMode?: 'decimal' | 'url'; max?: string } = {}) =>
  ({ field, draft, onChange, aria }: ControlProps) => (
    <TextInput
      {...aria}
      className={styles.control}
      type="text"
      {...input}
      maxLength={fieldKinds[field.type].longest ?? 256}
      value={textOfDraft(draft)}
      onChange={({ target }) => onChange(target.value)}
    />
  )

const Line = line()
const NumberLine = line({ inputMode: 'decimal' })
const DayLine = line({ type: 'date', max: '9999-12-31' })

function Lines({ field, draft, onChange, aria }: ControlProps) {
  return (
    <Textarea
      {...aria}
      className={styles.control}
      autosize
      minRows={2}
      maxRows={12}
      maxLength={fieldKinds[field.type].longest}
      value={textOfDraft(draft)}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

function OneChoice({ field, draft, isQuiet, onCommit, aria }: ControlProps) {
  const text = textOfDraft(draft)
  return (
    <Select
      {...aria}
      className={styles.control}
      data={choicesOf(field)}
      value={text === '' ? null : text}
      searchable
      defaultDropdownOpened={!isQuiet}
      comboboxProps={{ width: 'target', position: 'bottom-start' }}
      onChange={(next) => onCommit(next ?? '')}
    />
  )
}

/** More of them are a list to search. */
const mostRadios = 7

function Radios(props: ControlProps) {
  const { field, draft, onCommit, aria } = props
  const choices = choicesOf(field)
  if (choices.length > mostRadios) return <OneChoice {...props} />
  return (
    <Radio.Group
      {...groupOf(aria)}
      className={styles.control}
      value={textOfDraft(draft)}
      onChange={(next) => onCommit(next)}
    >
      <Stack gap={4} py={4}>
        {choices.map(({ value, label }, index) => (
          <Radio
            key={value}
            size="xs"
            value={value}
            label={label}
            data-autofocus={index === 0 ? aria['data-autofocus'] : undefined}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

function ManyChoices({ field, draft, isQuiet, onChange, aria }: ControlProps) {
  return (
    <MultiSelect
      {...aria}
      className={styles.control}
      data={choicesOf(field)}
      value={draft as string[]}
      searchable
      defaultDropdownOpened={!isQuiet}
      onChange={onChange}
    />
  )
}

/** A card shows its box at all times; dialogs ask for it here. */
function Box({ draft, onChange, aria }: ControlProps) {
  return (
    <Checkbox
      {...aria}
      size="xs"
      py={8}
      checked={draft === 'yes'}
      onChange={({ target }) => onChange(target.checked ? 'yes' : '')}
    />
  )
}

/** Phones or e-mails, each with its label. */
function LabelledTexts({ field, draft, onChange, aria }: ControlProps) {
  const words = useTranslations('card')
  const labelText = useLabelText()
  const rows = draft as readonly Labelled[]
  /** The row that was added last gets the focus when it appears. */
  const [added, setAdded] = useState(-1)
  const set = (index: number, change: Partial<Labelled>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...change } : row)))
  const first = field.enums?.[0]?.id
  const kinds = (field.enums ?? []).map(({ id, value }) => ({
    value: String(id),
    label: labelText(value),
  }))
  return (
    <div className={styles.rows} role="group" {...groupOf(aria)}>
      {rows.map(({ value, enum_id }, index) => (
        <div key={index} className={styles.row}>
          <TextInput
            {...aria}
            className={styles.grow}
            ref={(input) => {
              if (index !== added || !input) return
              input.focus()
              setAdded(-1)
            }}
            type={field.code === 'EMAIL' ? 'email' : field.code === 'PHONE' ? 'tel' : 'text'}
            maxLength={256}
            value={value}
            onChange={({ target }) => set(index, { value: target.value })}
          />
          <Select
            className={styles.kind}
            aria-label={words('kindOf', { field: field.name })}
            data={kinds}
            value={enum_id === undefined ? null : String(enum_id)}
            allowDeselect={false}
            onChange={(next) => next !== null && set(index, { enum_id: Number(next) })}
          />
          {rows.length > 1 && (
            <ActionIcon
              size={24}
              aria-label={words('removeValue', { value })}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            >
              <Trash2 size={14} />
            </ActionIcon>
          )}
        </div>
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => {
          setAdded(rows.length)
          onChange([...rows, { value: '', enum_id: first }])
        }}
      >
        {words('addValue')}
      </Button>
    </div>
  )
}

function Address({ draft, onChange, aria }: ControlProps) {
  const words = useTranslations('card')
  const rows = draft as readonly Labelled[]
  return (
    <div className={styles.rows} role="group" {...groupOf(aria)}>
      {addressParts.map(([id, part], index) => (
        <TextInput
          key={id}
          data-autofocus={index === 0 ? aria['data-autofocus'] : undefined}
          label={words(`address.${part}`)}
          maxLength={256}
          value={rows.find(({ enum_id }) => enum_id === id)?.value ?? ''}
          onChange={({ target }) =>
            onChange(
              rows.map((row) => (row.enum_id === id ? { ...row, value: target.value } : row)),
            )
          }
        />
      ))}
    </div>
  )
}

/** Members that the form does not ask stay as they are. */
function LegalEntities({ draft, onChange, aria }: ControlProps) {
  const words = useTranslations('card')
  const rows = draft as readonly Record<string, unknown>[]
  return (
    <div className={styles.rows} role="group" {...groupOf(aria)}>
      {rows.map((row, index) => (
        <div key={index} className={styles.object}>
          {legalParts.map((part, at) => (
            <TextInput
              key={part}
              data-autofocus={index + at === 0 ? aria['data-autofocus'] : undefined}
              label={words(`legal.${part}`)}
              maxLength={1024}
              value={typeof row[part] === 'string' ? row[part] : ''}
              onChange={({ target }) =>
                onChange(
                  rows.map((each, at) => (at === index ? { ...each, [part]: target.value } : each)),
                )
              }
            />
          ))}
          {rows.length > 1 && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              leftSection={<Trash2 size={14} aria-hidden />}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            >
              {words('removeEntity')}
            </Button>
          )}
        </div>
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => onChange([...rows, { name: '' }])}
      >
        {words('addEntity')}
      </Button>
    </div>
  )
}

interface Element {
  id: number
  name: string
}

/** The elements of a catalog that a list offers. */
export const useElements = (catalogId: number) =>
  useQuery({
    queryKey: ['elements', catalogId, 'all'],
    queryFn: ({ signal }) =>
      askList<Element>(`/api/v4/catalogs/${catalogId}/elements?limit=250`, 'elements', { signal }),
  })

/** One choice of each catalog of the chain. */
function ChainedList({ field, draft, onChange, aria }: ControlProps) {
  const parts = draft as readonly Value[]
  return (
    <div className={styles.rows} role="group" {...groupOf(aria)}>
      {(field.chained_lists ?? []).map(({ catalog_id, title }, index) => (
        <ChainPart
          key={catalog_id}
          isFirst={index === 0 && aria['data-autofocus'] === true}
          title={title}
          catalogId={catalog_id}
          value={parts.find((part) => part.catalog_id === catalog_id)?.catalog_element_id}
          onChange={(element) =>
            onChange([
              ...parts.filter((part) => part.catalog_id !== catalog_id),
              ...(element === undefined ? [] : [{ catalog_id, catalog_element_id: element }]),
            ])
          }
        />
      ))}
    </div>
  )
}

function ChainPart({
  isFirst,
  title,
  catalogId,
  value,
  onChange,
}: {
  isFirst: boolean
  title: string
  catalogId: number
  value: number | undefined
  onChange: (element: number | undefined) => void
}) {
  const words = useTranslations('card')
  const { data = [] } = useElements(catalogId)
  const known = data.some(({ id }) => id === value)
  return (
    <Select
      label={title}
      data-autofocus={isFirst || undefined}
      data={[
        ...data.map(({ id, name }) => ({ value: String(id), label: name })),
        ...(value === undefined || known ? [] : [{ value: String(value), label: `#${value}` }]),
      ]}
      value={value === undefined ? null : String(value)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': words('clear') }}
      onChange={(next) => onChange(next === null ? undefined : Number(next))}
    />
  )
}

/** Files are sent before a record can name them, which a card does in place (features/card/file.tsx). */
export const controls: Readonly<Record<FieldType, ComponentType<ControlProps> | undefined>> = {
  text: Line,
  url: line({ inputMode: 'url' }),
  streetaddress: Line,
  tracking_data: Line,
  textarea: Lines,
  numeric: NumberLine,
  monetary: NumberLine,
  price: NumberLine,
  checkbox: Box,
  select: OneChoice,
  radiobutton: Radios,
  multiselect: ManyChoices,
  date: DayLine,
  birthday: DayLine,
  date_time: line({ type: 'datetime-local', max: '9999-12-31T23:59' }),
  multitext: LabelledTexts,
  smart_address: Address,
  legal_entity: LegalEntities,
  chained_list: ChainedList,
  file: undefined,
  category: undefined,
  items: undefined,
  payer: undefined,
  supplier: undefined,
  linked_entity: undefined,
}
