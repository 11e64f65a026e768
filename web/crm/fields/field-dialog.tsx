// A dialog that asks for values of fields which something needs: a stage of a pipeline, for example. It has the
// controls of the card.
import { Button, Group, Input, Modal, Stack, Text } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { useMonthFirst } from '../../ui/day.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import type { NumberRules } from '../../ui/number.ts'
import { NumberReadings, useNumbers } from '../../ui/number-field.tsx'
import { useBootstrap } from '../bootstrap.ts'
import { Control, controls } from './controls.tsx'
import styles from './field-dialog.module.css'
import type { Draft, DraftFault, Field, Values } from './field.ts'
import { useZones } from './texts.ts'
import { draftOf, fieldKinds, sentOf, valuesOf } from './types.ts'

/** The values of a field as the interface takes them. */
export interface FilledField {
  field_id: number
  values: object[]
}

/** The values of each field, as far as its draft has any. */
type Filled = Readonly<Record<number, NonNullable<Values> | undefined>>

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
  fields: Field[]
  elsewhere: { text: string; action?: ReactNode }
  onFilled: (values: FilledField[]) => void
  onClose: () => void
}) {
  const words = useTranslations('ui')
  const [filled, setFilled] = useState<Filled>({})
  const [isTried, setTried] = useState(false)
  const foreign = fields.filter(({ type }) => controls[type] === undefined)
  const { account } = useZones()
  const ready = fields.flatMap((field): FilledField[] => {
    const values = sentOf(field, filled[field.id] ?? null, account)
    return values ? [{ field_id: field.id, values: [...values] }] : []
  })
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
            if (ready.length < fields.length) return setTried(true)
            onFilled(ready)
          }}
        >
          <Stack gap="md">
            <Text c="dimmed">{text}</Text>
            {fields.map((field, index) => (
              <FieldInput
                key={field.id}
                field={field}
                isFirst={index === 0}
                isTried={isTried}
                onFill={(values) => setFilled((now) => ({ ...now, [field.id]: values }))}
              />
            ))}
          </Stack>
        </DialogForm>
      )}
    </Modal>
  )
}

/** A field with its name, its control and what is wrong with its draft. */
export function FieldInput({
  field,
  rules = {},
  isFirst,
  isTried,
  onFill,
}: {
  field: Field
  /** The numbers that it takes. */
  rules?: NumberRules
  /** It has the focus. */
  isFirst: boolean
  isTried: boolean
  onFill: (values: NonNullable<Values> | undefined) => void
}) {
  const words = useTranslations('ui')
  const card = useTranslations('card')
  const { currency: usual } = useBootstrap().account
  const zones = useZones()
  const { isAmount } = fieldKinds[field.type]
  const numbers = useNumbers({ ...rules, ...(isAmount && { currency: field.currency ?? usual }) })
  const means = { zones, numbers, isMonthFirst: useMonthFirst() }
  const [draft, setDraft] = useState(() => draftOf(field, null, means))
  const [isLeft, setLeft] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const read = valuesOf(field, draft, means)
  const values = isValues(read) ? read : undefined
  const fault =
    read !== null && !isValues(read)
      ? read === 'date'
        ? card('faults.date')
        : numbers.faultText(read)
      : isTried && !values
        ? words('needed')
        : undefined
  const isShown = fault !== undefined && (isTried || isLeft)
  const change = (next: Draft) => {
    setLeft(false)
    setDraft(next)
    const now = valuesOf(field, next, means)
    onFill(isValues(now) ? now : undefined)
  }
  return (
    <div
      ref={box}
      className={styles.asked}
      onBlur={({ relatedTarget }) => {
        // A fault that came between would move the button away from the pointer.
        if (!(relatedTarget instanceof HTMLButtonElement)) setLeft(true)
      }}
    >
      <Input.Label
        id={`${id}-name`}
        labelElement="div"
        onClick={() => {
          const control = box.current?.querySelector<HTMLElement>('input, textarea')
          if (fieldKinds[field.type].isFlag) control?.click()
          else control?.focus()
        }}
      >
        {field.name}
      </Input.Label>
      <Control
        field={field}
        draft={draft}
        isQuiet
        onChange={change}
        onCommit={(next = draft) => change(next)}
        aria={{
          'aria-labelledby': `${id}-name`,
          'aria-describedby': isShown ? `${id}-fault` : undefined,
          'aria-invalid': isShown || undefined,
          'data-autofocus': isFirst || undefined,
        }}
      />
      {isShown && (
        <Input.Error id={`${id}-fault`} role="alert">
          {fault}
          {typeof read === 'object' && read && 'readings' in read && (
            <NumberReadings
              readings={read.readings}
              numbers={numbers}
              onChoose={(typed) => {
                change(typed)
                box.current?.querySelector('input')?.focus()
              }}
            />
          )}
        </Input.Error>
      )}
    </div>
  )
}

const isValues = (read: Values | DraftFault): read is NonNullable<Values> => Array.isArray(read)
