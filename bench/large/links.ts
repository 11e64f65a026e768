// The links of the large account. Nearly every lead has a main contact, a third of the leads a
// second one; most leads and contacts have a company.
import type { LargeAccount, Type } from './account.ts'
import { dice } from './random.ts'

export const linkColumns = ['account_id', 'from_type', 'from_id', 'to_type', 'to_id', 'is_main']

/**
 * The link rows, in both directions, that start at lead `number` and, if that number exists, at
 * contact `number`.
 */
export function linkRows(
  { id, counts, first }: LargeAccount,
  number: number,
  add: (row: string) => void,
): void {
  const draw = dice(4, number)
  const link = (from: Type, fromNumber: number, to: Type, toNumber: number, isMain = false) => {
    const [fromId, toId] = [first[from] + fromNumber, first[to] + toNumber]
    add(`${id}\t${from}\t${fromId}\t${to}\t${toId}\t${isMain}`)
    add(`${id}\t${to}\t${toId}\t${from}\t${fromId}\t${isMain}`)
  }
  const contact = draw.below(counts.contacts)
  if (draw.chance(0.95)) link('leads', number, 'contacts', contact, true)
  if (draw.chance(0.3))
    link(
      'leads',
      number,
      'contacts',
      (contact + 1 + draw.below(counts.contacts - 1)) % counts.contacts,
    )
  if (draw.chance(0.8)) link('leads', number, 'companies', draw.below(counts.companies))
  if (number < counts.contacts && draw.chance(0.9))
    link('contacts', number, 'companies', draw.below(counts.companies))
}
