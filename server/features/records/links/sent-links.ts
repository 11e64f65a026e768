// The linked records that a change sends along. Programs send whole records back, as they read them:
// a record that is linked counts as not sent, and none is unlinked. A record that is not linked is
// refused with the way to link it, because nobody would notice that the change did not (interface:
// Members that bodies cannot write).
import type { Actor } from '../../../access/actor.ts'
import type { Tx } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import type { Batch, Item } from '../../../http/batch.ts'
import type { RecordRow, RecordType } from '../../../records/description.ts'
import { sentLinkTypes } from '../../../records/schema.ts'
import type {
  Identified,
  SentLink,
  SentLinkType,
  SentLinks,
  SentRecord,
} from '../../../records/schema.ts'
import { sentAndStored } from './queries.ts'
import type { NamedLink, StoredLink } from './queries.ts'

/**
 * Adds a fault for each record and element that an item names and that is not linked, or is linked on
 * other terms. An old copy, whose `updated_at` lies before the stored one, may name what was linked
 * once; with `UNKNOWN_KEYS=ignore` every item may.
 */
export async function checkSentLinks<Row extends RecordRow>(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  { items, faults, unknownKeys }: Batch<Identified<SentRecord>>,
  stored: ReadonlyMap<number, Row>,
): Promise<void> {
  if (unknownKeys === 'ignore') return
  const links = items.flatMap((item) => {
    const { id, updated_at = Infinity } = item.value
    const row = stored.get(id)
    return row && updated_at >= row.updated_at ? namedBy(type, item) : []
  })
  if (links.length === 0) return
  const rows = await tx.rows<StoredLink>(
    sentAndStored(
      actor,
      type,
      links.map(({ item, to, link: { id } }, index) => ({
        place: index,
        id: item.value.id,
        to,
        to_id: id,
      })),
    ),
  )
  const byIndex = new Map(rows.map((row) => [row.place, row]))
  for (const [index, { item, to, at, link }] of links.entries()) {
    const kept = byIndex.get(index)
    if (kept && isAs(link, kept)) continue
    const main = `/api/v4/${type}/${item.value.id}/link`
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: `_embedded.${to}.${at}`,
      detail: kept
        ? `The ${singularOf[to]} ${link.id} is linked on other terms. Change them with POST ${main}.`
        : `The ${singularOf[to]} ${link.id} is not linked. A change does not link: use POST ${main}.`,
    })
  }
}

const singularOf = { ...singular, catalog_elements: 'element' }

type Named = Omit<NamedLink, 'place' | 'id' | 'to_id'> & {
  item: Item<{ id: number }>
  /** The place in its list. */
  at: number
  link: SentLink
}

function namedBy(type: RecordType, item: Item<Identified<SentRecord>>): Named[] {
  const lists = (item.value as { _embedded?: SentLinks })._embedded
  if (!lists) return []
  // An answer to a change of one customer names the customer among its lists.
  const others = sentLinkTypes.filter((to) => to !== type)
  return others.flatMap((to: SentLinkType) =>
    (lists[to] ?? []).map((link, at) => ({ item, to, at, link })),
  )
}

/** Whether a link is sent as it is stored, as far as the body says its terms. */
function isAs({ is_main, metadata }: SentLink, stored: StoredLink): boolean {
  const { quantity, price_id } = metadata ?? {}
  return (
    (is_main === undefined || is_main === stored.is_main) &&
    (quantity === undefined || quantity === stored.quantity) &&
    (price_id === undefined || price_id === stored.price_id)
  )
}
