import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { readAggregate, readBoard, readBoardCards, readColumn, readTotals } from './board.ts'
import {
  Aggregate,
  AggregateQuery,
  Board,
  BoardQuery,
  CardsAnswer,
  CardsQuery,
  ColumnAnswer,
  ColumnQuery,
  TotalsAnswer,
} from './schema.ts'

const path = '/web/v1/board'

export function boardRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const people = { config: { access: 'user' as const }, onRequest: forbidIntegrations }

  app.get(
    path,
    {
      ...people,
      schema: {
        summary: 'Read the board of a pipeline',
        querystring: BoardQuery,
        response: { 200: json('The columns with their first cards', Board) },
      },
    },
    async ({ actor, query }, reply) => sendJson(reply, await readBoard(database, actor, query)),
  )

  app.get(
    `${path}/column`,
    {
      ...people,
      schema: {
        summary: 'Read a window of a column',
        querystring: ColumnQuery,
        response: { 200: json('The column with the cards of the window', ColumnAnswer) },
      },
    },
    async ({ actor, query }, reply) => sendJson(reply, await readColumn(database, actor, query)),
  )

  app.get(
    `${path}/totals`,
    {
      ...people,
      schema: {
        summary: 'Read the totals of the columns',
        querystring: BoardQuery,
        response: { 200: json('The totals', TotalsAnswer) },
      },
    },
    async ({ actor, query }, reply) =>
      sendJson(reply, { columns: await readTotals(database, actor, query) }),
  )

  app.get(
    `${path}/cards`,
    {
      ...people,
      schema: {
        summary: 'Read cards by their ids',
        querystring: CardsQuery,
        response: { 200: json('Those of the cards that are on the board', CardsAnswer) },
      },
    },
    async ({ actor, query }, reply) =>
      sendJson(reply, { cards: await readBoardCards(database, actor, query) }),
  )

  app.get(
    '/web/v1/aggregate',
    {
      ...people,
      schema: {
        summary: 'Count the records that a filter finds',
        querystring: AggregateQuery,
        response: { 200: json('Their number, and the sum of their prices', Aggregate) },
      },
    },
    async ({ actor, query }, reply) => sendJson(reply, await readAggregate(database, actor, query)),
  )
}
