import { writeHandler } from '../../../access/write-handler.ts'
import { batch } from '../../../http/body.ts'
import { hal, halAnswer } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { faultsOfComplex } from './check.ts'
import { ComplexAnswer, ComplexLead, mostItems } from './schema.ts'
import { createComplexOrUnsorted } from './waiting.ts'

export function complexRoutes(app: App, { database }: Kontor): void {
  app.post(
    '/api/v4/leads/complex',
    {
      config: { access: 'user', right: { type: 'leads', action: 'add' } },
      schema: {
        summary: 'Create leads with their contacts and companies',
        tags: ['leads'],
        body: batch(ComplexLead, mostItems, { check: faultsOfComplex }),
        response: {
          200: hal(
            'The created leads, and the leads that items were merged into, in request order',
            ComplexAnswer,
          ),
        },
      },
    },
    writeHandler(database, async (tx, { actor, body }) =>
      halAnswer(await createComplexOrUnsorted(tx, actor, body)),
    ),
  )
}
