// A dialog that asks for values of fields which something needs: a stage of a pipeline, for example.
import {
  Button,
  Checkbox,
  Group,
  Modal,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { DialogForm } from './dialog-form.tsx'
import styles from './field-dialog.module.css'

/** A field by its type as the interface names it. */
export interface MissingField {
  id: number
  name: string
  type: string
  enums: { id: number; value: string }[] | null
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
  elsewhere,
  onFilled,
  onClose,
}: {
  title: string
  text: string
  /** The word on the button. */
  action: string
  fields: MissingField[]
  elsewhere: { text: string; action?: ReactNode }
  onFilled: (values: FieldValue[]) => void
  onClose: () => void
}) {
  const words = useTranslations('ui')
  const [values, setValues] = useState<Record<number, unknown>>({})
  const [isTried, setTried] = useState(false)
  const foreign = fields.filter(({ type }) => !asked.includes(type))
  const filled = fields.flatMap((field) => valueOf(field, values[field.id]) ?? [])
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
                fault={isTried && !valueOf(field, values[field.id]) ? words('needed') : undefined}
                set={(value) => setValues((now) => ({ ...now, [field.id]: value }))}
              />
            ))}
          </Stack>
        </DialogForm>
      )}
    </Modal>
  )
}

/** The form in which the interface takes a value of the field; undefined while it is empty. */
function valueOf({ id, type }: MissingField, value: unknown): FieldValue | undefined {
  if (value === undefined || value === null || value === '' || value === false) return undefined
  if (Array.isArray(value))
    return value.length === 0
      ? undefined
      : { field_id: id, values: value.map((each) => ({ enum_id: Number(each) })) }
  if (type === 'select' || type === 'radiobutton')
    return { field_id: id, values: [{ enum_id: Number(value) }] }
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
}: {
  field: MissingField
  value: unknown
  set: (value: unknown) => void
  fault: string | undefined
  isFirst: boolean
}) {
  const props = { label: name, error: fault, ...(isFirst && { 'data-autofocus': true }) }
  const text = typeof value === 'string' ? value : ''
  const choices = (enums ?? []).map((each) => ({ value: String(each.id), label: each.value }))
  switch (type) {
    case 'numeric':
    case 'monetary':
      return <NumberInput {...props} value={(value as number | undefined) ?? ''} onChange={set} />
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
