import type { Tx } from '../../database/connect.ts'
import type { EntityType } from '../../entity-types.ts'
import { insertTags, tagsByName } from '../../records/tags.ts'
import type { Actor } from '../../access/actor.ts'
import type { Batch } from '../../http/batch.ts'
import { tagColors } from './schema.ts'
import type { NewTag } from './schema.ts'

/**
 * Creates tags; one answer per item, in request order. An existing name is answered with its id.
 */
export async function createTags(
  tx: Tx,
  actor: Actor,
  type: EntityType,
  { items, faults }: Batch<NewTag>,
) {
  for (const item of items) {
    const color = item.value.color?.toUpperCase()
    if (type === 'leads' && color && !tagColors.includes(color))
      faults.add(item, {
        code: 'NotSupportedChoice',
        path: 'color',
        detail: `The value you selected is not a valid choice. Colors: ${tagColors.join(', ')}`,
      })
  }
  faults.throwIfAny()
  const names = items.map((item) => item.value.name.trim())
  const colors = items.map((item) =>
    type === 'leads' ? (item.value.color?.toUpperCase() ?? null) : null,
  )
  await tx.rows(insertTags(actor, type, names, colors))
  const tags = await tagsByName(tx, actor, type, names)
  return items.map(({ request_id }, place) => ({ ...tags.get(names[place]!)!, request_id }))
}
