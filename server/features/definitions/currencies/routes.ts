// The currencies that money fields may have (interface: Currencies). They are the same for every
// account.
import { hal, nothing, Page } from '../../../http/hal.ts'
import { Paging, sendPage } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import type { App } from '../../../kontor.ts'
import { currencyCodes } from './currencies.ts'

const Currency = Type.Object({
  code: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code' }),
  name: Type.String({ description: 'English name' }),
})

const names = new Intl.DisplayNames('en', { type: 'currency' })

/** The rows of a page; the cursor of a currency is its place in the list. */
const rows = currencyCodes.map((code, index) => ({
  key: index + 1,
  id: index + 1,
  json: JSON.stringify({ code, name: names.of(code) ?? code }),
}))

export function currencyRoutes(app: App): void {
  app.get(
    '/api/v4/currencies',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List currencies',
        tags: ['currencies'],
        querystring: Type.Object(Paging, { additionalProperties: true }),
        response: {
          200: hal('A page of currencies', Page('currencies', Currency)),
          204: nothing,
        },
      },
    },
    (_request, reply) =>
      sendPage(reply, { collection: 'currencies' }, async ({ after, offset, limit }) => {
        const from = after ? Number(after.id) : offset
        return rows.slice(from, from + limit)
      }),
  )
}
