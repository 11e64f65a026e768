// What a status means to salespeople of a rank: up to three texts, one per level.
import type { Reader, Tx } from '../../database/connect.ts'
import type { Actor } from '../../access/actor.ts'
import type { PipelineStatus } from '../../access/rights.ts'
import type { Fault } from '../../http/problem.ts'
import { descriptionIds, removeDescriptions, saveDescriptions } from './queries.ts'
import type { DescriptionRow } from './queries.ts'
import type { Level, SentDescription } from './schema.ts'

/** The descriptions that a status has, by id; none of a new one. */
export type Known = ReadonlyMap<number, Level>

export async function knownDescriptions(
  reader: Reader,
  actor: Actor,
  place: PipelineStatus,
): Promise<Known> {
  const rows = await reader.rows<{ id: number; level: Level }>(descriptionIds(actor, place))
  return new Map(rows.map(({ id, level }) => [id, level]))
}

/** What is wrong with descriptions that are sent; a new status has none that an id could name, so that ids are ignored. */
export function descriptionFaults(
  sent: SentDescription[] = [],
  path = 'descriptions',
  known?: Known,
): Fault[] {
  const levels = sent.map(({ level }) => level)
  return sent.flatMap(({ id, level, description }, place): Fault[] => {
    const at = `${path}.${place}`
    if (levels.indexOf(level) < place)
      return [
        { code: 'NotUnique', path: `${at}.level`, detail: `The level ${level} is there twice.` },
      ]
    if (known && id && known.get(id) !== level)
      return [
        {
          code: 'NotSupportedChoice',
          path: `${at}.id`,
          detail: `This status has no description ${id} for ${level}.`,
        },
      ]
    if (!description && !(known && id))
      return [{ code: 'FieldMissing', path: `${at}.description`, detail: 'This field is missing.' }]
    return []
  })
}

/** The rows that descriptions of a status become. */
export function descriptionRows(
  place: PipelineStatus,
  sent: SentDescription[] = [],
): DescriptionRow[] {
  return sent.map(({ level, description }) => ({
    ...place,
    level,
    description: description ?? null,
  }))
}

/** Writes descriptions; those without a text go. What integrations write has no author (entities reference, 5.3). */
export async function writeDescriptions(
  tx: Tx,
  actor: Actor,
  rows: DescriptionRow[],
): Promise<void> {
  const [gone, saved] = [
    rows.filter(({ description }) => !description),
    rows.filter(({ description }) => description),
  ]
  if (gone.length > 0) await tx.rows(removeDescriptions(actor, gone))
  if (saved.length > 0)
    await tx.rows(saveDescriptions(actor, actor.clientId === null ? actor.userId : 0, saved))
}
