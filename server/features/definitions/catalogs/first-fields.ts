// The fields that a new catalog of products or invoices has (interface: Predefined fields).
import { fieldsOfCatalog } from '../../../entity-types.ts'
import type { FieldOwner } from '../../../entity-types.ts'
import type { FieldType } from '../../../records/fields/types.ts'
import type { Catalog } from './schema.ts'

export interface FirstField {
  owner: FieldOwner
  name: string
  type: FieldType
  code: string
  sort: number
  is_visible: boolean
  is_required: boolean
  choices: { code: string; value: string; sort: number }[] | null
}

interface Draft {
  code: string
  name: string
  type: FieldType
  isHidden?: true
  isRequired?: true
  /** The texts of choices by their codes. */
  choices?: Record<string, string>
}

const drafts: Record<Catalog['type'], Draft[]> = {
  regular: [],
  products: [
    { code: 'SKU', name: 'SKU', type: 'text' },
    { code: 'DESCRIPTION', name: 'Description', type: 'textarea' },
    { code: 'PRICE', name: 'Price', type: 'price' },
    { code: 'GROUP', name: 'Group', type: 'category' },
    { code: 'EXTERNAL_ID', name: 'External ID', type: 'text', isHidden: true },
  ],
  invoices: [
    {
      code: 'BILL_STATUS',
      name: 'Status',
      type: 'select',
      isRequired: true,
      choices: {
        created: 'Created',
        paid: 'Paid',
        paid_in_advance: 'Paid in advance',
        partially_paid: 'Partially paid',
      },
    },
    { code: 'PAYER', name: 'Payer', type: 'payer' },
    { code: 'SUPPLIER', name: 'Supplier', type: 'supplier' },
    { code: 'LEGAL_ENTITY', name: 'Legal entity', type: 'legal_entity' },
    { code: 'ITEMS', name: 'Items', type: 'items' },
    { code: 'BILL_PRICE', name: 'Total', type: 'price' },
    {
      code: 'BILL_VAT_TYPE',
      name: 'VAT',
      type: 'select',
      choices: {
        vat_exempt: 'Exempt',
        vat_included: 'Included',
        vat_not_included: 'Not included',
      },
    },
    { code: 'BILL_REASON_FOR_NO_VAT', name: 'Reason for no VAT', type: 'text' },
    { code: 'BILL_PAYMENT_DATE', name: 'Payment date', type: 'date_time' },
    { code: 'BILL_COMMENT', name: 'Comment', type: 'textarea' },
  ],
}

/** The predefined fields of a new catalog, in their order. */
export function firstFields(catalogId: number, catalogType: Catalog['type']): FirstField[] {
  return drafts[catalogType].map(({ code, name, type, isHidden, isRequired, choices }, index) => ({
    owner: fieldsOfCatalog(catalogId),
    name,
    type,
    code,
    sort: index + 1,
    is_visible: !isHidden,
    is_required: isRequired === true,
    choices: choices
      ? Object.entries(choices).map(([code, value], index) => ({ code, value, sort: index + 1 }))
      : null,
  }))
}
