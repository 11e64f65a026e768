// Descriptions tell salespeople of a rank what a status means: up to three texts, one per level.
import type { Reader, Tx } from '../../../../database/connect.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { PipelineStatus } from '../../../../access/rights.ts'
import type { Fault } from '../../../../http/problem.ts'
import { descriptionIds, removeDescriptions, saveDescriptions } from './queries.ts'
import type { DescriptionRow } from './queries.ts'
import type { Level, SentDescription } from './schema.ts'

/** The levels of the descriptions of a status, by their ids. */
export type DescriptionLevels = ReadonlyMap<number, Level>

export async function descriptionLevels(
  reader: Reader,
  actor: Actor,
  status: PipelineStatus,
): Promise<DescriptionLevels> {
  const rows = await reader.rows<{ id: number; level: Level }>(descriptionIds(actor, status))
  return new Map(rows.map(({ id, level }) => [id, level]))
}

/** The faults of sent descriptions. A new status has no levels yet: the ids sent are ignored. */
export function descriptionFaults(
  sent: SentDescription[] = [],
  path = 'descriptions',
  known?: DescriptionLevels,
): Fault[] {
  const levels = sent.map(({ level }) => level)
  return sent.flatMap(({ id, level, description }, index): Fault[] => {
    const at = `${path}.${index}`
    if (levels.indexOf(level) < index) {
      const detail = `The level ${level} is there twice.`
      return [{ code: 'NotUnique', path: `${at}.level`, detail }]
    }
    if (known && id && known.get(id) !== level) {
      const detail = `This status has no description ${id} for ${level}.`
      return [{ code: 'NotSupportedChoice', path: `${at}.id`, detail }]
    }
    if (!description && !(known && id))
      return [{ code: 'FieldMissing', path: `${at}.description`, detail: 'This field is missing.' }]
    return []
  })
}

export function descriptionRows(
  status: PipelineStatus,
  sent: SentDescription[] = [],
): DescriptionRow[] {
  return sent.map(({ level, description }) => ({
    ...status,
    level,
    description: description ?? null,
  }))
}

/**
 * Writes descriptions and removes those without a text. Those that integrations write have no
 * author (interface: Status).
 */
export async function writeDescriptions(
  tx: Tx,
  actor: Actor,
  rows: DescriptionRow[],
): Promise<void> {
  const removed = rows.filter(({ description }) => !description)
  const saved = rows.filter(({ description }) => description)
  if (removed.length > 0) await tx.rows(removeDescriptions(actor, removed))
  if (saved.length > 0)
    await tx.rows(saveDescriptions(actor, actor.clientId === null ? actor.userId : 0, saved))
}
