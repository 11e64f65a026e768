// The lines of a card: the fixed members of the type, then the custom fields by their groups.
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { lost } from '../../crm/stages.ts'
import type { FieldEnum, Field, FieldType, Value } from '../../crm/fields/field.ts'
import { amountMember, choiceMember, memberField } from '../../crm/fields/members.ts'
import { fieldKinds, sentOf } from '../../crm/fields/types.ts'
import type { CardLine } from './edit.ts'
import { fieldKey } from './record.ts'
import type { MemberName, Members } from './record.ts'
import { useOpenCard } from './context.ts'
import { useMember } from './store.ts'

/** The longest time between two purchases that the server takes. */
const mostDays = 36_500

/** A fixed member as a line of the card. */
function fixed(
  key: MemberName,
  field: Partial<Field> & { name: string; type: FieldType },
  rest: Partial<CardLine> = {},
): CardLine {
  return {
    key,
    field: memberField(field),
    write: (values) => {
      const value = values?.[0]?.value
      return { change: { [key]: value } as Partial<Members>, body: { [key]: value } }
    },
    ...rest,
  }
}

/** A member that holds the id of one of some choices. */
const choice = (
  key: MemberName,
  name: string,
  enums: readonly FieldEnum[],
  rest: Partial<CardLine> = {},
): CardLine => ({ key, ...(choiceMember(key, name, enums) as Omit<CardLine, 'key'>), ...rest })

const amount = (
  key: MemberName,
  name: string,
  type: 'monetary' | 'numeric',
  rest: Partial<CardLine> = {},
): CardLine => ({
  key,
  rules: { isWhole: true },
  ...(amountMember(key, name, type) as Omit<CardLine, 'key'>),
  ...rest,
})

/** The lines of the fixed members of the record. */
export function useFixedRows(): CardLine[] {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  const { type } = store
  const statusId = useMember(store, 'status_id')
  const responsible = useMember(store, 'responsible_user_id')
  const source = useMember(store, 'source')
  return useMemo(() => {
    const { users, account, customer_statuses, segments, loss_reasons } = bootstrap
    const people = users
      .filter(({ is_active, id }) => is_active || id === responsible)
      .map(({ id, name }) => ({ id, value: name }))
    const who = choice('responsible_user_id', words('responsible'), people, { isKept: true })
    const ofLead = [
      amount('price', words('price'), 'monetary'),
      ...(statusId === lost && account.is_loss_reason_enabled
        ? [
            choice(
              'loss_reason_id',
              words('lossReason'),
              loss_reasons.map(({ id, name }) => ({ id, value: name })),
            ),
          ]
        : []),
      ...(source
        ? [
            fixed(
              'source',
              { name: words('source'), type: 'text' },
              {
                isReadOnly: true,
                read: (name: string | null) => (name === null ? null : [{ value: name }]),
              },
            ),
          ]
        : []),
    ]
    const isBySegments = account.customers_mode === 'segments'
    const ofCustomer = [
      fixed(
        'next_date',
        { name: words('nextDate'), type: 'date' },
        {
          read: (at: number | null) => (at === null ? null : [{ value: at }]),
          isKept: true,
          isDue: true,
        },
      ),
      amount('next_price', words('nextPrice'), 'monetary', { rules: { isWhole: true, min: 0 } }),
      amount('periodicity', words('periodicity'), 'numeric', {
        rules: { isWhole: true, min: 0, max: mostDays },
      }),
      isBySegments
        ? fixed(
            'segments',
            {
              name: words('segments'),
              type: 'multiselect',
              enums: segments.map(({ id, name, color }) => ({ id, value: name, color })),
            },
            {
              read: (ids: readonly number[] | null) => {
                const own = segments.filter(({ id }) => ids?.includes(id))
                return own.length === 0
                  ? null
                  : own.map(({ id, name }) => ({ value: name, enum_id: id }))
              },
              write: (values) => {
                const ids = (values ?? []).map(({ enum_id }: Value) => enum_id!)
                return {
                  change: { segments: ids },
                  body: { _embedded: { segments: ids.map((id) => ({ id })) } },
                }
              },
            },
          )
        : choice(
            'status_id',
            words('status'),
            customer_statuses.map(({ id, name }) => ({ id, value: name })),
            { isKept: true },
          ),
    ]
    return [who, ...(type === 'leads' ? ofLead : []), ...(type === 'customers' ? ofCustomer : [])]
  }, [words, bootstrap, type, statusId, responsible, source])
}

export interface RowGroup {
  id: string
  name: string
  rows: CardLine[]
}

const defaultGroup = 'default'

/** The custom fields of the record in their groups; the first group is the main one. */
export function useFieldGroups(): RowGroup[] {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  const { type } = store
  const pipelineId = useMember(store, 'pipeline_id')
  const statusId = useMember(store, 'status_id')
  return useMemo(() => {
    const { groups, fields } = bootstrap.custom_fields[type]
    const isHere = (indexes: { pipeline_id: number; status_id: number }[]) =>
      type === 'leads' &&
      indexes.some((at) => at.pipeline_id === pipelineId && at.status_id === statusId)
    const rowsOf = (id: string) =>
      fields
        .filter(({ group_id }) => (group_id ?? defaultGroup) === id)
        .filter(({ hidden_statuses }) => !isHere(hidden_statuses))
        .map((field) =>
          customRow(field, isHere(field.required_statuses), bootstrap.account.timezone),
        )
    const known = groups.filter(({ id }) => id !== defaultGroup)
    const main = groups.find(({ id }) => id === defaultGroup)?.name ?? words('main')
    return [
      { id: defaultGroup, name: main, rows: rowsOf(defaultGroup) },
      ...known
        .map(({ id, name }) => ({ id, name, rows: rowsOf(id) }))
        .filter(({ rows }) => rows.length > 0),
    ]
  }, [words, bootstrap, type, pipelineId, statusId])
}

type CustomField = Bootstrap['custom_fields']['leads']['fields'][number]

const customRow = (field: CustomField, isRequired: boolean, zone: string): CardLine => ({
  key: fieldKey(field.id),
  field,
  isRequired,
  isReadOnly: field.is_api_only || fieldKinds[field.type].isReadOnly === true,
  write: (values) => ({
    change: { [fieldKey(field.id)]: values },
    body: { custom_fields_values: [{ field_id: field.id, values: sentOf(field, values, zone) }] },
  }),
})
