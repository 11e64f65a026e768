// The items of requests that link, and the checks of their metadata.
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import type { Faults, Item } from '../../../http/batch.ts'
import type { LinkEnd } from '../../../records/link-rules.ts'
import { groupsOfActiveUsers } from '../../../records/people.ts'
import type { SentTerms } from './elements.ts'

/**
 * One item of a request: the main entity, and the record or element to link or unlink. Null counts
 * as not sent, except for a price: there it is none.
 */
export interface LinkDraft {
  entity_id: number
  to_entity_id: number
  to_entity_type: LinkEnd
  metadata?:
    | (SentTerms & {
        is_main?: boolean | null
        /** The user in whose name the links change. */
        updated_by?: number | null
        [key: string]: unknown
      })
    | null
}

/** A link in answers (interface: Link). */
export interface ShownLink {
  entity_id: number
  entity_type: LinkEnd
  to_entity_id: number
  to_entity_type: LinkEnd
  metadata:
    | { main_contact: boolean }
    | { quantity: number; catalog_id: number; price_id: number | null }
    | null
}

/** The active users among those that items name as authors. */
export async function activeAuthors(
  tx: Tx,
  actor: Actor,
  items: Item<LinkDraft>[],
): Promise<ReadonlyMap<number, number>> {
  const authors = [...new Set(items.flatMap(({ value }) => value.metadata?.updated_by ?? []))]
  return authors.length > 0 ? groupsOfActiveUsers(tx, actor, authors) : new Map()
}

/**
 * The metadata keys of each target type besides `updated_by`. Leads and customers have a main
 * contact; for a company `is_main` is ignored.
 */
const fitting: Record<LinkEnd, string[]> = {
  contacts: ['is_main', 'main_contact'],
  companies: [],
  leads: [],
  customers: [],
  catalog_elements: ['catalog_id', 'quantity', 'price_id'],
}

export function checkMetadata(
  active: ReadonlyMap<number, number>,
  type: LinkEnd,
  item: Item<LinkDraft>,
  faults: Faults,
): void {
  const { metadata } = item.value
  for (const [key, value] of Object.entries(metadata ?? {}))
    if (value !== null && key !== 'updated_by' && !fitting[type].includes(key))
      faults.add(item, {
        code: 'FieldNotExpected',
        path: `metadata.${key}`,
        detail: 'This field was not expected.',
      })
  const by = metadata?.updated_by
  if (by !== undefined && by !== null && !active.has(by))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'metadata.updated_by',
      detail: `There is no active user ${by}.`,
    })
}

/** Each link once, as it is now, where it was named first. */
export function eachOnce(links: ShownLink[]): ShownLink[] {
  const keyOf = (link: ShownLink) => `${link.entity_id} ${link.to_entity_type} ${link.to_entity_id}`
  return [...new Map(links.map((link) => [keyOf(link), link])).values()]
}
