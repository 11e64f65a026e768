import { faultAt } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import { besideId, mostValues } from './schema.ts'
import type { ComplexDraft, UnsortedMetadata } from './schema.ts'

/** Faults of one item that the schema cannot express. */
export function faultsOfComplex(draft: ComplexDraft): Fault[] {
  const { metadata, contacts = [], companies = [] } = draft._embedded ?? {}
  return [
    ...tooMany('', draft),
    ...contacts.flatMap((contact) => faultsOfPart('contacts', contact)),
    ...companies.flatMap((company) => faultsOfPart('companies', company)),
    ...(metadata ? faultsOfUnsorted(metadata, [...contacts, ...companies]) : []),
  ]
}

function faultsOfPart(
  kind: 'contacts' | 'companies',
  part: ComplexDraft & { id?: number },
): Fault[] {
  const at = `_embedded.${kind}.0.`
  if (part.id === undefined) return tooMany(at, part)
  const others = Object.keys(part).filter((key) => !besideId[kind].includes(key))
  const detail =
    'A record that is there is only named here, by its id; it is changed by a method of its own.'
  return others.map((key) => faultAt(`${at}${key}`, 'FieldNotExpected', detail))
}

function tooMany(
  at: string,
  { custom_fields_values }: Pick<ComplexDraft, 'custom_fields_values'>,
): Fault[] {
  const count =
    custom_fields_values?.reduce((sum, { values }) => sum + Object.keys(values ?? []).length, 0) ??
    0
  const detail = `A record that is made so has at most ${mostValues} values of custom fields.`
  const path = `${at}custom_fields_values`
  return count > mostValues ? [faultAt(path, 'TooMany', detail, mostValues)] : []
}

/** An unsorted lead comes with new records only, and a call has a number. */
function faultsOfUnsorted(
  { category, phone }: UnsortedMetadata,
  parts: { id?: number }[],
): Fault[] {
  const path = '_embedded.metadata.phone'
  const isStored = parts.some(({ id }) => id !== undefined)
  const detail =
    'An unsorted lead comes with a new contact and a new company, not with stored ones.'
  return [
    ...(category === 'sip' && phone === undefined
      ? [faultAt(path, 'FieldMissing', 'This field is missing.')]
      : []),
    ...(isStored ? [faultAt('_embedded.metadata', 'FieldNotExpected', detail)] : []),
  ]
}
