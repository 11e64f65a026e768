// npm run dev: Kontor, started anew when a file of the server changes, and the web application
// with hot reload in front of it at http://localhost:5173.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createServer } from 'vite'

const root = path.join(import.meta.dirname, '..')
const port = 5173
const behind = process.env['PORT'] ?? '8080'

const kontor = spawn(
  process.execPath,
  [
    '--watch',
    '--watch-preserve-output',
    `--watch-path=${path.join(root, 'server')}`,
    path.join(root, 'bin/kontor'),
    'start',
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, PORT: behind, KONTOR_URL: `http://localhost:${port}` },
  },
)
process.env['KONTOR_BEHIND'] = `http://127.0.0.1:${behind}`
const vite = await createServer({
  configFile: path.join(root, 'web/vite.config.ts'),
  mode: 'development',
  server: { port, strictPort: true },
})
await vite.listen()
vite.printUrls()
kontor.on('exit', (code) => void vite.close().then(() => process.exit(code ?? 0)))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => kontor.kill(signal))
