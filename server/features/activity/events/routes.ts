import type { Actor } from '../../../access/actor.ts'
import { hal, nothing, Page, sendCompleteList, sendRecord } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { openCatalogs, viewedCatalogs } from '../../definitions/catalogs/catalogs.ts'
import { findEvents } from './find.ts'
import { fieldsAndLanguage, isFoundAnywhere, oneEvent } from './queries.ts'
import type { FieldsAndLanguage } from './queries.ts'
import { eventSearchOf, isGeneral } from './filters.ts'
import type { EventSearch } from './filters.ts'
import {
  Event,
  EventParams,
  EventQuery,
  EventTypes,
  EventTypesQuery,
  eventWith,
  OneEventQuery,
} from './schema.ts'
import { eventText } from './show.ts'
import type { EventLine } from './show.ts'
import { eventTypeTitles } from './titles.ts'

/** Rows per page at most (interface: Limits). */
const most = 100

export function eventRoutes(app: App, { database }: Kontor): void {
  const catalogsFor = async (actor: Actor, search: EventSearch) =>
    isFoundAnywhere(actor, search) ? [] : openCatalogs(database, actor)

  app.get(
    '/api/v4/events',
    {
      config: { access: 'user', isPaid: true },
      schema: {
        summary: 'List events, newest first',
        tags: ['events'],
        querystring: EventQuery,
        response: { 200: hal('A page of events', Page('events', Event)), 204: nothing },
      },
    },
    async ({ actor, base, query }, reply) => {
      const { filter = {} } = query
      const isAnyCatalog = filter.entity?.includes('catalog_element')
      const catalogs = isAnyCatalog ? await viewedCatalogs(database, actor) : []
      const search = eventSearchOf(filter, catalogs)
      const showing = { base, wanted: eventWith.wanted(query.with), isGeneral: isGeneral(filter) }
      const open = await catalogsFor(actor, search)
      return sendPage(reply, { collection: 'events', most, keys: 'text' }, async (seek) => {
        const lines = await findEvents(database, actor, showing, seek, search, open)
        return lines.map((line) => ({ id: line.id, key: line.key, json: eventText(line) }))
      })
    },
  )

  app.get(
    '/api/v4/events/types',
    {
      config: { access: 'user', isPaid: true },
      schema: {
        summary: 'List types of events, with one for each custom field',
        tags: ['events'],
        querystring: EventTypesQuery,
        response: { 200: hal('All types', EventTypes), 204: nothing },
      },
    },
    async ({ actor, query }, reply) => {
      const [caller] = await database.list<FieldsAndLanguage>(fieldsAndLanguage(actor))
      const titles = eventTypeTitles(query.language_code ?? caller!.language, caller!.fields)
      return sendCompleteList(reply, 'events_types', titles)
    },
  )

  app.get(
    '/api/v4/events/:id',
    {
      config: { access: 'user', isPaid: true },
      schema: {
        summary: 'Read an event',
        tags: ['events'],
        params: EventParams,
        querystring: OneEventQuery,
        response: { 200: hal('The event', Event) },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      const showing = { base, wanted: eventWith.wanted(query.with), isGeneral: false }
      const open = await catalogsFor(actor, { ids: [params.id], keys: [] })
      const line = await database.row<EventLine>(oneEvent(actor, showing, params.id, open))
      return sendRecord(reply, line && { json: eventText(line) }, 'always 404')
    },
  )
}
