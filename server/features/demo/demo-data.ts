// The demo account: a small supplier of offices and workshops, the companies that it sells to, and
// its deals.
// Phones and addresses are reserved for fiction (555-01xx, .example). Everything is worked out from
// positions, so that each demo account looks alike.
import type { RightsDraft } from '../../access/rights.ts'
import type { CompanyDraft } from '../companies/schema.ts'
import type { ContactDraft } from '../contacts/schema.ts'
import type { FieldDraft } from '../custom-fields/schema.ts'
import type { NewElement } from '../elements/schema.ts'
import type { LeadDraft } from '../leads/schema.ts'
import type { NewNote } from '../notes/schema.ts'
import { lost, won } from '../pipelines/pipelines.ts'
import { elementDrafts, goodsOf, invoiceLines, priceOf } from './demo-products.ts'
import type { DemoCatalog, Good, Kit } from './demo-products.ts'

export const daySeconds = 86_400

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

export const at = <Value>(list: readonly Value[], place: number): Value =>
  list[place % list.length]!

export const value = (field_code: string, ...values: object[]) => ({ field_code, values })

/** `owner` answers the responsible user of the record at a position. */
export type Owner = (place: number) => number

export function companyDrafts(now: number, owner: Owner): CompanyDraft[] {
  return companyNames.map((name, place) => {
    const [city, state, zip] = at(towns, place)
    const street = `${120 + place * 17} ${at(['Oak', 'Main', 'Harbor', 'Mill'], place)} Street`
    return {
      name,
      responsible_user_id: owner(place),
      created_at: now - (60 - place) * daySeconds,
      custom_fields_values: [
        value('PHONE', {
          value: `+1 202 555 ${String(100 + place).padStart(4, '0')}`,
          enum_code: 'WORK',
        }),
        value('EMAIL', { value: `office@${domainOf(place)}`, enum_code: 'WORK' }),
        value('WEB', { value: `https://${domainOf(place)}` }),
        value('ADDRESS', { value: `${street}, ${city}, ${state} ${zip}` }),
        value(
          'HEADQUARTERS',
          { enum_code: 'address_line_1', value: street },
          { enum_code: 'city', value: city },
          { enum_code: 'state', value: state },
          { enum_code: 'zip', value: zip },
          { enum_code: 'country', value: 'US' },
        ),
        ...(place % 3 === 0
          ? [
              value('BILLING_DETAILS', {
                value: {
                  name: `${name} LLC`,
                  entity_type: 2,
                  address: street,
                  director: at(people, place).slice(0, 2).join(' '),
                },
              }),
            ]
          : []),
      ],
      _embedded: { tags: [{ name: at(tags.companies, place) }] },
    }
  })
}

/** The contacts of a company, by their places: a contact belongs to the company at its own. */
export const contactsOf = (company: number): number[] =>
  people.flatMap((_, place) => (place % companyNames.length === company ? place : []))

export function contactDrafts(now: number, owner: Owner, companyIds: number[]): ContactDraft[] {
  return people.map(([first_name, last_name, position], place) => ({
    name: `${first_name} ${last_name}`,
    first_name,
    last_name,
    responsible_user_id: owner(place),
    created_at: now - (50 - place) * daySeconds,
    custom_fields_values: [
      value('POSITION', { value: position }),
      value(
        'PHONE',
        { value: `+1 202 555 ${String(120 + place).padStart(4, '0')}`, enum_code: 'WORK' },
        ...(place % 4 === 0
          ? [{ value: `+1 202 555 ${String(160 + place).padStart(4, '0')}`, enum_code: 'MOB' }]
          : []),
      ),
      value('EMAIL', {
        value: `${first_name}.${last_name}@${domainOf(place)}`.toLowerCase(),
        enum_code: 'WORK',
      }),
      ...(place % 2 === 0
        ? [value('BIRTHDAY', { value: Date.UTC(1968 + place, place % 12, 3 + place) / 1000 })]
        : []),
    ],
    _embedded: {
      tags: [{ name: at(tags.contacts, place) }],
      companies: [{ id: at(companyIds, place) }],
    },
  }))
}

export interface LeadSurroundings {
  owner: Owner
  main: Stage[]
  partners: Stage[]
  companyIds: number[]
  contactIds: number[]
  lossReasonIds: number[]
}

interface Stage {
  pipeline_id: number
  status_id: number
}

/** Forty leads, spread over the statuses, prices and the last four weeks. */
export function leadDrafts(now: number, around: LeadSurroundings): LeadDraft[] {
  const { owner, main, partners, companyIds, contactIds, lossReasonIds } = around
  return Array.from({ length: 40 }, (_, place) => {
    const created_at = now - (40 - place) * 60_000
    // Of ten leads, seven are open in the main pipeline or with partners, two won and one lost.
    const step = place % 10
    const closed = isWonLead(place) ? won : step === 7 ? lost : undefined
    const stage =
      closed === undefined
        ? isPartner(place)
          ? at(partners, Math.floor(place / 10))
          : at(main, step)
        : { pipeline_id: main[0]!.pipeline_id, status_id: closed }
    const [subject] = at(subjects, place)
    const goods = goodsOfLead(place)
    const price = priceOfLead(place)
    return {
      name: `${subject}, ${at(occasions, place)}`,
      price,
      ...stage,
      responsible_user_id: owner(place),
      created_at,
      ...(closed !== undefined && { closed_at: Math.min(now, created_at + 9 * daySeconds) }),
      ...(closed === lost && { loss_reason_id: at(lossReasonIds, Math.floor(place / 10)) }),
      custom_fields_values: leadValues(now, place, { price, goods }, closed === won),
      _embedded: {
        tags: [
          { name: at(tags.leads, place) },
          ...(place % 3 === 0 ? [{ name: at(tags.leads, place + 2) }] : []),
        ],
        // A contact belongs to the company at the same position.
        contacts: [{ id: at(contactIds, place), is_main: true }],
        companies: [{ id: at(companyIds, place % contactIds.length) }],
        source: { external_id: at(sources, place).external_id },
      },
    }
  })
}

/** Leads with partners; they pay wholesale prices. */
const isPartner = (place: number) => place % 10 === 8

function goodsOfLead(place: number): Good[] {
  const [, kit] = at(subjects, place)
  return kit ? goodsOf(kit, 3 + ((place * 7) % 12)) : []
}

function priceOfLead(place: number): number {
  const goods = goodsOfLead(place)
  return goods.length > 0 ? priceOf(goods, isPartner(place)) : 1500 + (place % 7) * 450
}

const isWonLead = (place: number) => [4, 6].includes(place % 10)

/** The invoices of the leads that are won, each with its lead. */
export function invoiceDrafts(
  now: number,
  catalog: DemoCatalog,
  { leadIds, companyIds }: { leadIds: number[]; companyIds: number[] },
): { leadId: number; draft: NewElement }[] {
  const wonLeads = leadIds.flatMap((leadId, place) => (isWonLead(place) ? { leadId, place } : []))
  return wonLeads.map(({ leadId, place }, index) => {
    const company = (place % people.length) % companyNames.length
    const goods = goodsOfLead(place)
    const price = priceOfLead(place)
    const [subject] = at(subjects, place)
    const lines =
      goods.length > 0
        ? invoiceLines(catalog, goods)
        : [{ description: subject, unit_price: price, quantity: 1 }]
    const status = index < wonLeads.length - 2 ? 'paid' : at(['partially_paid', 'created'], index)
    return {
      leadId,
      draft: {
        name: `Invoice ${2400 + place}`,
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
          ...(status === 'paid'
            ? [value('BILL_PAYMENT_DATE', { value: now - (wonLeads.length - index) * daySeconds })]
            : []),
        ],
      },
    }
  })
}

/** The goods of the leads, as elements with quantities and prices. */
export function leadElements(catalog: DemoCatalog, leadIds: number[]) {
  return leadIds.flatMap((id, place) =>
    elementDrafts(catalog, id, goodsOfLead(place), isPartner(place)),
  )
}

function leadValues(
  now: number,
  place: number,
  { price, goods }: { price: number; goods: Good[] },
  isWon: boolean,
) {
  const [city, state] = at(towns, place)
  const pieces = goods.reduce((sum, { quantity }) => sum + quantity, 0)
  return [
    value('QUANTITY', { value: Math.max(1, pieces) }),
    value('BUDGET', { value: price * 1.1 }),
    value('CUSTOMER_TYPE', { enum_code: at(['NEW', 'RETURNING'], place) }),
    value(
      'INTERESTS',
      ...at([['PRODUCTS'], ['PRODUCTS', 'INSTALLATION'], ['TRAINING', 'SERVICE_PLAN']], place).map(
        (enum_code) => ({ enum_code }),
      ),
    ),
    ...(place % 2 === 0
      ? [
          value('SHIPPING', { enum_code: at(['COURIER', 'FREIGHT', 'COLLECTED'], place) }),
          value('DELIVERY_ADDRESS', { value: `${40 + place} Dock Road, ${city}, ${state}` }),
          value('DECISION_DUE', { value: now + (3 + place) * daySeconds }),
        ]
      : [
          value('NEXT_CALL', { value: now - (now % 3600) + (place * 5 + 18) * 3600 }),
          value('REQUIREMENTS', { value: at(requirements, place) }),
          value('CAMPAIGN', { value: at(['spring-mailing', 'search-ads'], place) }),
        ]),
    ...(isWon
      ? [
          value('CONTRACT_SIGNED', { value: true }),
          value('ORDER_NUMBER', { value: `PO-${2400 + place}` }),
          value('PROPOSAL', { value: `https://files.example/proposals/${2400 + place}` }),
        ]
      : []),
  ]
}

const remarks = [
  'Asked for a quote by Friday. Prefers e-mail to calls.',
  'Visited the showroom and liked the second option best.',
  'The budget has to be approved by the board first.',
  'Sent the proposal. Follow up next week.',
]

/** The notes of some of the leads. */
export function leadNotes(now: number, leadIds: number[]): NewNote[] {
  const some = leadIds.filter((_, place) => place % 3 === 0)
  return [
    ...some.map((entity_id, place): NewNote => ({
      entity_id,
      note_type: 'common',
      params: { text: at(remarks, place) },
      created_at: now - (some.length - place) * 40_000,
    })),
    ...some.slice(0, 5).map((entity_id): NewNote => ({
      entity_id,
      note_type: 'service_message',
      params: { service: 'Website form', text: 'The form was sent from the page "Get an offer".' },
      created_at: now - 30 * daySeconds,
    })),
  ]
}

/** Calls and a message with some of the contacts. */
export function contactNotes(now: number, contactIds: number[]): NewNote[] {
  return contactIds.slice(0, 6).map((entity_id, place): NewNote => {
    const phone = `+1 202 555 ${String(120 + place).padStart(4, '0')}`
    const created_at = now - (6 - place) * 70_000
    if (place % 3 === 2)
      return {
        entity_id,
        note_type: 'sms_out',
        params: { text: 'See you on Tuesday at ten.', phone },
        created_at,
      }
    return {
      entity_id,
      note_type: place % 3 === 0 ? 'call_in' : 'call_out',
      params: {
        duration: 60 + place * 37,
        source: 'Office phone',
        phone,
        call_status: 4,
        call_result: 'Talked about the offer',
      },
      created_at,
    }
  })
}

function domainOf(place: number): string {
  const name = at(companyNames, place)
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
  return `${name}.example`
}
