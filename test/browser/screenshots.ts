// npm run screenshots -- [part of a name…]: pictures of every screen with the data of the demo, in both
// themes, on a desk and on a phone, for a person to look at; and boards of three trades in four
// languages. They are written to the folder screenshots/, which is not kept.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { fillPicture, setupOf, trades } from './pictures.ts'
import type { PictureLanguage, Trade } from './pictures.ts'

const root = path.join(import.meta.dirname, '../..')
const folder = path.join(root, 'screenshots')
const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const themes = ['light', 'dark'] as const

interface Shot {
  name: string
  path: string
  /** Signed out. */
  isPublic?: boolean
  /** Runs before the picture is taken. */
  before?: (page: Page) => Promise<void>
}

const open = (keys: string, typed = '') =>
  (async (page) => {
    await page.keyboard.press(keys)
    await page.keyboard.type(typed)
    await page.waitForTimeout(600)
  }) satisfies Shot['before']

const shots: Shot[] = [
  { name: 'home', path: '/' },
  { name: 'commands', path: '/', before: open('Control+k', 'off') },
  { name: 'shortcuts', path: '/', before: open('Shift+Slash') },
  { name: 'board', path: '/leads' },
  {
    name: 'board-filter',
    path: '/leads?filter[closest_task_at]=overdue&filter[price][from]=1000',
    before: open('/', 're'),
  },
  { name: 'lead', path: '/leads/1001' },
  { name: 'notifications', path: '/notifications' },
  { name: 'absent', path: '/nothing/is/here' },
  { name: 'components', path: '/developers/ui' },
  ...['profile', 'preferences', 'security', 'users', 'groups', 'roles'].map(settings),
  ...['integrations', 'webhooks', 'api-keys', 'channels'].map(settings),
  ...['login', 'login/forgot', 'oauth'].map((each) => ({
    name: each.replace('/', '-'),
    path: `/${each}`,
    isPublic: true,
  })),
]

function settings(name: string): Shot {
  return { name: `settings-${name}`, path: `/settings/${name}` }
}

const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part))

interface Server {
  base: string
  /** The words of its start. */
  said: string
  stop(): Promise<void>
}

let browser: Browser | undefined
try {
  await mkdir(folder, { recursive: true })
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--disable-gpu', '--disable-dev-shm-usage'],
  })
  await takeScreens(browser)
  for (const trade of trades)
    for (const language of ['en', 'ru', 'es', 'pt'] as const)
      if (isWanted(`${trade}-${language}`)) await takeTrade(browser, trade, language)
  console.log(`The pictures are in ${folder}`)
} finally {
  await browser?.close()
}

/** Every screen with the data of the demo. */
async function takeScreens(by: Browser): Promise<void> {
  const chosen = shots.filter(({ name }) => isWanted(name))
  if (chosen.length === 0) return
  const { base, said, stop } = await serve()
  try {
    const credentials = {
      email: /E-mail\s+(\S+)/.exec(said)![1]!,
      password: /Password\s+(\S+)/.exec(said)![1]!,
    }
    for (const shot of chosen)
      await takeAll(by, base, shot.isPublic ? undefined : credentials, shot)
  } finally {
    await stop()
  }
}

/** The board of a trade, with an account of its own. */
async function takeTrade(by: Browser, trade: Trade, language: PictureLanguage): Promise<void> {
  const { base, stop } = await serve({ KONTOR_DEMO: 'off' })
  try {
    const setup = setupOf(trade, language)
    const { request } = await by.newContext()
    const ask = async (method: string, path: string, data?: unknown) => {
      const headers = { origin: base }
      const answer = await request.fetch(base + path, {
        method,
        headers,
        ...(data ? { data } : {}),
      })
      const text = await answer.text()
      if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    }
    await ask('POST', '/web/v1/setup', setup)
    const credentials = { email: setup.email, password: setup.password }
    await ask('POST', '/web/v1/session', credentials)
    const pipeline = await fillPicture(ask, trade, language)
    const name = `board-${trade}-${language}`
    await takeAll(by, base, credentials, { name, path: `/leads/p/${pipeline}` })
  } finally {
    await stop()
  }
}

/** A picture in both themes, on a desk and on a phone. */
async function takeAll(
  by: Browser,
  base: string,
  credentials: { email: string; password: string } | undefined,
  { name, path: address, before }: Shot,
): Promise<void> {
  for (const theme of themes)
    for (const [size, viewport] of Object.entries(sizes)) {
      const context = await by.newContext({ viewport, colorScheme: theme })
      if (credentials)
        await context.request.post(`${base}/web/v1/session`, {
          data: credentials,
          headers: { origin: base },
        })
      const page = await context.newPage()
      await page.goto(base + address, { waitUntil: 'load' })
      await page.waitForTimeout(900)
      await before?.(page)
      const file = path.join(folder, `${name}-${size}-${theme}.png`)
      await page.screenshot({ path: file, fullPage: name === 'components' })
      await context.close()
    }
}

/** Starts a server with a data folder of its own. */
async function serve(settings: Record<string, string> = {}): Promise<Server> {
  const data = await mkdtemp(path.join(tmpdir(), 'kontor-screenshots-'))
  const server = spawn(process.execPath, [path.join(root, 'bin/kontor'), 'start'], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      KONTOR_DATA: data,
      KONTOR_GALLERY: 'on',
      LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await new Promise<string>((resolve, reject) => {
    let text = ''
    server.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more
      if (text.includes('Stop it with')) resolve(text)
    })
    server.once('exit', (code) => reject(new Error(`Kontor ended with ${code}:\n${text}`)))
  })
  return {
    base: /ready at (\S+)/.exec(said)![1]!,
    said,
    async stop() {
      server.kill()
      await new Promise((resolve) => server.once('exit', resolve))
      await rm(data, { recursive: true, force: true })
    },
  }
}
