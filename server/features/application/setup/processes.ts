// The names that a new account begins with, in the languages of the web application.
import type { FieldType } from '../../../records/fields/types.ts'
import type { PipelineDraft } from '../../definitions/pipelines/pipelines.ts'
import { businesses, textIn } from './businesses.ts'
import type { BusinessField } from './businesses.ts'
import type { Business, SalesProcess, SetupLanguage } from './schema.ts'

interface Words {
  group: string
  pipeline: string
  unsorted: string
  won: string
  lost: string
  simple: string[]
  long: string[]
}

const words: Record<SetupLanguage, Words> = {
  en: {
    group: 'Sales department',
    pipeline: 'Sales',
    unsorted: 'Incoming leads',
    won: 'Closed - won',
    lost: 'Closed - lost',
    simple: ['First contact', 'Offer', 'Negotiation', 'Payment'],
    long: [
      'First contact',
      'Needs',
      'Meeting',
      'Proposal',
      'Negotiation',
      'Contract',
      'Payment',
      'Delivery',
    ],
  },
  ru: {
    group: 'Отдел продаж',
    pipeline: 'Продажи',
    unsorted: 'Неразобранное',
    won: 'Успешно реализовано',
    lost: 'Закрыто и не реализовано',
    simple: ['Первичный контакт', 'Предложение', 'Переговоры', 'Оплата'],
    long: [
      'Первичный контакт',
      'Выявление потребностей',
      'Встреча',
      'Коммерческое предложение',
      'Переговоры',
      'Договор',
      'Оплата',
      'Поставка',
    ],
  },
  es: {
    group: 'Departamento de ventas',
    pipeline: 'Ventas',
    unsorted: 'Leads entrantes',
    won: 'Cerrado - ganado',
    lost: 'Cerrado - perdido',
    simple: ['Primer contacto', 'Oferta', 'Negociación', 'Pago'],
    long: [
      'Primer contacto',
      'Necesidades',
      'Reunión',
      'Propuesta',
      'Negociación',
      'Contrato',
      'Pago',
      'Entrega',
    ],
  },
  pt: {
    group: 'Departamento de vendas',
    pipeline: 'Vendas',
    unsorted: 'Leads de entrada',
    won: 'Fechado - ganho',
    lost: 'Fechado - perdido',
    simple: ['Primeiro contato', 'Oferta', 'Negociação', 'Pagamento'],
    long: [
      'Primeiro contato',
      'Necessidades',
      'Reunião',
      'Proposta',
      'Negociação',
      'Contrato',
      'Pagamento',
      'Entrega',
    ],
  },
}

/** Of the palette of statuses, in its order. */
const colors = '#99ccff #ffff99 #ffcc66 #ffcccc #d6eaff #ebffb1 #f3beff #87f2c0'.split(' ')

export const firstGroup = (language: SetupLanguage): string => words[language].group

/** The ordinary stages of a process. No pipeline is without one: the empty process has the first of the simple one. */
export function stagesOfProcess(
  process: SalesProcess,
  language: SetupLanguage,
): PipelineDraft['statuses'] {
  if (isBusiness(process))
    return businesses[process].stages.map(({ name, color }) => ({
      name: textIn(name, language),
      color,
    }))
  const { simple, long } = words[language]
  const names = { simple, long, empty: simple.slice(0, 1) }[process]
  return names.map((name, index) => ({ name, color: colors[index]! }))
}

export function pipelineOf(process: SalesProcess, language: SetupLanguage): PipelineDraft {
  const { pipeline, unsorted, won, lost } = words[language]
  return {
    name: isBusiness(process) ? textIn(businesses[process].pipeline, language) : pipeline,
    is_main: true,
    sort: 1,
    statuses: stagesOfProcess(process, language),
    names: { unsorted, won, lost },
  }
}

interface ProcessField {
  name: string
  type: FieldType
  enums?: { value: string; sort: number }[]
  currency?: string
}

/** The fields that a process brings, in their order; none where it brings only stages. */
export function fieldsOfProcess(
  process: SalesProcess,
  language: SetupLanguage,
  currency: string,
): { of: BusinessField['of']; draft: ProcessField }[] {
  if (!isBusiness(process)) return []
  return businesses[process].fields.map(({ of, type, name, options }) => ({
    of,
    draft: {
      type,
      name: textIn(name, language),
      ...(options && {
        enums: options.map((option, index) => ({
          value: textIn(option, language),
          sort: index + 1,
        })),
      }),
      ...(type === 'monetary' && { currency }),
    },
  }))
}

/** The names of the stages of the processes that suit no company in particular, in every language. */
export const readyStages = (): string[][] =>
  (Object.keys(words) as SetupLanguage[]).flatMap((language) =>
    (['simple', 'long', 'empty'] as const).map((process) =>
      stagesOfProcess(process, language).map(({ name }) => name),
    ),
  )

const isBusiness = (process: SalesProcess): process is Business =>
  Object.hasOwn(businesses, process)
