import { forbidIntegrations } from '../../../access/actor.ts'
import {
  hal,
  json,
  nothing,
  Page,
  sendAs,
  sendCompleteList,
  sendRecord,
} from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { catalogsOf, findEvents, openSearch } from './find.ts'
import { fieldsAndLanguage, oneEvent } from './queries.ts'
import type { FieldsAndLanguage } from './queries.ts'
import { isGeneral } from './filters.ts'
import { readLog } from './log.ts'
import {
  Event,
  EventParams,
  EventQuery,
  EventTypes,
  EventTypesQuery,
  eventWith,
  LogPage,
  LogQuery,
  mostLogged,
  OneEventQuery,
} from './schema.ts'
import { eventText } from './show.ts'
import type { EventLine } from './show.ts'
import { eventTypeTitles } from './titles.ts'

export function eventRoutes(app: App, { database }: Kontor): void {
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
      const { search, catalogs } = await openSearch(database, actor, filter)
      const showing = { base, wanted: eventWith.wanted(query.with), isGeneral: isGeneral(filter) }
      return sendPage(
        reply,
        { collection: 'events', most: mostLogged, keys: 'text' },
        async (seek) => {
          const lines = await findEvents(database, actor, showing, seek, search, catalogs)
          return lines.map((line) => ({ id: line.id, key: line.key, json: eventText(line) }))
        },
      )
    },
  )

  app.get(
    '/web/v1/events',
    {
      config: { access: 'user', isPaid: true },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Read a page of the event log, newest first',
        querystring: LogQuery,
        response: { 200: json('A page of events, with what they name', LogPage) },
      },
    },
    async ({ actor, base, query: { filter = {}, after } }, reply) =>
      sendAs(reply, 'application/json', await readLog(database, actor, base, filter, after)),
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
      const open = await catalogsOf(database, actor, { ids: [params.id], keys: [] })
      const line = await database.row<EventLine>(oneEvent(actor, showing, params.id, open))
      return sendRecord(reply, line && { json: eventText(line) }, 'always 404')
    },
  )
}
