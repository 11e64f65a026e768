// One answer for the shell of the web application: what the pages of all screens name, as summaries. The
// version names everything but the numbers and the cursor, which change with every request of a busy
// account (docs/decisions/0067-bootstrap.md).
import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import { predefinedTaskTypes } from '../../definitions/task-types/schema.ts'
import { shellCounters, shellSummaries } from './queries.ts'
import type { Bootstrap, CountersAnswer } from './schema.ts'

type Summaries = Omit<Bootstrap, 'version' | 'counters' | 'cursor'>

interface TypeSummary {
  is_deleted: boolean
  sort: number
  id: number
  name: string
  color: string
  icon_id: number | null
}

interface ReadSummaries extends Static<typeof CountersAnswer> {
  summaries: Omit<Summaries, 'task_types'> & { task_types: TypeSummary[] }
}

/**
 * The shell for the caller, as JSON: `version` names all but its counters and its cursor. Two callers
 * with the same answer have the same version.
 */
export async function readBootstrap(
  reader: Reader,
  actor: Actor,
): Promise<{ version: string; json: string }> {
  const { summaries, counters, cursor } = (await reader.row<ReadSummaries>(shellSummaries(actor)))!
  const shown: Summaries = {
    ...summaries,
    me: { ...summaries.me, rights: actor.rights },
    roles: summaries.roles ?? [],
    task_types: [
      ...predefinedTaskTypes,
      ...summaries.task_types.flatMap(({ is_deleted, sort: _, ...type }) =>
        is_deleted ? [] : [{ ...type, code: null }],
      ),
    ],
  }
  const text = JSON.stringify(shown)
  const version = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  const rest = JSON.stringify({ counters, cursor })
  return { version, json: `{"version":"${version}",${text.slice(1, -1)},${rest.slice(1)}` }
}

export async function readCounters(
  reader: Reader,
  actor: Actor,
): Promise<Static<typeof CountersAnswer>> {
  return (await reader.row<Static<typeof CountersAnswer>>(shellCounters(actor)))!
}
