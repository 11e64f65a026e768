import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { countDemoData, removeDemoData } from './removal.ts'
import { DemoData, RemovedDemoData } from './schema.ts'

const path = '/web/v1/demo-data'

export function demoRoutes(app: App, { database }: Kontor): void {
  const admins = { config: { access: 'admin' as const }, onRequest: forbidIntegrations }

  app.get(
    path,
    {
      ...admins,
      schema: {
        summary: 'Count the records of the demo',
        response: { 200: json('What is left of them', DemoData) },
      },
    },
    async ({ actor }, reply) => {
      const records = await countDemoData(database, actor)
      const is_removable = Object.values(records).some((count) => count > 0)
      return sendJson(reply, { is_removable, records })
    },
  )

  app.delete(
    path,
    {
      ...admins,
      schema: {
        summary: 'Remove the records of the demo',
        response: { 200: json('What was removed', RemovedDemoData) },
      },
    },
    async ({ actor }, reply) => sendJson(reply, { removed: await removeDemoData(database, actor) }),
  )
}
