// The columns of a table of records: the members of the type, then the custom fields. Each says how it is read, edited,
// sorted and counted.
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { summedFields, unsortedFields } from './field-columns.ts'
import type { Field, Values } from '../../crm/fields/field.ts'
import {
  amountMember,
  choiceMember,
  memberField,
  momentMember,
  plainMember,
} from '../../crm/fields/members.ts'
import { fieldKinds, isTyped, sentOf } from '../../crm/fields/types.ts'
import { unsortedType } from '../../crm/stages.ts'
import type { NumberRules } from '../../ui/number.ts'
import { fieldMember } from './rows.ts'
import type { Row, RowExtra, RowMember, RowType, SentMembers } from './rows.ts'

export type RowsVocabulary = Pick<
  Bootstrap,
  | 'me'
  | 'account'
  | 'users'
  | 'pipelines'
  | 'loss_reasons'
  | 'custom_fields'
  | 'tags'
  | 'customer_statuses'
  | 'segments'
>

/** A change of a row as it is shown, and the body that makes it. */
export interface RowChange {
  change: Partial<Row>
  body: object
}

export interface RowColumn {
  /** As requests name it: `price`, `field:12`. */
  name: string
  label: string
  /** What its cells show; `field`: values by the type of the field; `due`: a day that may have passed. */
  kind: 'name' | 'field' | 'stage' | 'user' | 'tags' | 'linked' | 'leads' | 'task' | 'due'
  field: Field
  member: RowMember
  read: (row: Row) => Values
  /** Missing where a cell cannot be edited. `needed`: fields that the record needs first. */
  write?: (values: Values, row: Row) => RowChange | { needed: readonly string[] }
  /** The numbers that it takes. */
  rules?: NumberRules
  /** Pixels. */
  width: number
  isSorted: boolean
  /** The numbers that the footer offers of it. */
  summed?: 'amount' | 'number' | 'time' | 'filled'
  /** The parameter that filters by it; undefined where there is none. */
  filter?: string
  /** The part of a row that it shows; a row has it where it is asked for. */
  extra?: RowExtra
  fieldId?: number
  /** Shown until the user chooses. */
  isUsual: boolean
  /** It always has a value. */
  isKept?: boolean
}

const usualWidth = 160
/** The longest time between two purchases that the server takes. */
const mostDays = 36_500

/** The columns that a type has, in their usual order. In the bin, the last change is the deletion. */
export function useRowColumns(
  type: RowType,
  vocabulary: RowsVocabulary,
  isBin: boolean,
): RowColumn[] {
  const words = useTranslations('rows')
  const columns = useListColumns(type, vocabulary)
  return useMemo(() => {
    if (!isBin) return columns
    const [name, ...others] = columns
    const deletion = (['updated_by', 'updated_at'] as const).flatMap((each) => {
      const column = others.find((other) => other.name === each)
      const label = words(each === 'updated_by' ? 'columns.deleted_by' : 'columns.deleted_at')
      return column ? { ...column, label, isUsual: true, width: 190 } : []
    })
    return [name!, ...deletion, ...others.filter((each) => !each.name.startsWith('updated_'))]
  }, [columns, isBin, words])
}

function useListColumns(type: RowType, vocabulary: RowsVocabulary): RowColumn[] {
  const words = useTranslations('rows')
  return useMemo(() => {
    const label = (name: string) => words(`columns.${name}` as 'columns.name')
    const own = (
      name: keyof SentMembers,
      kind: RowColumn['kind'],
      {
        field,
        read,
        write,
      }: { field: Field; read: (stored: never) => Values; write?: (values: Values) => object },
      more: Partial<RowColumn> = {},
    ): RowColumn => ({
      name,
      kind,
      field,
      member: name,
      label: field.name,
      read: (row) => read((row[name] ?? null) as never),
      ...(write && { write: (values) => write(values) as RowChange }),
      width: usualWidth,
      isSorted: true,
      filter: `filter[${name}]`,
      isUsual: true,
      ...more,
    })
    const { users, pipelines, custom_fields, account, loss_reasons } = vocabulary
    const { customer_statuses, segments } = vocabulary
    const people = users.map(({ id, name }) => ({ id, value: name }))
    const active = users
      .filter(({ is_active }) => is_active)
      .map(({ id, name }) => ({ id, value: name }))
    const amount = (
      name: 'price' | 'next_price' | 'ltv' | 'average_check',
      more: Partial<RowColumn> = {},
    ) =>
      own(name, 'field', amountMember(name, label(name), 'monetary'), {
        summed: 'amount',
        width: 150,
        ...more,
      })
    const number = (name: 'periodicity' | 'purchases_count', more: Partial<RowColumn> = {}) =>
      own(name, 'field', amountMember(name, label(name), 'numeric'), {
        summed: 'number',
        width: 120,
        ...more,
      })
    const moment = (name: keyof SentMembers, isUsual: boolean) =>
      own(name, 'field', momentMember(label(name)), { summed: 'time', isUsual, width: 150 })
    const author = (name: 'created_by' | 'updated_by') =>
      own(
        name,
        'user',
        { ...choiceMember(name, label(name), people), write: undefined! },
        {
          isUsual: false,
        },
      )
    const readOnly = ({ write: _, ...column }: RowColumn): RowColumn => column
    const linked = (name: 'contact' | 'company', to: string): RowColumn =>
      own(
        name,
        'linked',
        {
          field: memberField({ name: label(to), type: 'text' }),
          read: (found: { name: string } | null) => (found ? [{ value: found.name }] : null),
        },
        { extra: name, width: 180 },
      )
    const name = own('name', 'name', plainMember('name', label('name')), {
      width: 260,
      isKept: type !== 'contacts',
    })
    const responsible = own(
      'responsible_user_id',
      'user',
      {
        ...choiceMember('responsible_user_id', label('responsible_user_id'), active),
        // One who has left is still responsible.
        read: choiceMember('responsible_user_id', '', people).read,
      },
      { isKept: true },
    )
    const task = readOnly(
      own('closest_task_at', 'task', momentMember(label('closest_task_at')), {
        summed: 'time',
        width: 140,
      }),
    )
    const tags = own(
      'tags',
      'tags',
      {
        field: memberField({ name: label('tags'), type: 'text' }),
        read: (all: Row['tags']) =>
          all.length === 0 ? null : all.map(({ name: tag }) => ({ value: tag })),
        write: (values) => ({
          change: {
            tags: (values ?? []).map(({ value }, index) => ({
              id: -1 - index,
              name: String(value),
              color: null,
            })),
          },
          body: {
            _embedded: { tags: (values ?? []).map(({ value }) => ({ name: String(value) })) },
          },
        }),
      },
      { isSorted: false, width: 180 },
    )
    const fields = custom_fields[type].fields.map((field): RowColumn => {
      const member = fieldMember(field.id)
      return {
        name: `field:${field.id}`,
        kind: 'field',
        label: field.name,
        field,
        member,
        read: (row) => row[member] ?? null,
        ...(isTyped(field) && {
          write: (values) => ({
            change: { [member]: values },
            body: {
              custom_fields_values: [
                { field_id: field.id, values: sentOf(field, values, account.timezone) },
              ],
            },
          }),
        }),
        width: usualWidth,
        isSorted: !unsortedFields.has(field.type),
        ...(summedFields[field.type] && { summed: summedFields[field.type]! }),
        ...(fieldKinds[field.type].filter && {
          filter: `filter[custom_fields_values][${field.id}]`,
        }),
        fieldId: field.id,
        isUsual: field.code === 'PHONE' || field.code === 'EMAIL' || field.code === 'POSITION',
      }
    })
    const reached = ['PHONE', 'EMAIL']
    const [reachFields, positions] = [true, false].map((isReach) =>
      fields.filter(
        ({ isUsual, field }) => isUsual && reached.includes(field.code ?? '') === isReach,
      ),
    ) as [RowColumn[], RowColumn[]]
    const otherFields = fields.filter(({ isUsual }) => !isUsual)
    const times = [
      moment('created_at', type === 'leads'),
      moment('updated_at', type === 'contacts' || type === 'companies'),
    ].map(readOnly)
    const authors = [author('created_by'), author('updated_by')].map(readOnly)
    const id = readOnly(
      own(
        'id',
        'field',
        {
          field: memberField({ name: label('id'), type: 'numeric' }),
          read: (number: number) => [{ value: number }],
        },
        { isUsual: false, width: 90 },
      ),
    )
    if (type === 'customers') {
      const status = own(
        'status_id',
        'stage',
        choiceMember(
          'status_id',
          label('customer_status'),
          customer_statuses.map((each) => ({ id: each.id, value: each.name, color: each.color })),
        ),
        { isKept: true },
      )
      const inSegments = own(
        'segment_ids',
        'field',
        {
          field: memberField({
            name: label('segment_ids'),
            type: 'multiselect',
            enums: segments.map((each) => ({ id: each.id, value: each.name, color: each.color })),
          }),
          read: (ids: readonly number[] | null) => {
            const found = segments.filter((each) => ids?.includes(each.id))
            return found.length === 0
              ? null
              : found.map((each) => ({ value: each.name, enum_id: each.id }))
          },
        },
        {
          isSorted: false,
          width: 200,
          write: (values, { segment_ids: before = [] }) => {
            // One that a colleague has made a moment ago stays in the set, which is sent as a whole.
            const unknown = before.filter((each) => !segments.some((known) => known.id === each))
            const ids = [...(values ?? []).map(({ enum_id }) => enum_id!), ...unknown]
            return {
              change: { segment_ids: ids },
              body: { _embedded: { segments: ids.map((each) => ({ id: each })) } },
            }
          },
        },
      )
      const nextDate = own(
        'next_date',
        'due',
        {
          field: memberField({ name: label('next_date'), type: 'date' }),
          read: (at: number | null) => (at === null || at === 0 ? null : [{ value: at }]),
          write: (values) => {
            const value = values?.[0]?.value
            return { change: { next_date: value }, body: { next_date: value } }
          },
        },
        { isKept: true, summed: 'time', width: 140 },
      )
      const whole = { isWhole: true, min: 0 }
      return [
        name,
        account.customers_mode === 'segments' ? withoutFilter(inSegments) : status,
        nextDate,
        amount('next_price', { rules: whole, width: 170 }),
        withoutFilter(readOnly(amount('ltv', { width: 120 }))),
        withoutFilter(readOnly(number('purchases_count'))),
        withoutFilter(readOnly(amount('average_check', { isUsual: false }))),
        withoutFilter(linked('contact', 'contact')),
        withoutFilter(linked('company', 'company')),
        responsible,
        task,
        tags,
        withoutFilter(
          number('periodicity', { isUsual: false, rules: { ...whole, max: mostDays } }),
        ),
        ...times,
        ...fields,
        ...authors,
        id,
      ]
    }
    if (type !== 'leads') {
      const leads = own(
        'leads',
        'leads',
        { field: memberField({ name: label('leads'), type: 'text' }), read: () => null },
        { isSorted: false, extra: 'leads', width: 110 },
      )
      const { filter: _, ...unfiltered } = leads
      return [
        name,
        ...reachFields,
        ...(type === 'contacts' ? [withoutFilter(linked('company', 'company'))] : []),
        ...positions,
        unfiltered,
        tags,
        responsible,
        task,
        ...times,
        ...otherFields,
        ...authors,
        id,
      ]
    }
    const stages = pipelines.flatMap((pipeline) =>
      pipeline.statuses
        .filter(({ type: kind }) => kind !== unsortedType)
        .map((status) => ({ pipeline, status })),
    )
    const shownPipelines = pipelines.length > 1
    const enums = stages.map(({ pipeline, status }, index) => ({
      id: index + 1,
      value: shownPipelines ? `${pipeline.name}: ${status.name}` : status.name,
      color: status.color,
    }))
    const stage = own(
      'status_id',
      'stage',
      { field: memberField({ name: label('status_id'), type: 'select', enums }), read: () => null },
      {
        isKept: true,
        filter: 'filter[statuses]',
        read: (row) => {
          const at = stages.findIndex(
            ({ pipeline, status }) =>
              pipeline.id === row.pipeline_id && status.id === row.status_id,
          )
          return at < 0 ? null : [{ value: enums[at]!.value, enum_id: at + 1 }]
        },
        write: (values, row) => {
          const { pipeline, status } = stages[(values?.[0]?.enum_id ?? 1) - 1]!
          const at = { pipeline_id: pipeline.id, status_id: status.id }
          const needed = custom_fields.leads.fields
            .filter(({ required_statuses }) =>
              required_statuses.some(
                (each) => each.pipeline_id === at.pipeline_id && each.status_id === at.status_id,
              ),
            )
            .filter((field) => (row[fieldMember(field.id)] ?? null) === null)
          return needed.length > 0
            ? { needed: needed.map((field) => field.name) }
            : { change: at, body: at }
        },
      },
    )
    const pipeline = readOnly(
      own(
        'pipeline_id',
        'field',
        choiceMember(
          'pipeline_id',
          label('pipeline_id'),
          pipelines.map((each) => ({ id: each.id, value: each.name })),
        ),
        { isUsual: false },
      ),
    )
    const reason = readOnly(
      own(
        'loss_reason_id',
        'field',
        choiceMember(
          'loss_reason_id',
          label('loss_reason_id'),
          loss_reasons.map((each) => ({ id: each.id, value: each.name })),
        ),
        { isUsual: false, isSorted: false },
      ),
    )
    return [
      name,
      withoutFilter(linked('contact', 'contact')),
      withoutFilter(linked('company', 'company')),
      stage,
      amount('price', { rules: { isWhole: true } }),
      responsible,
      task,
      tags,
      ...times,
      readOnly(moment('closed_at', false)),
      ...fields,
      pipeline,
      withoutFilter(reason),
      ...authors,
      id,
    ]
  }, [type, vocabulary, words])
}

function withoutFilter({ filter: _, ...column }: RowColumn): RowColumn {
  return column
}

/** The fields that a stage may need are always asked for, so that a move can say what is missing. */
export const neededFieldIds = (type: RowType, { custom_fields }: RowsVocabulary): number[] =>
  type === 'leads'
    ? custom_fields.leads.fields
        .filter(({ required_statuses }) => required_statuses.length > 0)
        .map(({ id }) => id)
    : []
