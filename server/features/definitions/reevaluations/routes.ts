import { hal, sendHal } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { reevaluationProgress } from './reevaluations.ts'
import { ReevaluationProgress } from './schema.ts'

export function reevaluationRoutes(app: App, { database }: Kontor): void {
  app.get(
    '/web/v1/customers/reevaluation',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read how far customers are evaluated by changed rules',
        tags: ['customers'],
        response: { 200: hal('The progress', ReevaluationProgress) },
      },
    },
    async ({ actor }, reply) => sendHal(reply, await reevaluationProgress(database, actor)),
  )
}
