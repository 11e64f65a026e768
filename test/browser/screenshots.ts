// npm run screenshots -- [part of a name…]: pictures of every screen, dialog and state with the data of
// the demo, in both themes, on a desk and on a phone, and in every language, and boards and cards of
// three trades, for a person to look at. They are written to the folder screenshots/, which is not kept.
// npm run pictures: the board and the card that README.md shows, in both themes. They are written to docs/images.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, Page, Route } from 'playwright-core'
import { signIn } from '../session.ts'
import { chromiumPath } from './chromium-path.ts'
import { shortcut, type } from './keys.ts'
import { fillPicture, setupOf, trades } from './pictures.ts'
import type { PictureLanguage, Trade } from './pictures.ts'
import { rest } from './rest.ts'
import { seedScreens, languages, openDialog } from './screens.ts'
import type { Language, Screen } from './screens.ts'

const root = path.join(import.meta.dirname, '../..')
const desk = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
const themes = ['light', 'dark'] as const

/** A picture: what is opened, and in which state. */
interface Shot extends Screen {
  /** Signed out. */
  isPublic?: boolean
  /** Runs before the picture is taken. */
  before?: (page: Page) => Promise<unknown>
  language?: Language
}

const open = (key: string, typed?: string, part: 'dialog' | 'listbox' = 'dialog') =>
  (async (page) => {
    await shortcut(page, key)
    if (typed !== undefined) await type(page.locator('input'), typed)
    await page.getByRole(part).waitFor()
  }) satisfies Shot['before']

/** Answers what a screen asks for once it opens as `answer` does, and opens it again. */
const answered = (answer: (route: Route) => unknown) =>
  (async (page) => {
    await page.route(
      /\/(?:api\/v4|web\/v1)\/(?!bootstrap|counters|session|preferences|stream|build)/,
      answer,
    )
    await page.reload()
    await page.getByRole('main').waitFor()
  }) satisfies Shot['before']

const failed = answered((route) =>
  route.fulfill({ status: 500, body: JSON.stringify({ detail: 'The server failed' }) }),
)
const waiting = answered(() => undefined)
const offline = async (page: Page) => {
  await page.context().setOffline(true)
  await page.locator('[role=status]', { hasText: /\d:\d\d/ }).waitFor()
}

const states: Shot[] = [
  { name: 'state-waiting', path: '/settings/users', before: waiting },
  { name: 'state-failed', path: '/settings/users', before: failed },
  { name: 'state-offline', path: '/home', before: offline },
  { name: 'state-gone', path: '/leads/999999999' },
]

const around: Shot[] = [
  { name: 'commands', path: '/home', before: open('Control+k', 'off') },
  { name: 'shortcuts', path: '/home', before: open('Shift+Slash') },
  {
    name: 'board-filter',
    path: '/leads?filter[closest_task_at]=overdue&filter[price][from]=1000',
    before: open('/', 're', 'listbox'),
  },
  { name: 'components', path: '/developers/ui' },
  ...['login', 'login/forgot', 'oauth'].map((each) => ({
    name: each.replace('/', '-'),
    path: `/${each}`,
    isPublic: true,
  })),
]

const isForReadme = process.argv.includes('--readme')
const folder = path.join(root, isForReadme ? 'docs/images' : 'screenshots')
const wanted = isForReadme ? ['board-shop-en', 'card-shop-en'] : process.argv.slice(2)
const isWanted = ({ name }: { name: string }) =>
  wanted.length === 0 || wanted.some((part) => name.includes(part))
/** README.md is read on a desk; its pictures are called board-light.png and so on. */
const sizes = isForReadme ? { desk } : { desk, phone }
const fileOf = (shot: Shot, size: string, theme: string) =>
  isForReadme ? `${shot.name.split('-')[0]}-${theme}.png` : `${shot.name}-${size}-${theme}.png`

interface Server {
  base: string
  /** The words of its start. */
  said: string
  stop(): Promise<void>
}

await mkdir(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--disable-gpu', '--disable-dev-shm-usage'],
})
try {
  await takeScreens(browser)
  for (const trade of trades)
    for (const language of languages)
      if (['board', 'card'].some((part) => isWanted({ name: `${part}-${trade}-${language}` })))
        await takeTrade(browser, trade, language)
  console.log(`The pictures are in ${folder}`)
} finally {
  await browser.close()
}

/** Every screen with the data of the demo. */
async function takeScreens(by: Browser): Promise<void> {
  // The names of screens are known once the account has one of everything.
  if (wanted.length > 0 && wanted.every((part) => trades.some((trade) => part.includes(trade))))
    return
  const { base, said, stop } = await serve()
  try {
    const password = /Password\s+(\S+)/.exec(said)![1]!
    const { api, cookie } = await signIn(
      { url: base },
      { email: /E-mail\s+(\S+)/.exec(said)![1]!, password },
    )
    const empty = ['roles', 'webhooks', 'api-keys', 'channels'].map((each) => ({
      name: `state-empty-${each}`,
      path: `/settings/${each}`,
    }))
    await take(by, base, cookie, empty.filter(isWanted))
    const screens = await seedScreens(api, { password })
    await take(by, base, cookie, [...screens, ...around, ...states].filter(isWanted))
    for (const language of languages.slice(1)) {
      await api.patch('/web/v1/profile', { lang: language })
      const named = screens.map((screen) => ({
        ...screen,
        name: `${screen.name}-${language}`,
        language,
      }))
      await take(by, base, cookie, named.filter(isWanted), { theme: 'light' })
    }
  } finally {
    await stop()
  }
}

/** The board of a trade and a card over it, with an account of its own. */
async function takeTrade(by: Browser, trade: Trade, language: PictureLanguage): Promise<void> {
  const { base, stop } = await serve({ KONTOR_DEMO: 'off' })
  try {
    const setup = setupOf(trade, language)
    const { request } = await by.newContext()
    const ask = async (method: string, path: string, data?: unknown, token?: string) => {
      const headers: Record<string, string> = token
        ? { authorization: `Bearer ${token}` }
        : { origin: base }
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
    const { pipeline, lead } = await fillPicture(ask, trade, language)
    const { cookie } = await signIn({ url: base }, credentials)
    const path = `/leads/p/${pipeline}`
    const before = async (page: Page) => {
      await page.locator('[data-column] [role=listitem]').first().waitFor()
      await rest(page)
    }
    const shots: Shot[] = [
      { name: `board-${trade}-${language}`, path, language, before },
      {
        name: `card-${trade}-${language}`,
        path: `${path}?card=leads-${lead}`,
        language,
        before: async (page) => {
          await page.locator(`[data-record="leads-${lead}"] h2`).waitFor()
          await rest(page)
          const isWide = page.viewportSize()!.width >= 900
          if (isWide) await page.locator('[role=feed] article').first().waitFor()
        },
      },
    ]
    await take(by, base, cookie, shots.filter(isWanted))
  } finally {
    await stop()
  }
}

/** One page for all pictures of a theme and a size: a reload takes ten times as long. */
async function take(
  by: Browser,
  base: string,
  cookie: string,
  shots: Shot[],
  only: { theme?: string } = {},
): Promise<void> {
  if (shots.length === 0) return
  for (const theme of themes.filter((each) => only.theme === undefined || each === only.theme))
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const isPublic of [false, true]) {
        const context = await by.newContext({
          viewport,
          colorScheme: theme,
          reducedMotion: 'reduce',
        })
        const [name, value] = cookie.split('=', 2)
        if (!isPublic) await context.addCookies([{ name: name!, value: value!, url: base }])
        for (const shot of shots.filter((each) => (each.isPublic ?? false) === isPublic)) {
          const page = await context.newPage()
          await page.goto(base + shot.path, { waitUntil: 'load' })
          if (!shot.isPublic) await rest(page)
          if (shot.button) await openDialog(page, shot.button, shot.language ?? 'en')
          await shot.before?.(page)
          await rest(page)
          const file = path.join(folder, fileOf(shot, size, theme))
          await page.screenshot({ path: file, fullPage: shot.name === 'components' })
          await context.setOffline(false)
          await page.close()
        }
        await context.close()
      }
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
