// The controls of the types of fields (server/records/fields/types.ts). Each shows a draft and tells
// what is typed; a choice that ends the edit says so with `onCommit`.
import {
  ActionIcon,
  Button,
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
import { useTranslations } from 'use-intl'
import { askList } from '../../data/api.ts'
import styles from './field.module.css'
import { useLabelText } from './text.ts'
import { addressParts, isChoice, isDay, isNumber, legalParts } from './values.ts'
import type { Draft, Field, Labelled, Value } from './values.ts'

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
  }
}

/** The longest text of a type, as the server takes it. */
const longest: Record<string, number> = {
  text: 256,
  url: 2048,
  streetaddress: 2048,
  textarea: 65_535,
}

export function Control(props: ControlProps) {
  const { field, draft, isQuiet, onChange, onCommit, aria } = props
  const { type } = field
  const text = typeof draft === 'string' ? draft : ''
  const choices = (field.enums ?? []).map(({ id, value }) => ({ value: String(id), label: value }))
  if (type === 'textarea')
    return (
      <Textarea
        {...aria}
        className={styles.control}
        autosize
        minRows={2}
        maxRows={12}
        maxLength={longest[type]}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  if (type === 'radiobutton' && choices.length <= 7)
    return (
      <Radio.Group
        {...aria}
        className={styles.control}
        value={text}
        onChange={(next) => onCommit(next)}
      >
        <Stack gap={4} py={4}>
          {choices.map(({ value, label }) => (
            <Radio key={value} size="xs" value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
    )
  if (isChoice(type))
    return (
      <Select
        {...aria}
        className={styles.control}
        data={choices}
        value={text === '' ? null : text}
        searchable
        defaultDropdownOpened={!isQuiet}
        comboboxProps={{ width: 'target', position: 'bottom-start' }}
        onChange={(next) => onCommit(next ?? '')}
      />
    )
  if (type === 'multiselect')
    return (
      <MultiSelect
        {...aria}
        className={styles.control}
        data={choices}
        value={draft as string[]}
        searchable
        defaultDropdownOpened={!isQuiet}
        onChange={onChange}
      />
    )
  if (type === 'multitext') return <LabelledTexts {...props} />
  if (type === 'smart_address') return <Address {...props} />
  if (type === 'legal_entity') return <LegalEntities {...props} />
  if (type === 'chained_list') return <ChainedList {...props} />
  return (
    <TextInput
      {...aria}
      className={styles.control}
      type={isDay(type) ? 'date' : type === 'date_time' ? 'datetime-local' : 'text'}
      inputMode={isNumber(type) ? 'decimal' : type === 'url' ? 'url' : undefined}
      maxLength={longest[type] ?? 256}
      {...((isDay(type) || type === 'date_time') && {
        max: type === 'date_time' ? '9999-12-31T23:59' : '9999-12-31',
      })}
      value={text}
      onChange={({ target }) => onChange(target.value)}
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
  const set = (place: number, change: Partial<Labelled>) =>
    onChange(rows.map((row, at) => (at === place ? { ...row, ...change } : row)))
  const first = field.enums?.[0]?.id
  const kinds = (field.enums ?? []).map(({ id, value }) => ({
    value: String(id),
    label: labelText(value),
  }))
  return (
    <div className={styles.rows} role="group" aria-labelledby={aria['aria-labelledby']}>
      {rows.map(({ value, enum_id }, place) => (
        <div key={place} className={styles.row}>
          <TextInput
            {...aria}
            className={styles.grow}
            ref={(input) => {
              if (place !== added || !input) return
              input.focus()
              setAdded(-1)
            }}
            type={field.code === 'EMAIL' ? 'email' : field.code === 'PHONE' ? 'tel' : 'text'}
            maxLength={256}
            value={value}
            onChange={({ target }) => set(place, { value: target.value })}
          />
          <Select
            className={styles.kind}
            aria-label={words('kindOf', { field: field.name })}
            data={kinds}
            value={enum_id === undefined ? null : String(enum_id)}
            allowDeselect={false}
            onChange={(next) => next !== null && set(place, { enum_id: Number(next) })}
          />
          {rows.length > 1 && (
            <ActionIcon
              size={24}
              aria-label={words('removeValue', { value })}
              onClick={() => onChange(rows.filter((_, at) => at !== place))}
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
    <div className={styles.rows} role="group" aria-labelledby={aria['aria-labelledby']}>
      {addressParts.map(([id, part]) => (
        <TextInput
          key={id}
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
    <div className={styles.rows} role="group" aria-labelledby={aria['aria-labelledby']}>
      {rows.map((row, place) => (
        <div key={place} className={styles.object}>
          {legalParts.map((part) => (
            <TextInput
              key={part}
              label={words(`legal.${part}`)}
              maxLength={1024}
              value={typeof row[part] === 'string' ? row[part] : ''}
              onChange={({ target }) =>
                onChange(
                  rows.map((each, at) => (at === place ? { ...each, [part]: target.value } : each)),
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
              onClick={() => onChange(rows.filter((_, at) => at !== place))}
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
    <div className={styles.rows} role="group" aria-labelledby={aria['aria-labelledby']}>
      {(field.chained_lists ?? []).map(({ catalog_id, title }) => (
        <ChainPart
          key={catalog_id}
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
  title,
  catalogId,
  value,
  onChange,
}: {
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
