import type { App } from '../app.ts'
import { sendAs } from './hal.ts'

/** `GET /health`: the process is there and answers. It asks nobody else, so that a busy database does not make it look dead. */
export function healthRoute(app: App): void {
  app.get('/health', { config: { access: 'public' } }, (_request, reply) =>
    sendAs(reply, 'application/json', { name: 'kontor', status: 'ok' }),
  )
}
