// The filters that a list of records has, with the words and the choices of the account.
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { fieldKinds } from '../../crm/fields/types.ts'
import { lost, unsortedType, won } from '../../crm/stages.ts'
import type { NumberRules } from '../../ui/number.ts'
import type { Chip, FilterForm, Forms } from './filter.ts'

export type FilteredType = 'leads' | 'contacts' | 'companies' | 'customers'
export type FilterVocabulary = Pick<
  Bootstrap,
  'me' | 'users' | 'pipelines' | 'custom_fields' | 'account' | 'tags' | 'customer_statuses'
>

export interface Option {
  value: string
  label: string
  /** Of a stage. */
  color?: string
  isFormer?: boolean
}

export interface FilterField {
  /** The parameter. */
  name: string
  label: string
  form: FilterForm
  options?: Option[]
  /** Of an amount. */
  currency?: string
  /** Other words that find the field. */
  also?: string
}

/** The people of an account, the user first under the words `own`, those who are gone last. */
export const peopleOptions = (
  { me, users }: Pick<FilterVocabulary, 'me' | 'users'>,
  own: string,
): Option[] => [
  { value: 'me', label: own },
  ...users
    .filter(({ id }) => id !== me.id)
    .toSorted((a, b) => Number(b.is_active) - Number(a.is_active))
    .map(({ id, name, is_active }) => ({
      value: String(id),
      label: name,
      ...(!is_active && { isFormer: true }),
    })),
]

/** The stages of pipelines, with the name of the pipeline where there are several. */
export const stageOptions = (pipelines: FilterVocabulary['pipelines']): Option[] =>
  pipelines.flatMap((pipeline) =>
    pipeline.statuses
      .filter(({ type }) => type !== unsortedType)
      .map(({ id, name, color }) => ({
        value: `${pipeline.id}:${id}`,
        label: pipelines.length > 1 ? `${pipeline.name}: ${name}` : name,
        color,
      })),
  )

/** The filters of a list. With a pipeline, those of its board: the pipeline itself is no choice. */
export function useFields(
  type: FilteredType,
  { me, users, pipelines, custom_fields, tags, account, customer_statuses }: FilterVocabulary,
  pipelineId?: number,
): FilterField[] {
  const words = useTranslations('filter')
  const { currency, customers_mode: mode } = account
  return useMemo(() => {
    const own = (name: string, form: FilterForm, more: Partial<FilterField> = {}): FilterField => ({
      name: name === 'query' ? name : `filter[${name}]`,
      label: words(`fields.${name}` as 'fields.query'),
      form,
      ...more,
    })
    const people = peopleOptions({ me, users }, words('me', { name: me.name }))
    const authors = { options: [...people, { value: '0', label: words('system') }] }
    const shown = pipelines.filter(({ id }) => pipelineId === undefined || id === pipelineId)
    const stages = stageOptions(shown)
    const fields = custom_fields[type].fields.flatMap(
      ({ id, name, type: kind, enums, currency: ofField }): FilterField[] => {
        const form = fieldKinds[kind].filter
        if (!form) return []
        const options =
          form === 'choices'
            ? (enums ?? []).map((each) => ({ value: String(each.id), label: each.value }))
            : form === 'flag'
              ? [
                  { value: '1', label: words('yes') },
                  { value: '0', label: words('no') },
                ]
              : undefined
        return [
          {
            name: `filter[custom_fields_values][${id}]`,
            label: name,
            form,
            ...(options && { options }),
            ...(fieldKinds[kind].isAmount && { currency: ofField ?? currency }),
          },
        ]
      },
    )
    return [
      own('query', 'words'),
      ...(type === 'leads' ? [own('statuses', 'stages', { options: stages })] : []),
      ...(type === 'customers' && mode !== 'segments'
        ? [
            own('status_id', 'ids', {
              options: customer_statuses.map(({ id, name, color }) => ({
                value: String(id),
                label: name,
                color,
              })),
            }),
          ]
        : []),
      own('responsible_user_id', 'users', {
        options: [...people, { value: '0', label: words('nobody') }],
      }),
      ...(type === 'leads' ? [own('price', 'number', { currency })] : []),
      ...(type === 'customers'
        ? [own('next_date', 'due'), own('next_price', 'number', { currency })]
        : []),
      own('closest_task_at', 'task'),
      own('tags', 'choices', {
        options: tags[type].map(({ id, name }) => ({ value: String(id), label: name })),
      }),
      own('created_at', 'time'),
      own('updated_at', 'time'),
      ...(type === 'leads' ? [own('closed_at', 'time')] : []),
      ...(type === 'leads' && pipelineId === undefined
        ? [
            own('pipeline_id', 'ids', {
              options: pipelines.map(({ id, name }) => ({ value: String(id), label: name })),
            }),
          ]
        : []),
      own('name', 'texts'),
      own('created_by', 'users', authors),
      own('updated_by', 'users', authors),
      own('id', 'ids'),
      ...fields,
    ]
  }, [
    type,
    me,
    users,
    pipelines,
    custom_fields,
    tags,
    customer_statuses,
    currency,
    mode,
    pipelineId,
    words,
  ])
}

/** The most digits that an address keeps of a number, before its point and after it. */
const mostNumber = 999_999_999_999_999
const mostDecimals = 10

/** The numbers that a filter takes: the price of a lead is whole, the others are fields. */
export const rulesOf = ({
  form,
  currency,
}: Pick<FilterField, 'form' | 'currency'>): NumberRules => ({
  isWhole: form === 'number',
  currency,
  min: -mostNumber,
  max: mostNumber,
  fractionDigits: mostDecimals,
})

export const formsOf = (fields: readonly FilterField[]): Forms =>
  new Map(fields.map(({ name, form }) => [name, form]))

export interface Preset {
  name: string
  label: string
  chips: Chip[]
}

/** Filters that are asked for every day; `pipelineId` names the board. */
export function usePresets(type: FilteredType, pipelineId?: number): Preset[] {
  const words = useTranslations('filter')
  return useMemo(() => {
    const of = (
      name: 'mine' | 'noTask' | 'overdue' | 'won' | 'lost' | 'unassigned' | 'late' | 'expected',
      chip: Chip,
    ) => ({
      name,
      label: words(`presets.${name}`),
      chips: [chip],
    })
    const responsible = 'filter[responsible_user_id]'
    const task = 'filter[closest_task_at]'
    const due = 'filter[next_date]'
    const closed = (status: number): Chip => ({
      name: 'filter[statuses]',
      values: [`${pipelineId}:${status}`],
    })
    return [
      of('mine', { name: responsible, values: ['me'] }),
      ...(type === 'customers'
        ? [
            of('expected', { name: due, values: ['this_month'] }),
            of('late', { name: due, values: ['overdue'] }),
          ]
        : []),
      of('noTask', { name: task, values: ['0'] }),
      of('overdue', { name: task, values: ['overdue'] }),
      ...(type === 'leads' && pipelineId !== undefined
        ? [of('won', closed(won)), of('lost', closed(lost))]
        : []),
      of('unassigned', { name: responsible, values: ['0'] }),
    ]
  }, [type, pipelineId, words])
}
