// The web application of a new Kontor with the demo account, or of a filled database, in Chromium.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { BrowserContext } from 'playwright-core'
import { chromiumPath } from '../test/browser/chromium-path.ts'
import { root } from './processes.ts'

export interface Application {
  /** Its address. */
  base: string
  /** A browser of its own, 1440 × 900, in which an administrator is signed in. */
  signIn(): Promise<BrowserContext>
  /** A token of an administrator, for a program. */
  token(): Promise<string>
  close(): Promise<void>
}

/** Starts it. `filled` is the environment of a filled database and the subdomain of its account. */
export async function openApplication(filled?: {
  environment: Record<string, string>
  account: string
}): Promise<Application> {
  const data = await mkdtemp(path.join(tmpdir(), 'kontor-application-'))
  const env = {
    PATH: process.env['PATH'],
    KONTOR_DATA: data,
    LOG_LEVEL: 'error',
    ...filled?.environment,
  }
  const kontor = path.join(root, 'bin/kontor')
  const server = spawn(process.execPath, [kontor, 'start'], {
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    server.kill()
    if (server.exitCode === null) await new Promise((resolve) => server.once('exit', resolve))
    await rm(data, { recursive: true, force: true })
  }
  try {
    const said = await new Promise<string>((resolve, reject) => {
      let text = ''
      server.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.includes('Stop it with')) resolve(text)
      })
      server.once('exit', (code) => reject(new Error(`Kontor ended with ${code}:\n${text}`)))
    })
    const base = /ready at (\S+)/.exec(said)![1]!
    const command = async (...words: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [kontor, ...words], { env })
      return JSON.parse(stdout) as Record<string, string>
    }
    const at = filled ? ['--account', filled.account] : []
    const password = `${crypto.randomUUID()}-Aa1`
    const email = `${crypto.randomUUID()}@bench.example`
    await command('user', 'create', email, '--json', '--admin', '--password', password, ...at)
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ['--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info'],
    })
    return {
      base,
      async signIn() {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
        const answer = await context.request.post(`${base}/web/v1/session`, {
          data: { email, password },
          headers: { origin: base },
        })
        if (!answer.ok()) throw new Error(`the sign-in was refused: ${answer.status()}`)
        return context
      },
      token: async () => (await command('token', '--json', ...at))['access_token']!,
      async close() {
        await browser.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
