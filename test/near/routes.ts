import path from 'node:path'
import { pino } from 'pino'
import { unconnectedKontor } from '../../docs/api/unconnected.ts'
import { buildApp } from '../../server/app.ts'
import type { Tree } from './choose.ts'

/**
 * Every route of the application with the file that registers it, which the stack of the call tells.
 * No database is asked.
 */
export async function readRoutes(root: string): Promise<Tree['routes']> {
  const routes: { name: string; file: string }[] = []
  const app = await buildApp(unconnectedKontor(), pino({ level: 'silent' }), async (app) => {
    app.addHook('onRoute', ({ method, url }) => {
      const file = registeringFile(root)
      const name = url.replaceAll(/:(\w+)/g, '{$1}')
      for (const each of [method].flat())
        if (each !== 'HEAD') routes.push({ name: `${each} ${name}`, file })
    })
  })
  await app.close()
  return routes
}

/** The file of a feature nearest to this call on the stack, which may call shared code, or else the nearest of the server. */
function registeringFile(root: string): string {
  const depth = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  const { stack = '' } = new Error('where')
  Error.stackTraceLimit = depth
  const folder = path.join(root, 'server') + path.sep
  const calls = stack.split(folder).slice(1)
  const files = calls.map((call) => /^[^:?)]*/.exec(call)![0].replaceAll('\\', '/'))
  return `server/${files.find((file) => /^(?:features|web)\//.test(file)) ?? files[0]}`
}
