// Values that are objects, with the shape of each type (interface: Values by type).
import { saidIn } from '../../http/problem.ts'
import type { TObject, TSchema } from 'typebox'
import { Type } from '../../http/type.ts'
import { Id, LooseText, Name, Nullable } from '../../http/types.ts'
import { compile } from '../../http/validate.ts'
import type { UnknownKeys } from '../../http/validate.ts'
import type { Complain } from './scalars.ts'
import { readOnly, readOnlyKeys, sixDecimals } from '../schema.ts'
import type { FieldType } from './types.ts'

const strict = { additionalProperties: false }
const optional = (names: string, schema: TSchema = Nullable(LooseText(1024))) =>
  Object.fromEntries(names.split(' ').map((name) => [name, Type.Optional(schema)]))

const shapes: Partial<Record<FieldType, TObject>> = {
  legal_entity: Type.Object(
    {
      name: Name(1024),
      entity_type: Type.Optional(Nullable(Type.Union([Type.Literal(1), Type.Literal(2)]))),
      ...optional(
        'address real_address bank_account_number director vat_id tax_registration_reason_code kpp bank_code',
      ),
      ...optional('unp bin egrpou mfo oked external_uid'),
    },
    strict,
  ),
  file: Type.Object(
    {
      file_uuid: Type.String({ format: 'uuid' }),
      // The client library of the interface sends null (files.ts: withVersions).
      ...optional('version_uuid', Nullable(Type.String({ format: 'uuid' }))),
      ...optional('file_name'),
      ...optional('file_size', Nullable(Type.Integer({ minimum: 0 }))),
    },
    strict,
  ),
  items: Type.Object(
    {
      ...optional('sku description unit_type external_uid'),
      ...optional('unit_price', Nullable(Type.Number({ minimum: 0 }))),
      ...optional('quantity', Nullable(Type.Number({ ...sixDecimals, minimum: 0 }))),
      ...optional('vat_rate_id product_id', Nullable(Id)),
      ...optional('vat_rate_value bonus_points_per_purchase', Nullable(Type.Number())),
      discount: Type.Optional(
        Nullable(
          Type.Object(
            {
              type: Type.Union([Type.Literal('percentage'), Type.Literal('amount')]),
              value: Type.Number({ minimum: 0 }),
            },
            strict,
          ),
        ),
      ),
      ...optional('metadata', Nullable(Type.Record(Type.String(), Type.Unknown()))),
      ...readOnly('is_discount_recalculated', 'is_total_sum_recalculated', 'total_sum'),
    },
    strict,
  ),
  payer: Type.Object(
    {
      ...optional(
        'name address real_address vat_id tax_registration_reason_code kpp bank_code unp bin',
      ),
      ...optional('egrpou mfo oked bank_account_number director phone email'),
      ...optional('entity_id', Nullable(Id)),
      ...optional(
        'entity_type',
        Nullable(Type.Union([Type.Literal('contacts'), Type.Literal('companies')])),
      ),
      ...optional(
        'type',
        Nullable(Type.Union([Type.Literal('legal'), Type.Literal('individual')])),
      ),
    },
    strict,
  ),
  supplier: Type.Object({ entity_id: Id }, strict),
  linked_entity: Type.Object(
    {
      name: Name(1024),
      entity_id: Id,
      entity_type: Type.Union(
        ['contacts', 'companies', 'catalog_elements'].map((name) => Type.Literal(name)),
      ),
      ...optional('catalog_id', Nullable(Id)),
    },
    strict,
  ),
  chained_list: Type.Object({ catalog_id: Id, catalog_element_id: Id }, strict),
}

/**
 * The object to store, its keys in the order of jsonb in PostgreSQL, so that equal objects have
 * equal texts. Passes faults to `complain` and answers undefined for an invalid object.
 */
export function checkObject(
  type: FieldType,
  complain: Complain,
  sent: unknown,
  unknownKeys: UnknownKeys,
): Record<string, unknown> | undefined {
  const { value, faults } = compile(shapes[type]!, { unknownKeys })(sent)
  // A chained list has its parts where other types have their value.
  const within = type === 'chained_list' ? [] : ['value']
  for (const fault of faults)
    complain([...within, ...(fault.path === '' ? [] : [fault.path])].join('.'), ...saidIn(fault))
  if (faults.length > 0) return undefined
  const order = ([one]: [string, unknown], [other]: [string, unknown]) =>
    one.length - other.length || (one < other ? -1 : 1)
  const ignored = readOnlyKeys(shapes[type]!)
  const kept = Object.entries(value as object).filter(([key]) => !ignored.includes(key))
  return Object.fromEntries(kept.toSorted(order))
}

/** The parts of a line of an invoice that decide what it costs. */
interface Line {
  unit_price?: number | null
  quantity?: number | null
  discount?: { type: 'percentage' | 'amount'; value: number } | null
}

/** A line of an invoice with what only answers have: its cost in hundredths, without taxes. */
export function shownLine(line: object): object {
  const { unit_price, quantity, discount } = line as Line
  const whole = (unit_price ?? 0) * (quantity ?? 1)
  const less = discount?.type === 'percentage' ? (whole * discount.value) / 100 : discount?.value
  const total_sum = Math.max(0, Math.round((whole - (less ?? 0)) * 100) / 100)
  return { ...line, is_discount_recalculated: false, is_total_sum_recalculated: false, total_sum }
}
