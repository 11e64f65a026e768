// Links with an element of a catalog as the main entity: it is put on leads and customers, and taken
// from them (interface: Link). The records are the holders, so they are locked and touched.
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import { requireRight } from '../../../access/record-rights.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { singular } from '../../../entity-types.ts'
import type { Batch, Faults, Item } from '../../../http/batch.ts'
import { forbidden, notFound } from '../../../http/problem.ts'
import type { RecordType } from '../../../records/description.ts'
import { requireCatalog } from '../../definitions/catalogs/catalogs.ts'
import { activeAuthors, checkMetadata, eachOnce } from './drafts.ts'
import type { LinkDraft, ShownLink } from './drafts.ts'
import { openElements, pricesOf, putOn, shownTerms } from './elements.ts'
import type { NamedElement, OpenedElements } from './elements.ts'
import { mainElement } from './link-list.ts'
import { lockLinked } from './locking.ts'
import type { Locked } from './locking.ts'
import { planOf } from './plan.ts'
import { writePlan } from './writing.ts'

/** The main entity of a request. */
interface MainElement {
  catalogId: number
  id: number
}

/**
 * Throws a 404 problem for an unknown element or one of another catalog, and a 403 problem for one
 * that the actor may not view.
 */
export async function requireElement(
  reader: Reader,
  actor: Actor,
  { catalogId, id }: MainElement,
): Promise<void> {
  await requireCatalog(reader, actor, catalogId)
  const element = await reader.row<{ viewed: boolean }>(mainElement(actor, catalogId, id))
  if (!element) throw notFound()
  if (!element.viewed) throw hidden()
}

const hidden = () => forbidden('You have no right to view this element')

/** Puts an element on records, item by item; answers each link once, in request order. */
export async function linkElement(
  tx: Tx,
  actor: Actor,
  main: MainElement,
  batch: Batch<LinkDraft>,
): Promise<ShownLink[]> {
  const { items, faults } = batch
  const elements = await openItems(tx, actor, main, batch)
  const isPriced = items.some(({ value }) => value.metadata?.price_id)
  const prices = await pricesOf(tx, actor, isPriced ? [main.catalogId] : [])
  for (const item of items) putOn(elements, prices, namedBy(main, item), item, actor, faults)
  faults.throwIfAny()
  const writer = startWriting(tx, actor)
  await writePlan(tx, writer, planOf([]), { first: 'leads', elements: elements.plan })
  return eachOnce(
    items.map(({ value: { to_entity_id, to_entity_type } }): ShownLink => {
      const { record, id } = namedBy(main, { value: { to_entity_id, to_entity_type } })
      const link = elements.plan.find(record, id)!
      return {
        entity_id: id,
        entity_type: 'catalog_elements',
        to_entity_id,
        to_entity_type,
        metadata: shownTerms(link),
      }
    }),
  )
}

/** Takes an element from records; a record that does not have it is ignored. */
export async function unlinkElement(
  tx: Tx,
  actor: Actor,
  main: MainElement,
  batch: Batch<LinkDraft>,
): Promise<void> {
  const { plan } = await openItems(tx, actor, main, batch)
  batch.faults.throwIfAny()
  for (const { value } of batch.items)
    plan.unlink(
      namedBy(main, { value }).record,
      main.id,
      value.metadata?.updated_by ?? actor.userId,
    )
  const writer = startWriting(tx, actor)
  await writePlan(tx, writer, planOf([]), { first: 'leads', elements: plan })
}

/** Locks the records that items name, and adds the faults of the items. */
async function openItems(
  tx: Tx,
  actor: Actor,
  main: MainElement,
  { items, faults }: Batch<LinkDraft>,
): Promise<OpenedElements> {
  // Customers follow the rights of leads.
  requireRight(actor, 'leads', 'edit')
  await requireElement(tx, actor, main)
  const named = items.map((item) => namedBy(main, item))
  const locked = await lockLinked(
    tx,
    actor,
    named.map(({ record }) => record),
    [],
  )
  const elements = await openElements(tx, actor, named)
  // With the level L, the last link that showed the element may have gone meanwhile.
  if (named.some((each) => !elements.find(each))) throw hidden()
  const active = await activeAuthors(tx, actor, items)
  for (const [index, item] of items.entries()) {
    checkRecord(locked, named[index]!, item, faults)
    checkMetadata(active, 'catalog_elements', item, faults)
    const catalogId = item.value.metadata?.catalog_id
    if (catalogId && catalogId !== main.catalogId)
      faults.add(item, {
        code: 'NotSupportedChoice',
        path: 'metadata.catalog_id',
        detail: `Element ${main.id} belongs to catalog ${main.catalogId}.`,
      })
  }
  return elements
}

const namedBy = (
  { id }: MainElement,
  { value }: { value: Pick<LinkDraft, 'to_entity_id' | 'to_entity_type'> },
): NamedElement => ({
  record: { type: value.to_entity_type as RecordType, id: value.to_entity_id },
  id,
})

function checkRecord(
  locked: Locked,
  { record }: NamedElement,
  item: Item<LinkDraft>,
  faults: Faults,
): void {
  const name = `${singular[record.type]} ${record.id}`
  if (!locked.shows(record))
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'to_entity_id',
      detail: `There is no ${name}.`,
    })
  else if (!locked.find(record)!.edited)
    faults.add(item, {
      code: 'NotSupportedChoice',
      path: 'to_entity_id',
      detail: `This takes the right to edit ${name}.`,
    })
}
