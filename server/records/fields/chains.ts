// Chained lists in bodies: a list, or an object by catalog id as some programs write it.
import type { TSchema } from 'typebox'
import { Type } from '../../http/type.ts'
import type { Complain } from './scalars.ts'

/** A list of parts, an object of parts by catalog id, or null. */
export const Chain = <Part extends TSchema, Keyed extends TSchema>(
  list: Part,
  keyed: Keyed,
  most: number,
  how = '',
) =>
  Type.Union([
    list,
    Type.Record(Type.String({ pattern: '^[1-9]\\d{0,15}$' }), keyed, {
      minProperties: 1,
      maxProperties: most,
      description: `The parts of a chained list, by catalog id${how}`,
    }),
    Type.Null(),
  ])

/**
 * The parts of a chained list, each under its key in the body. A key of an object gives the part its
 * `catalog_id`.
 */
export function partsOfChain<Part extends { catalog_id?: number | null }>(
  sent: readonly Part[] | Readonly<Record<string, Part>>,
  complain: Complain,
): { key: string; part: Part }[] {
  const entries = Object.entries(sent)
  if (Array.isArray(sent)) return entries.map(([key, part]) => ({ key, part }))
  return entries.map(([key, part]) => {
    const catalog_id = part.catalog_id ?? Number(key)
    if (catalog_id !== Number(key))
      complain(
        `${key}.catalog_id`,
        'NotSupportedChoice',
        `This part stands under catalog ${key}, and names catalog ${catalog_id}.`,
      )
    return { key, part: { ...part, catalog_id } }
  })
}
