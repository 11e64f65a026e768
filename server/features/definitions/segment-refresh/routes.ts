import { hal, sendHal } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { segmentRefreshProgress } from './segment-refresh.ts'
import { SegmentRefreshProgress } from './schema.ts'

export function segmentRefreshRoutes(app: App, { database }: Kontor): void {
  app.get(
    '/web/v1/customers/reevaluation',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read how far customers are evaluated by changed rules',
        tags: ['customers'],
        response: { 200: hal('The progress', SegmentRefreshProgress) },
      },
    },
    async ({ actor }, reply) => sendHal(reply, await segmentRefreshProgress(database, actor)),
  )
}
