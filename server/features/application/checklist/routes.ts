// Private to the web application: the first steps that its start page offers to administrators. A user
// who has seen enough of them hides them by a preference (features/people/profile).
import { forbidIntegrations } from '../../../access/actor.ts'
import { json, sendJson } from '../../../http/hal.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { checklistOf } from './queries.ts'
import { Checklist } from './schema.ts'

export function checklistRoutes(app: App, { database }: Kontor): void {
  app.get(
    '/web/v1/checklist',
    {
      config: { access: 'admin' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'Read which first steps are done',
        response: { 200: json('The steps', Checklist) },
      },
    },
    async ({ actor }, reply) =>
      sendJson(reply, (await database.row<Checklist>(checklistOf(actor)))!),
  )
}
