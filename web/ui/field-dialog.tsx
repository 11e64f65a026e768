// A dialog that asks for values of fields which something needs: a stage of a pipeline, for example.
import {
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { DialogForm } from './dialog-form.tsx'
import { NumberField } from './number-field.tsx'
import { readNumber } from './number.ts'
import type { NumberRules } from './number.ts'
import styles from './field-dialog.module.css'

/** A field by its type as the interface names it. */
export interface MissingField {
  id: number
  name: string
  type: string
  enums: { id: number; value: string }[] | null
  currency: string | null
}

/** How the numbers of a field are read. */
interface NumberWriting {
  language: string
  rules: NumberRules
}

/** The values of a field as the interface takes them. */
export interface FieldValue {
  field_id: number
  values: object[]
}

/** The types whose values this dialog can ask; the record has the others. */
const asked = [
  'text',
  'numeric',
  'select',
  'radiobutton',
  'multiselect',
  'date',
  'checkbox',
  'url',
  'textarea',
  'monetary',
]

/** Asks for all of `fields`; says `elsewhere` where one of them has no control here. */
export function FieldDialog({
  title,
  text,
  action,
  fields,
  currency,
  elsewhere,
  onFilled,
  onClose,
}: {
  title: string
  text: string
  /** The word on the button. */
  action: string
  fields: MissingField[]
  /** Of amounts whose field names none. */
  currency: string
  elsewhere: { text: string; action?: ReactNode }
  onFilled: (values: FieldValue[]) => void
  onClose: () => void
}) {
  const words = useTranslations('ui')
  const language = useLocale()
  const writingOf = (field: MissingField): NumberWriting => ({
    language,
    rules: field.type === 'monetary' ? { currency: field.currency ?? currency } : {},
  })
  const [values, setValues] = useState<Record<number, unknown>>({})
  const [isTried, setTried] = useState(false)
  const isFilled = (field: MissingField) =>
    valueOf(field, values[field.id], writingOf(field)) !== undefined
  const foreign = fields.filter(({ type }) => !asked.includes(type))
  const filled = fields.flatMap((field) => valueOf(field, values[field.id], writingOf(field)) ?? [])
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={440}
      closeButtonProps={{ 'aria-label': words('close') }}
    >
      {foreign.length > 0 ? (
        <Stack gap="md">
          <Text>{elsewhere.text}</Text>
          <ul className={styles.plain}>
            {foreign.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              {words('understood')}
            </Button>
            {elsewhere.action}
          </Group>
        </Stack>
      ) : (
        <DialogForm
          action={action}
          isPending={false}
          error={undefined}
          onCancel={onClose}
          onSubmit={(event) => {
            event.preventDefault()
            if (filled.length < fields.length) return setTried(true)
            onFilled(filled)
          }}
        >
          <Stack gap="md">
            <Text c="dimmed">{text}</Text>
            {fields.map((field, at) => (
              <Field
                key={field.id}
                field={field}
                value={values[field.id]}
                isFirst={at === 0}
                rules={writingOf(field).rules}
                fault={isTried && !isFilled(field) ? words('needed') : undefined}
                set={(value) => setValues((now) => ({ ...now, [field.id]: value }))}
              />
            ))}
          </Stack>
        </DialogForm>
      )}
    </Modal>
  )
}

/** The form in which the interface takes a value of the field; undefined while it has none. */
function valueOf(
  { id, type }: MissingField,
  value: unknown,
  { language, rules }: NumberWriting,
): FieldValue | undefined {
  if (value === undefined || value === null || value === '' || value === false) return undefined
  if (Array.isArray(value))
    return value.length === 0
      ? undefined
      : { field_id: id, values: value.map((each) => ({ enum_id: Number(each) })) }
  if (type === 'select' || type === 'radiobutton')
    return { field_id: id, values: [{ enum_id: Number(value) }] }
  if (type === 'numeric' || type === 'monetary') {
    const reading = readNumber(value as string, language, rules)
    return 'fault' in reading ? undefined : { field_id: id, values: [{ value: reading.number }] }
  }
  return {
    field_id: id,
    values: [{ value: typeof value === 'string' ? value.trim() : value }],
  }
}

function Field({
  field: { name, type, enums },
  value,
  set,
  fault,
  isFirst,
  rules,
}: {
  field: MissingField
  value: unknown
  set: (value: unknown) => void
  fault: string | undefined
  isFirst: boolean
  rules: NumberRules
}) {
  const props = { label: name, error: fault, ...(isFirst && { 'data-autofocus': true }) }
  const text = typeof value === 'string' ? value : ''
  const choices = (enums ?? []).map((each) => ({ value: String(each.id), label: each.value }))
  switch (type) {
    case 'numeric':
    case 'monetary':
      return <NumberField {...props} rules={rules} value={text} onChange={set} />
    case 'select':
    case 'radiobutton':
      return <Select {...props} data={choices} value={text || null} onChange={set} searchable />
    case 'multiselect':
      return (
        <MultiSelect
          {...props}
          data={choices}
          value={(value as string[] | undefined) ?? []}
          onChange={set}
        />
      )
    case 'checkbox':
      return (
        <Checkbox
          {...props}
          checked={value === true}
          onChange={({ target }) => set(target.checked)}
        />
      )
    case 'textarea':
      return (
        <Textarea
          {...props}
          autosize
          minRows={2}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      )
    default:
      return (
        <TextInput
          {...props}
          type={type === 'date' ? 'date' : type === 'url' ? 'url' : 'text'}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      )
  }
}
