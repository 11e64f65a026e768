// Bonus points of customers (interface: Bonus points; decision 36).
import { startWriting } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { fieldsOfCatalog } from '../../../entity-types.ts'
import type { Item } from '../../../http/batch.ts'
import { faultAt, invalidFor } from '../../../http/problem.ts'
import { fieldsOf } from '../../../records/fields/definitions.ts'
import { changeBuyer, lockBuyer } from './buyer.ts'
import type { OfferedElement } from './queries.ts'
import { boughtIn, quantityOf } from './schema.ts'
import type { BonusPointsChange, NewTransaction } from './schema.ts'

/** The code of the field of a catalog that says how many points one piece of an element brings. */
const fieldCode = 'BONUS_POINTS_PER_PURCHASE'

/** Adds points to a customer, or takes some; answers how many it has. More than it has: 400. */
export async function changeBonusPoints(
  tx: Tx,
  actor: Actor,
  customerId: number,
  { earn = 0, redeem = 0 }: BonusPointsChange,
): Promise<number> {
  const customer = await lockBuyer(tx, actor, customerId)
  const bonus_points = customer.bonus_points + earn - redeem
  if (bonus_points < 0 || bonus_points > Number.MAX_SAFE_INTEGER)
    throw invalidFor(
      faultAt(
        redeem > 0 ? 'redeem' : 'earn',
        'TooHigh',
        `The customer has ${customer.bonus_points} bonus points.`,
        redeem > 0 ? customer.bonus_points : Number.MAX_SAFE_INTEGER - customer.bonus_points,
      ),
    )
  const writer = startWriting(tx, actor)
  await changeBuyer(tx, writer, customer, { ...customer, bonus_points }, [])
  return bonus_points
}

/** The points that each purchase brings: those of its elements by their quantities, in whole points. */
export async function pointsOf(
  reader: Reader,
  { accountId }: Actor,
  items: Item<NewTransaction>[],
  offered: OfferedElement[],
): Promise<number[]> {
  const perPiece = new Map<number, number>()
  for (const [catalogId, elements] of Map.groupBy(offered, ({ catalog_id }) => catalog_id)) {
    // An account has ten catalogs at most, and the process remembers their fields.
    const [{ fields_version: version }] = elements as [OfferedElement]
    const fields = await fieldsOf(reader, accountId, fieldsOfCatalog(catalogId), version)
    const field = fields.byCode.get(fieldCode)
    for (const { id, values } of elements) {
      const points = Number(field && values?.[field.id]?.[0])
      if (points > 0) perPiece.set(id, points)
    }
  }
  return items.map(({ value }) => {
    const points = boughtIn(value).map(
      (bought) => (perPiece.get(bought.id) ?? 0) * quantityOf(bought),
    )
    const sum = points.reduce((sum, each) => sum + each, 0)
    // A quantity has six decimals: a smaller difference comes from counting in binary.
    const nearest = Math.round(sum)
    return Math.abs(nearest - sum) < 1e-6 ? nearest : Math.floor(sum)
  })
}
