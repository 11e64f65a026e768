import { hal, sendHal } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { readAccount } from './accounts.ts'
import { Account, AccountQuery, accountWith } from './schema.ts'

export function accountRoutes(app: App, { database }: Kontor): void {
  app.get(
    '/api/v4/account',
    {
      // Every program reads the account after signing in, so the route takes tokens of any scope.
      config: { access: 'user', scope: 'any' },
      schema: {
        summary: 'Read the account',
        tags: ['account'],
        querystring: AccountQuery,
        response: { 200: hal('The account', Account) },
      },
    },
    async ({ actor, base, query }, reply) =>
      sendHal(reply, await readAccount(database, actor, base, accountWith.wanted(query.with))),
  )
}
