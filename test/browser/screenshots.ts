// npm run screenshots -- [part of a name…]: pictures of every screen, dialog and state with the data of the demo, in both themes, on a desk and on a
// phone, and in every language, for a person to look at. They are written to the folder screenshots/, which is not kept.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, Page, Route } from 'playwright-core'
import { signIn } from '../session.ts'
import { furnish, languages, loaded, openDialog, settled } from './screens.ts'
import type { Language, Screen } from './screens.ts'

const root = path.join(import.meta.dirname, '../..')
const folder = path.join(root, 'screenshots')
const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const themes = ['light', 'dark'] as const

/** A picture: what is opened, and in which state. */
interface Shot extends Screen {
  /** Signed out. */
  isPublic?: boolean
  /** Runs before the picture is taken. */
  before?: (page: Page) => Promise<unknown>
  language?: Language
}

const open = (keys: string, typed = '') =>
  (async (page) => {
    await page.keyboard.press(keys)
    await page.keyboard.type(typed)
    await page.getByRole('dialog').waitFor()
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
  { name: 'state-offline', path: '/', before: offline },
  { name: 'state-gone', path: '/leads/999999999' },
]

const around: Shot[] = [
  { name: 'commands', path: '/', before: open('Control+k', 'off') },
  { name: 'shortcuts', path: '/', before: open('Shift+Slash') },
  { name: 'components', path: '/developers/ui' },
  ...['login', 'login/forgot', 'oauth'].map((each) => ({
    name: each.replace('/', '-'),
    path: `/${each}`,
    isPublic: true,
  })),
]

const wanted = process.argv.slice(2)
const data = await mkdtemp(path.join(tmpdir(), 'kontor-screenshots-'))
const server = spawn(process.execPath, [path.join(root, 'bin/kontor'), 'start'], {
  env: {
    PATH: process.env['PATH'],
    PORT: '0',
    KONTOR_DATA: data,
    KONTOR_GALLERY: 'on',
    LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let browser: Browser | undefined
try {
  const said = await started()
  const base = /ready at (\S+)/.exec(said)![1]!
  const credentials = {
    email: /E-mail\s+(\S+)/.exec(said)![1]!,
    password: /Password\s+(\S+)/.exec(said)![1]!,
  }
  await mkdir(folder, { recursive: true })
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--disable-gpu', '--disable-dev-shm-usage'],
  })
  const { api, cookie } = await signIn({ url: base }, credentials)
  // The account as it is after its start, and then with one of everything.
  const empty = ['roles', 'webhooks', 'api-keys', 'channels'].map((each) => ({
    name: `state-empty-${each}`,
    path: `/settings/${each}`,
  }))
  const isWanted = ({ name }: Shot) =>
    wanted.length === 0 || wanted.some((part) => name.includes(part))
  await take(empty.filter(isWanted))
  const screens = await furnish(api)
  await take([...screens, ...around, ...states].filter(isWanted))
  const { body: me } = await api.get('/web/v1/profile')
  for (const language of languages.slice(1)) {
    await api.patch('/web/v1/profile', { lang: language })
    await take(
      screens
        .map((screen) => ({ ...screen, name: `${screen.name}-${language}`, language }))
        .filter(isWanted),
      { theme: 'light' },
    )
  }
  await api.patch('/web/v1/profile', { lang: me.lang })

  /** One page for all pictures of a theme and a size: a reload takes ten times as long. */
  async function take(shots: Shot[], only: { theme?: string } = {}): Promise<void> {
    if (shots.length === 0) return
    for (const theme of themes.filter((each) => only.theme === undefined || each === only.theme))
      for (const [size, viewport] of Object.entries(sizes)) {
        for (const isPublic of [false, true]) {
          const context = await browser!.newContext({
            viewport,
            colorScheme: theme,
            reducedMotion: 'reduce',
          })
          const [name, value] = cookie.split('=', 2)
          if (!isPublic) await context.addCookies([{ name: name!, value: value!, url: base }])
          for (const shot of shots.filter((each) => (each.isPublic ?? false) === isPublic)) {
            const page = await context.newPage()
            await page.goto(base + shot.path, { waitUntil: 'load' })
            if (!shot.isPublic) await loaded(page)
            if (shot.button) await openDialog(page, shot.button, shot.language ?? 'en')
            await shot.before?.(page)
            await settled(page)
            const file = path.join(folder, `${shot.name}-${size}-${theme}.png`)
            await page.screenshot({ path: file, fullPage: shot.name === 'components' })
            await context.setOffline(false)
            await page.close()
          }
          await context.close()
        }
      }
  }
  console.log(`The pictures are in ${folder}`)
} finally {
  await browser?.close()
  server.kill()
  await new Promise((resolve) => server.once('exit', resolve))
  await rm(data, { recursive: true, force: true })
}

/** The words of the server until it is ready. */
function started(): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('Stop it with')) resolve(said)
    })
    server.once('exit', (code) => reject(new Error(`Kontor ended with ${code}:\n${said}`)))
  })
}
