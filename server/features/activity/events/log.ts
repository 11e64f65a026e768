// The event log as the web application shows it: events with the names of what they tell of.
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import { findEvents, openSearch } from './find.ts'
import type { Told } from './queries.ts'
import { eventWith, mostLogged } from './schema.ts'
import type { EventFilter } from './schema.ts'
import { eventText } from './show.ts'
import type { EventLine } from './show.ts'

type LogLine = EventLine & Told

/**
 * A page of the log as JSON text (schema.ts: LogPage), newest first, after the event with the id
 * `after`. Throws a 400 problem where filters do not go together.
 */
export async function readLog(
  reader: Reader,
  actor: Actor,
  base: string,
  filter: EventFilter,
  after: string | undefined,
): Promise<string> {
  const { search, catalogs } = await openSearch(reader, actor, filter)
  const showing = { base, wanted: new Set(eventWith.names), isGeneral: false, isTold: true }
  const seek = {
    after: after === undefined ? undefined : { key: after, id: after },
    offset: 0,
    limit: mostLogged + 1,
  }
  const lines = await findEvents<LogLine>(reader, actor, showing, seek, search, catalogs)
  const events = lines.slice(0, mostLogged).map((line) => {
    const told = (['linked', 'purchase', 'task'] as const).map((name) =>
      line[name] ? `,"${name}":${JSON.stringify(line[name])}` : '',
    )
    return `{"event":${eventText(line)}${told.join('')}}`
  })
  return `{"_embedded":{"events":[${events.join(',')}]},"has_more":${lines.length > mostLogged}}`
}
