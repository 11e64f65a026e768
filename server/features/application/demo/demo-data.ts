// The demo account: a small supplier of offices and workshops, the companies that it sells to, and
// its deals.
// Phones and addresses are reserved for fiction (555-01xx, .example). Everything is worked out from
// positions, so that each demo account looks alike.
import type { RightsDraft } from '../../../access/rights.ts'
import type { CompanyDraft } from '../../records/companies/schema.ts'
import type { ContactDraft } from '../../records/contacts/schema.ts'
import type { FieldDraft } from '../../definitions/custom-fields/schema.ts'
import type { NewElement } from '../../records/elements/schema.ts'
import type { LeadDraft } from '../../records/leads/schema.ts'
import type { NewNote } from '../../activity/notes/schema.ts'
import { lost, won } from '../../definitions/pipelines/pipelines.ts'
import { daySeconds, latest, timesWithin, workTime } from './demo-calendar.ts'
import type { Calendar } from './demo-calendar.ts'
import { elementDrafts, goodsOf, invoiceLines, priceOf } from './demo-products.ts'
import type { DemoCatalog, Good, Kit } from './demo-products.ts'

export const partnerPipeline = {
  name: 'Partners',
  is_main: false,
  sort: 2,
  statuses: [
    { name: 'First talk', color: '#99ccff' },
    { name: 'Agreement', color: '#ffff99' },
    { name: 'Launch', color: '#ffcc66' },
  ],
}

/** A salesperson views and changes own leads, and views everybody's contacts and companies. */
export const salesRights: RightsDraft = {
  leads: { view: 'M', edit: 'M', add: 'A' },
  contacts: { view: 'A', edit: 'M', add: 'A' },
  companies: { view: 'A', edit: 'M', add: 'A' },
  tasks: { edit: 'M', delete: 'M' },
  catalog_access: true,
}

export const lossReasons = [
  'Too expensive',
  'Chose a competitor',
  'No budget this year',
  'Stopped answering',
].map((name) => ({ name }))

export const sources = [
  { name: 'Website form', external_id: 'website-form', default: true },
  { name: 'Trade fair', external_id: 'trade-fair' },
  { name: 'Partner referral', external_id: 'partner-referral' },
]

export const choices = (...values: string[]) =>
  values.map((value) => ({ value, code: value.toUpperCase().replaceAll(/\W+/g, '_') }))

export type DemoField = Omit<FieldDraft, 'type'> & { type: string }

/**
 * Fields of every type that needs no list and no file; phones, e-mails and tracking data are
 * predefined.
 */
export const fields: Record<'leads' | 'contacts' | 'companies', DemoField[]> = {
  leads: [
    { name: 'Order number', type: 'text', code: 'ORDER_NUMBER' },
    { name: 'Quantity', type: 'numeric', code: 'QUANTITY' },
    { name: 'Budget', type: 'monetary', code: 'BUDGET', currency: 'USD' },
    { name: 'Contract signed', type: 'checkbox', code: 'CONTRACT_SIGNED' },
    {
      name: 'Shipping',
      type: 'select',
      code: 'SHIPPING',
      enums: choices('Courier', 'Freight', 'Collected'),
    },
    {
      name: 'Interested in',
      type: 'multiselect',
      code: 'INTERESTS',
      enums: choices('Products', 'Installation', 'Training', 'Service plan'),
    },
    {
      name: 'Customer type',
      type: 'radiobutton',
      code: 'CUSTOMER_TYPE',
      enums: choices('New', 'Returning'),
    },
    { name: 'Decision due', type: 'date', code: 'DECISION_DUE' },
    { name: 'Next call', type: 'date_time', code: 'NEXT_CALL' },
    { name: 'Proposal', type: 'url', code: 'PROPOSAL' },
    { name: 'Requirements', type: 'textarea', code: 'REQUIREMENTS' },
    { name: 'Delivery address', type: 'streetaddress', code: 'DELIVERY_ADDRESS' },
    { name: 'Campaign', type: 'tracking_data', code: 'CAMPAIGN' },
  ],
  contacts: [{ name: 'Birthday', type: 'birthday', code: 'BIRTHDAY' }],
  companies: [
    { name: 'Headquarters', type: 'smart_address', code: 'HEADQUARTERS' },
    { name: 'Billing details', type: 'legal_entity', code: 'BILLING_DETAILS' },
  ],
}

const towns = [
  ['Portland', 'OR', '97205'],
  ['Madison', 'WI', '53703'],
  ['Savannah', 'GA', '31401'],
  ['Boulder', 'CO', '80302'],
] as const

export const companyNames = [
  'Alder Street Bakery',
  'Northwind Logistics',
  'Brightside Dental',
  'Harbor Lane Hotel',
  'Cedar & Sons Joinery',
  'Juniper Yoga Studio',
  'Lakeside Brewing',
  'Mosaic Design Office',
  'Pinecrest School',
  'Riverbend Clinic',
  'Summit Cycles',
  'Willow Garden Center',
]

const people = [
  ['Grace', 'Holloway', 'Owner'],
  ['Marcus', 'Lindqvist', 'Head of operations'],
  ['Priya', 'Raman', 'Practice manager'],
  ['Daniel', 'Okafor', 'General manager'],
  ['Helen', 'Castillo', 'Managing director'],
  ['Yuki', 'Tanaka', 'Founder'],
  ['Owen', 'Gallagher', 'Purchasing'],
  ['Nadia', 'Petrova', 'Art director'],
  ['Thomas', 'Whitfield', 'Principal'],
  ['Amara', 'Diallo', 'Head nurse'],
  ['Lucas', 'Meyer', 'Shop manager'],
  ['Sofia', 'Ferrari', 'Owner'],
  ['Ethan', 'Brooks', 'Accountant'],
  ['Ines', 'Moreau', 'Office manager'],
  ['Samuel', 'Kim', 'IT manager'],
  ['Chloe', 'Bennett', 'Marketing'],
  ['Victor', 'Almeida', 'Warehouse manager'],
  ['Leila', 'Haddad', 'Front desk'],
  ['Jonas', 'Berg', 'Purchasing'],
  ['Rosa', 'Delgado', 'Assistant'],
] as const

/** The subjects of leads, and their goods; services have none. */
const subjects: [name: string, kit?: Kit][] = [
  ['Office furniture', 'furniture'],
  ['Annual service'],
  ['Meeting room', 'meeting room'],
  ['Workshop equipment', 'workshop'],
  ['Training'],
  ['Warehouse shelving', 'storage'],
  ['Safety equipment', 'safety'],
  ['Office supplies', 'supplies'],
]
const occasions = ['first order', 'renewal', 'extension', 'trial', 'tender']
const requirements = [
  'Delivery before nine in the morning, through the back yard.',
  'Wants a fixed price for the whole year, billed quarterly.',
  'Needs samples in two colors before deciding.',
  'Must fit what was installed three years ago.',
]

const tags = {
  leads: ['web', 'phone', 'fair', 'recommended', 'big', 'urgent'],
  contacts: ['decision maker', 'newsletter', 'speaks Spanish'],
  companies: ['key account', 'local', 'supplier'],
}

export const at = <Value>(list: readonly Value[], position: number): Value =>
  list[position % list.length]!

export const value = (field_code: string, ...values: object[]) => ({ field_code, values })

/** `owner` answers the responsible user of the record at a position. */
export type DemoOwner = (place: number) => number

/** The companies came one after the other in the first quarter of the year. */
const companyDaysAgo = (position: number) => 365 - position * 8

export const companyBorn = (calendar: Calendar, position: number): number =>
  workTime(calendar, companyDaysAgo(position), position)

export function companyDraft(index: number, owner: DemoOwner): CompanyDraft {
  const name = companyNames[index]!
  const [city, state, zip] = at(towns, index)
  const street = `${120 + index * 17} ${at(['Oak', 'Main', 'Harbor', 'Mill'], index)} Street`
  return {
    name,
    responsible_user_id: owner(index),
    custom_fields_values: [
      value('PHONE', { value: officePhone(index), enum_code: 'WORK' }),
      value('EMAIL', { value: `office@${domainOf(index)}`, enum_code: 'WORK' }),
      value('WEB', { value: `https://${domainOf(index)}` }),
      value('ADDRESS', { value: `${street}, ${city}, ${state} ${zip}` }),
      value(
        'HEADQUARTERS',
        { enum_code: 'address_line_1', value: street },
        { enum_code: 'city', value: city },
        { enum_code: 'state', value: state },
        { enum_code: 'zip', value: zip },
        { enum_code: 'country', value: 'US' },
      ),
      ...(index % 3 === 0
        ? [
            value('BILLING_DETAILS', {
              value: {
                name: `${name} LLC`,
                entity_type: 2,
                address: street,
                director: at(people, index).slice(0, 2).join(' '),
              },
            }),
          ]
        : []),
    ],
    _embedded: { tags: [{ name: at(tags.companies, index) }] },
  }
}

export const officePhone = (company: number): string =>
  `+1 202 555 ${String(100 + (company % companyNames.length)).padStart(4, '0')}`

const phoneOf = (contact: number) => `+1 202 555 ${String(120 + contact).padStart(4, '0')}`

/** The contacts of a company, by their places: a contact belongs to the company at its own. */
export const contactsOf = (company: number): number[] =>
  people.flatMap((_, index) => (companyOf(index) === company ? index : []))

/** The company of a contact, or of a customer, by its place. */
export const companyOf = (position: number): number => position % companyNames.length

/** The contact of a lead, by its place. */
const contactOf = (lead: number) => lead % people.length

export const contactCount = people.length

/** The first person of a company came with it, the second 40 days later. */
export const contactBorn = (calendar: Calendar, position: number): number => {
  const company = companyOf(position)
  if (position === company) return companyBorn(calendar, company) + 900
  return workTime(calendar, companyDaysAgo(company) - 40, position)
}

export function contactDraft(order: number, owner: DemoOwner, companyIds: number[]): ContactDraft {
  const [first_name, last_name, position] = people[order]!
  return {
    name: `${first_name} ${last_name}`,
    first_name,
    last_name,
    responsible_user_id: owner(order),
    custom_fields_values: [
      value('POSITION', { value: position }),
      value(
        'PHONE',
        { value: phoneOf(order), enum_code: 'WORK' },
        ...(order % 4 === 0
          ? [{ value: `+1 202 555 ${String(160 + order).padStart(4, '0')}`, enum_code: 'MOB' }]
          : []),
      ),
      value('EMAIL', {
        value: `${first_name}.${last_name}@${domainOf(order)}`.toLowerCase(),
        enum_code: 'WORK',
      }),
      ...(order % 2 === 0
        ? [value('BIRTHDAY', { value: Date.UTC(1968 + order, order % 12, 3 + order) / 1000 })]
        : []),
    ],
    _embedded: {
      tags: [{ name: at(tags.contacts, order) }],
      companies: [{ id: companyIds[companyOf(order)]! }],
    },
  }
}

export interface DemoStage {
  pipeline_id: number
  status_id: number
}

export const leadCount = 40

/** A lead's life: when it came, when it entered each further stage, and when it ended if it is closed. */
export interface LeadLife {
  born: number
  /** The first stage, and those it went through with the times. */
  first: DemoStage
  moves: { stage: DemoStage; at: number }[]
  /** `won` or `lost`. */
  closed?: number
  /** The end of the life, or now. */
  end: number
}

/**
 * Of ten leads, seven are open in the main pipeline or with partners, two won and one lost. The closed ones
 * are spread over the year; of the open ones most are young.
 */
export function leadLife(
  calendar: Calendar,
  position: number,
  { main, partners }: { main: DemoStage[]; partners: DemoStage[] },
): LeadLife {
  const step = position % 10
  const closed = isWonLead(position) ? won : step === 7 ? lost : undefined
  if (closed !== undefined) {
    const daysAgo = 320 - closedBefore(position) * 26
    const born = workTime(calendar, daysAgo, position)
    const end = workTime(calendar, daysAgo - 12 - (position % 5) * 6, position + 5)
    const path = [...main, { pipeline_id: main[0]!.pipeline_id, status_id: closed }]
    return { born, closed, ...walk(calendar, { born, end }, path, position) }
  }
  const leftOfAll =
    1 - (position + 1 - closedBefore(position)) / (leadCount - closedBefore(leadCount))
  const born = workTime(calendar, 300 * leftOfAll ** 2, position)
  const path = isPartner(position)
    ? partners.slice(0, (Math.floor(position / 10) % partners.length) + 1)
    : main.slice(0, (step % main.length) + 1)
  return { born, ...walk(calendar, { born, end: calendar.now }, path, position) }
}

/** Open leads have been where they are for the last quarter of their lives. */
function walk(
  calendar: Calendar,
  { born, end }: { born: number; end: number },
  [first, ...further]: DemoStage[],
  position: number,
): Pick<LeadLife, 'first' | 'moves' | 'end'> {
  const share = end === calendar.now ? 0.75 : 1
  const parts = further.map((_, index) => (share * (index + 1)) / further.length)
  const times = timesWithin(calendar, { born, end }, parts, position)
  return {
    first: first!,
    moves: further.map((stage, index) => ({ stage, at: times[index]! })),
    end,
  }
}

/** How many leads with smaller places are closed. */
const closedBefore = (position: number): number =>
  Array.from({ length: position }, (_, each) => each).filter(
    (each) => isWonLead(each) || each % 10 === 7,
  ).length

interface LeadSurroundings {
  owner: DemoOwner
  companyIds: number[]
  contactIds: number[]
  lossReasonIds: number[]
}

/** A lead as it came. */
export function leadDraft(
  calendar: Calendar,
  index: number,
  life: LeadLife,
  { owner, companyIds, contactIds }: LeadSurroundings,
): LeadDraft {
  const [subject] = at(subjects, index)
  const price = priceOfLead(index)
  return {
    name: `${subject}, ${at(occasions, index)}`,
    price: isNegotiated(index, life) ? Math.round(price * 0.9) : price,
    ...life.first,
    responsible_user_id: owner(index),
    custom_fields_values: leadValues(calendar, index, life),
    _embedded: {
      tags: [
        { name: at(tags.leads, index) },
        ...(index % 3 === 0 ? [{ name: at(tags.leads, index + 2) }] : []),
      ],
      // A contact belongs to the company at the same position.
      contacts: [{ id: contactIds[contactOf(index)]!, is_main: true }],
      companies: [{ id: companyIds[companyOf(contactOf(index))]! }],
      source: { external_id: at(sources, index).external_id },
    },
  }
}

/** The change of a lead by a move. The last move agrees on the price, and a won lead then has its contract. */
export function leadChange(
  position: number,
  life: LeadLife,
  move: number,
  { lossReasonIds }: LeadSurroundings,
): Partial<LeadDraft> {
  const { stage } = life.moves[move]!
  const isLast = move === life.moves.length - 1
  return {
    ...stage,
    ...(isLast && isNegotiated(position, life) && { price: priceOfLead(position) }),
    ...(stage.status_id === lost && {
      loss_reason_id: at(lossReasonIds, Math.floor(position / 10)),
    }),
    ...(stage.status_id === won && {
      custom_fields_values: [
        value('CONTRACT_SIGNED', { value: true }),
        value('ORDER_NUMBER', { value: `PO-${2400 + position}` }),
        value('PROPOSAL', { value: `https://files.example/proposals/${2400 + position}` }),
      ],
    }),
  }
}

const isNegotiated = (position: number, { moves }: LeadLife) =>
  position % 4 === 1 && moves.length > 0

/** Leads with partners; they pay wholesale prices. */
const isPartner = (position: number) => position % 10 === 8

function goodsOfLead(index: number): Good[] {
  const [, kit] = at(subjects, index)
  return kit ? goodsOf(kit, 3 + ((index * 7) % 12)) : []
}

function priceOfLead(position: number): number {
  const goods = goodsOfLead(position)
  return goods.length > 0 ? priceOf(goods, isPartner(position)) : 1500 + (position % 7) * 450
}

const isWonLead = (position: number) => [4, 6].includes(position % 10)

/** The invoice of a won lead; of the last two one is paid in part, and one waits. */
export function invoiceDraft(
  index: number,
  { end }: LeadLife,
  catalog: DemoCatalog,
  companyIds: number[],
): NewElement {
  const company = companyOf(contactOf(index))
  const goods = goodsOfLead(index)
  const price = priceOfLead(index)
  const [subject] = at(subjects, index)
  const lines =
    goods.length > 0
      ? invoiceLines(catalog, goods)
      : [{ description: subject, unit_price: price, quantity: 1 }]
  const status = index < leadCount - 10 ? 'paid' : index % 10 === 4 ? 'partially_paid' : 'created'
  return {
    name: `Invoice ${2400 + index}`,
    custom_fields_values: [
      value('BILL_STATUS', { enum_code: status }),
      value('PAYER', {
        value: {
          name: companyNames[company],
          entity_id: companyIds[company],
          entity_type: 'companies',
          type: 'legal',
        },
      }),
      value('ITEMS', ...lines.map((line) => ({ value: line }))),
      value('BILL_PRICE', { value: price }),
      value('BILL_VAT_TYPE', { enum_code: 'vat_included' }),
      ...(status === 'paid' ? [value('BILL_PAYMENT_DATE', { value: end })] : []),
    ],
  }
}

/** The goods of a lead, as elements with quantities and prices. */
export const leadElements = (catalog: DemoCatalog, position: number, leadId: number) =>
  elementDrafts(catalog, leadId, goodsOfLead(position), isPartner(position))

function leadValues({ now }: Calendar, index: number, { born, closed }: LeadLife) {
  const [city, state] = at(towns, index)
  const pieces = goodsOfLead(index).reduce((sum, { quantity }) => sum + quantity, 0)
  const planned = closed === undefined ? now : born
  return [
    value('QUANTITY', { value: Math.max(1, pieces) }),
    value('BUDGET', { value: priceOfLead(index) * 1.1 }),
    value('CUSTOMER_TYPE', { enum_code: at(['NEW', 'RETURNING'], index) }),
    value(
      'INTERESTS',
      ...at([['PRODUCTS'], ['PRODUCTS', 'INSTALLATION'], ['TRAINING', 'SERVICE_PLAN']], index).map(
        (enum_code) => ({ enum_code }),
      ),
    ),
    ...(index % 2 === 0
      ? [
          value('SHIPPING', { enum_code: at(['COURIER', 'FREIGHT', 'COLLECTED'], index) }),
          value('DELIVERY_ADDRESS', { value: `${40 + index} Dock Road, ${city}, ${state}` }),
          value('DECISION_DUE', { value: planned + (3 + index) * daySeconds }),
        ]
      : [
          value('NEXT_CALL', { value: planned - (planned % 3600) + (index * 5 + 18) * 3600 }),
          value('REQUIREMENTS', { value: at(requirements, index) }),
          value('CAMPAIGN', { value: at(['spring-mailing', 'search-ads'], index) }),
        ]),
  ]
}

const remarks = [
  'Asked for a quote by Friday. Prefers e-mail to calls.',
  'Visited the showroom and liked the second option best.',
  'The budget has to be approved by the board first.',
  'Sent the proposal. Follow up next week.',
]

/** A note, and when it was written. */
export interface DatedNote {
  at: number
  note: Omit<NewNote, 'entity_id'>
}

/** The form that a lead came by, and what its salesperson wrote down: the more, the longer its life. */
export function leadNotes(calendar: Calendar, position: number, life: LeadLife): DatedNote[] {
  const days = (life.end - life.born) / daySeconds
  const parts = [0.2, 0.45, 0.7, 0.95].slice(0, Math.ceil(days / 40))
  const remarked = days < 1 ? [] : timesWithin(calendar, life, parts, position + 1)
  return [
    ...(position % 3 === 0
      ? [
          {
            at: Math.min(latest(calendar), life.born + 60),
            note: {
              note_type: 'service_message',
              params: {
                service: 'Website form',
                text: 'The form was sent from the page "Get an offer".',
              },
            } as const,
          },
        ]
      : []),
    ...remarked.map((written, index): DatedNote => ({
      at: written,
      note: { note_type: 'common', params: { text: at(remarks, position + index) } },
    })),
  ]
}

/** Days between two calls with a contact. */
const callDays = 65

/** Calls and messages with a contact, as long as it is known; the newest is an hour old. */
export function contactNotes(calendar: Calendar, index: number): DatedNote[] {
  const phone = phoneOf(index)
  const known = (calendar.now - contactBorn(calendar, index)) / daySeconds
  const newest = index * 2.5
  const count = 1 + Math.floor((known - newest - 3) / callDays)
  return Array.from({ length: count }, (_, time): DatedNote => {
    const daysAgo = newest + time * callDays
    const kind = (index + time) % 3
    return {
      at: workTime(calendar, daysAgo, index + time * 5),
      note:
        kind === 2
          ? { note_type: 'sms_out', params: { text: 'See you on Tuesday at ten.', phone } }
          : {
              note_type: kind === 0 ? 'call_in' : 'call_out',
              params: {
                duration: 60 + ((index * 37 + time * 101) % 600),
                source: 'Office phone',
                phone,
                call_status: 4,
                call_result: 'Talked about the offer',
              },
            },
    }
  })
}

function domainOf(index: number): string {
  const name = at(companyNames, index)
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
  return `${name}.example`
}
