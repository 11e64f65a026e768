import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { readGroups, readNamedRows, readRows, readSummary } from './rows.ts'
import { RowGroups, NamedRows, rowQueries, RowWindow, rowTypes, RowSummary } from './schema.ts'

export function rowRoutes(app: App, { database }: Kontor): void {
  const people = { config: { access: 'user' as const }, onRequest: forbidIntegrations }

  for (const type of rowTypes) {
    const { Window, Named, Summary: Numbers, Groups: Grouping } = rowQueries[type]
    const path = `/web/v1/rows/${type}`

    app.get(
      path,
      {
        ...people,
        schema: {
          summary: `Read a window of the list of ${type}`,
          querystring: Window,
          response: { 200: json('The rows, and how many there are', RowWindow) },
        },
      },
      async ({ actor, query }, reply) =>
        sendJson(reply, await readRows(database, actor, type, query)),
    )

    app.get(
      `${path}/named`,
      {
        ...people,
        schema: {
          summary: `Read rows of the list of ${type} by their ids`,
          querystring: Named,
          response: { 200: json('Those of the rows that the list shows', NamedRows) },
        },
      },
      async ({ actor, query }, reply) =>
        sendJson(reply, {
          rows: await readNamedRows(database, actor, type, query),
        }),
    )

    app.get(
      `${path}/summary`,
      {
        ...people,
        schema: {
          summary: `Read numbers about all ${type} that a filter finds`,
          querystring: Numbers,
          response: { 200: json('Their number, and the numbers of columns', RowSummary) },
        },
      },
      async ({ actor, query }, reply) =>
        sendJson(reply, await readSummary(database, actor, type, query)),
    )

    app.get(
      `${path}/groups`,
      {
        ...people,
        schema: {
          summary: `Read the groups that a column makes of the ${type} that a filter finds`,
          querystring: Grouping,
          response: { 200: json('The groups with their numbers', RowGroups) },
        },
      },
      async ({ actor, query }, reply) =>
        sendJson(reply, await readGroups(database, actor, type, query)),
    )
  }
}
