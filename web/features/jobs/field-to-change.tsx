// The field of many records that is to be changed, and its value, in the control of its type.
import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { FieldInput } from '../../crm/fields/field-dialog.tsx'
import type { Field, Values } from '../../crm/fields/field.ts'
import { amountMember } from '../../crm/fields/members.ts'
import { useZones } from '../../crm/fields/texts.ts'
import { isTyped, sentOf } from '../../crm/fields/types.ts'
import { Select } from '../../ui/select.tsx'
import type { BulkAction, JobType } from './jobs.ts'

/** The field, and what it becomes as the interface takes it; undefined while its value is missing or wrong. */
export interface ChosenField {
  sent: NonNullable<BulkAction['field']> | undefined
}

export function FieldToChange({
  type,
  fields,
  fault,
  onChange,
}: {
  type: JobType
  fields: readonly (Field & { is_api_only: boolean })[]
  /** Why the form was not sent. */
  fault: string | undefined
  onChange: (change: ChosenField) => void
}) {
  const words = useTranslations('jobs')
  const { account } = useZones()
  const [name, setName] = useState<string | null>(null)
  const [isEmptied, setEmptied] = useState(false)
  const price = amountMember('price', words('price'), 'monetary')
  const choices = [
    ...(type === 'leads' ? [{ name: 'price', field: price.field }] : []),
    ...fields.filter(isTyped).map((field) => ({ name: String(field.id), field })),
  ]
  const chosen = choices.find((each) => each.name === name)
  const tell = (of: typeof chosen, next: Values, empty: boolean) => {
    if (!of) return
    const isMissing = !empty && next === null
    const sent =
      of.name === 'price'
        ? price.write(empty ? null : next).body
        : {
            custom_fields_values: [
              {
                field_id: of.field.id,
                values: empty ? [] : [...(sentOf(of.field, next, account) ?? [])],
              },
            ],
          }
    onChange({ sent: isMissing ? undefined : sent })
  }
  return (
    <>
      <Select
        label={words('field')}
        data-autofocus
        searchable
        data={choices.map((each) => ({ value: each.name, label: each.field.name }))}
        value={name}
        error={chosen ? undefined : fault}
        onChange={(next) => {
          setName(next)
          setEmptied(false)
          tell(
            choices.find((each) => each.name === next),
            null,
            false,
          )
        }}
      />
      {chosen && !isEmptied && (
        <FieldInput
          key={chosen.name}
          field={chosen.field}
          rules={chosen.name === 'price' ? { isWhole: true } : {}}
          isFirst={false}
          isTried={fault !== undefined}
          onFill={(next) => {
            tell(chosen, next ?? null, false)
          }}
        />
      )}
      {chosen && (
        <Checkbox
          label={words('emptyField')}
          checked={isEmptied}
          onChange={({ target }) => {
            setEmptied(target.checked)
            tell(chosen, null, target.checked)
          }}
        />
      )}
    </>
  )
}
