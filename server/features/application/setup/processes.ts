// The names that a new account begins with, in the languages of the web application.
import type { PipelineDraft } from '../../definitions/pipelines/pipelines.ts'
import type { SalesProcess, SetupLanguage } from './schema.ts'

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

/** A pipeline cannot be without a status: the empty one has the first of the others. */
export function pipelineOf(process: SalesProcess, language: SetupLanguage): PipelineDraft {
  const { pipeline, unsorted, won, lost, ...stages } = words[language]
  const names = process === 'empty' ? stages.simple.slice(0, 1) : stages[process]
  return {
    name: pipeline,
    is_main: true,
    sort: 1,
    statuses: names.map((name, index) => ({ name, color: colors[index]! })),
    names: { unsorted, won, lost },
  }
}
