// The customers of the demo account, their purchases and segments. Each company buys some lines of
// goods regularly; a customer is a company and a line. The days since the last purchase are chosen
// so that every status has customers, whenever the account is made.
import type { CustomerDraft } from '../../records/customers/schema.ts'
import type { NewSegment, SegmentConditions } from '../../records/segments/schema.ts'
import type { NewTransaction } from '../../records/transactions/schema.ts'
import { daySeconds, timesWithin } from './demo-calendar.ts'
import type { Calendar } from './demo-calendar.ts'
import {
  at,
  choices,
  companyNames,
  companyOf,
  contactsOf,
  officePhone,
  value,
} from './demo-data.ts'
import type { DatedNote, DemoField, DemoOwner } from './demo-data.ts'
import { elementDrafts, goodsOf, priceOf } from './demo-products.ts'
import type { DemoCatalog, Good, Kit } from './demo-products.ts'

export const customerCount = 40

/** The new name of the ordinary status, and further ones: customers are there by hand. */
export const regularStatus = 'Regular'
export const furtherStatuses = [
  { name: 'Contract talks', sort: 3, color: '#c1e0ff' },
  { name: 'Trial month', sort: 3, color: '#f9deff' },
]

export const customerFields: DemoField[] = [
  { name: 'Account number', type: 'text', code: 'ACCOUNT_NUMBER' },
  {
    name: 'Delivery days',
    type: 'multiselect',
    code: 'DELIVERY_DAYS',
    enums: choices('Monday', 'Wednesday', 'Friday'),
  },
  {
    name: 'Payment terms',
    type: 'select',
    code: 'PAYMENT_TERMS',
    enums: choices('In advance', '14 days', '30 days'),
  },
  { name: 'Contract until', type: 'date', code: 'CONTRACT_UNTIL' },
]

export const segmentFields: DemoField[] = [
  { name: 'Discount, %', type: 'numeric', code: 'DISCOUNT' },
]

interface DemoSegment {
  draft: NewSegment
  conditions?: SegmentConditions
}

/** Two segments that people fill, and two that fill themselves. */
export function demoSegments({ wholesaleId }: DemoCatalog): DemoSegment[] {
  const entering = (condition: SegmentConditions['entry_conditions'][number][number]) => ({
    entry_conditions: [[condition]],
    exit_conditions: [],
  })
  return [
    {
      draft: {
        name: 'Wholesale',
        color: '2176ff',
        available_products_price_types: [wholesaleId],
        custom_fields_values: [value('DISCOUNT', { value: 12 })],
      },
    },
    { draft: { name: 'Show as references', color: '00a44b' } },
    {
      draft: {
        name: 'Big spenders',
        color: 'bf2600',
        custom_fields_values: [value('DISCOUNT', { value: 5 })],
      },
      conditions: entering({ field: 'ltv', from: 4000 }),
    },
    {
      draft: { name: 'Buying soon', color: '6610f2' },
      conditions: entering({ field: 'days_to_next_date', from: 0, to: 7 }),
    },
  ]
}

interface Line {
  name: string
  kit: Kit
  /** Days between two purchases. */
  periodicity: number
  /** How much is bought at a time, compared with the others. */
  share: number
}

const lines: Line[] = [
  { name: 'office supplies', kit: 'supplies', periodicity: 30, share: 1 },
  { name: 'coffee', kit: 'breakroom', periodicity: 21, share: 1 },
  { name: 'safety equipment', kit: 'safety', periodicity: 45, share: 1 },
  { name: 'furniture', kit: 'furniture', periodicity: 90, share: 0.3 },
]

const tags = ['phone orders', 'online shop', 'prepays', 'fragile deliveries']

const lineOf = (position: number) =>
  at(lines, position + Math.floor(position / companyNames.length))

const isWholesale = (position: number) => position % 5 === 0

/**
 * The days since the last purchase. Of ten customers four are in the ordinary statuses, two have
 * bought recently, two are about to buy, one has missed its date, and one is closed.
 */
function daysSincePurchase(position: number, periodicity: number): number {
  switch (position % 10) {
    case 1:
    case 6:
      return 1 + (Math.floor(position / 5) % 5)
    case 3:
    case 8:
      return periodicity - 1 - (Math.floor(position / 5) % 5)
    case 5:
      return periodicity + 3 + (position % 20)
    case 9:
      return periodicity + 40 + position
    default:
      return 10 + ((position * 7) % (periodicity - 19))
  }
}

/** The further status that a person put a customer into, by the place of that status. */
export const placedIn = (position: number): number | undefined => ({ 4: 0, 7: 1 })[position % 10]

/** The goods that a customer buys, a little more or less each time. */
function orderOf(position: number, time: number): Good[] {
  const { kit, share } = lineOf(position)
  return goodsOf(kit, share * (2 + ((position * 5) % 7) + (time % 3)))
}

interface CustomerSurroundings {
  owner: DemoOwner
  companyIds: number[]
  contactIds: number[]
  segmentIds: number[]
}

/** A few days before its first purchase. */
export const customerBorn = (calendar: Calendar, position: number): number =>
  purchaseTimes(calendar, position)[0]! - (1 + (position % 5)) * daySeconds

/** A customer as it came; it has bought nothing yet. */
export function customerDraft(
  calendar: Calendar,
  position: number,
  { owner, companyIds, contactIds, segmentIds }: CustomerSurroundings,
): CustomerDraft {
  const [wholesale, references] = segmentIds as [number, number]
  const { name, periodicity } = lineOf(position)
  const [first] = purchaseTimes(calendar, position) as [number]
  const people = contactsOf(companyOf(position))
  return {
    name: `${at(companyNames, position)}, ${name}`,
    next_date: first,
    next_price: priceOf(orderOf(position, 0), isWholesale(position)),
    periodicity,
    responsible_user_id: owner(position),
    custom_fields_values: [
      value('ACCOUNT_NUMBER', { value: `C-${1001 + position}` }),
      value(
        'DELIVERY_DAYS',
        ...at([['MONDAY'], ['WEDNESDAY'], ['MONDAY', 'FRIDAY']], position).map((enum_code) => ({
          enum_code,
        })),
      ),
      value('PAYMENT_TERMS', { enum_code: at(['IN_ADVANCE', '14_DAYS', '30_DAYS'], position) }),
      ...(position % 4 === 0
        ? [value('CONTRACT_UNTIL', { value: calendar.now + (90 + position * 5) * daySeconds })]
        : []),
    ],
    _embedded: {
      tags: [{ name: at(tags, position) }],
      segments: [
        ...(isWholesale(position) ? [{ id: wholesale }] : []),
        ...(position % 7 === 2 ? [{ id: references }] : []),
      ],
      // Another person of the company orders each line.
      contacts: people.map((person, index) => ({
        id: contactIds[person]!,
        is_main: index === Math.floor(position / companyNames.length) % people.length,
      })),
      companies: [{ id: companyIds[companyOf(position)]! }],
    },
  }
}

/** Days ago by which a company orders its first line; it takes the others one after the other. */
export const firstOrderDaysAgo = 240

/** When a customer has bought, in order. */
export function purchaseTimes({ now }: Calendar, position: number): number[] {
  const { periodicity } = lineOf(position)
  const last = daysSincePurchase(position, periodicity)
  const since = firstOrderDaysAgo - Math.floor(position / companyNames.length) * 45
  const count = Math.max(1, Math.ceil((since - last) / periodicity))
  return Array.from({ length: count }, (_, time) => {
    const days = last + (count - 1 - time) * periodicity
    return now - days * daySeconds - ((position * 1237 + time * 811) % 7200)
  })
}

/** One purchase of a customer, which says when it buys next, and what. */
export function purchaseDraft(
  calendar: Calendar,
  position: number,
  time: number,
  { id: catalog_id, productIds }: DemoCatalog,
): NewTransaction {
  const { periodicity } = lineOf(position)
  const goods = orderOf(position, time)
  const times = purchaseTimes(calendar, position)
  const daysAgo = daysSincePurchase(position, periodicity) + (times.length - 1 - time) * periodicity
  return {
    price: priceOf(goods, isWholesale(position)),
    comment: time % 4 === 3 ? 'Partial delivery, the rest followed' : null,
    completed_at: times[time]!,
    metadata: { external_id: `S-${1001 + position}-${time + 1}`, receipt_link: null },
    next_date: calendar.now - (daysAgo - periodicity) * daySeconds,
    next_price: priceOf(orderOf(position, time + 1), isWholesale(position)),
    _embedded: {
      catalog_elements: goods.map(({ product, quantity }) => ({
        id: productIds[product]!,
        metadata: { catalog_id, quantity },
      })),
    },
  }
}

/** Every second customer has agreed to take these goods each time. */
export const standingOrder = (catalog: DemoCatalog, position: number, customerId: number) =>
  position % 2 === 0
    ? elementDrafts(catalog, customerId, orderOf(position, 1), isWholesale(position))
    : []

const remarks = [
  'Deliveries only before noon; the yard is closed afterwards.',
  'Wants one invoice a month for all orders.',
  'Asked whether a larger order lowers the price.',
  'Two pieces were damaged last time. Check the packaging.',
]

/** Remarks about some of the customers, and calls. */
export function customerNotes(calendar: Calendar, position: number): DatedNote[] {
  const life = { born: customerBorn(calendar, position), end: calendar.now }
  const dated = (parts: number[], note: (index: number) => DatedNote['note']) =>
    timesWithin(calendar, life, parts, position).map((written, index) => ({
      at: written,
      note: note(index),
    }))
  if (position % 4 === 0)
    return dated([0.3, 0.8], (index) => ({
      note_type: 'common',
      params: { text: at(remarks, position / 4 + index) },
    }))
  if (position % 6 !== 1) return []
  return dated([0.4, 0.7, 0.97], (index) => ({
    note_type: 'call_out',
    params: {
      duration: 45 + position * 11 + index * 20,
      source: 'Office phone',
      phone: officePhone(position),
      call_status: 4,
      call_result: 'Confirmed the next delivery',
    },
  }))
}
