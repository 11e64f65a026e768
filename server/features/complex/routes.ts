import { Type } from 'typebox'
import { readBatch } from '../../http/batch.ts'
import { hal, sendHal } from '../../http/hal.ts'
import type { App, Kontor } from '../../kontor.ts'
import { compileComplex } from './check.ts'
import { createComplex } from './complex.ts'
import { ComplexAnswer, ComplexLead, mostItems } from './schema.ts'

export function complexRoutes(app: App, { config: { unknownKeys }, database }: Kontor): void {
  const check = compileComplex({ unknownKeys })

  app.post(
    '/api/v4/leads/complex',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Create leads with their contacts and companies',
        tags: ['leads'],
        body: Type.Array(ComplexLead, { minItems: 1, maxItems: mostItems }),
        response: { 200: hal('What became of them, in the order of the request', ComplexAnswer) },
      },
    },
    async ({ actor, body }, reply) =>
      sendHal(
        reply,
        await database.transaction((tx) =>
          createComplex(tx, actor, readBatch(body, check, mostItems)),
        ),
      ),
  )
}
