import { writeHandler } from '../../../../access/write-handler.ts'
import { one } from '../../../../http/body.ts'
import { hal, halAnswer } from '../../../../http/hal.ts'
import type { App, Kontor } from '../../../../kontor.ts'
import { setCustomersMode } from './mode.ts'
import { CustomersMode } from './schema.ts'

export function customersModeRoutes(app: App, { database }: Kontor): void {
  app.patch(
    '/api/v4/customers/mode',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Turn a mode of customers on or off',
        tags: ['customers'],
        body: one(CustomersMode),
        response: { 200: hal('The mode as it was sent', CustomersMode) },
      },
    },
    writeHandler(database, async (tx, { actor, body }) => {
      await setCustomersMode(tx, actor, body)
      return halAnswer(body)
    }),
  )
}
