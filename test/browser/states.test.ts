// The states that every screen can be in besides showing its data, in every language: waiting, failed, empty, without a match, without the right, gone,
// and cut off. The server answers by itself wherever it can; the network is slow or broken only where it must be.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { rest } from './rest.ts'
import { seedScreens, languages, show, wordOf } from './screens.ts'
import type { Screen } from './screens.ts'
import { stretched } from '../slow.ts'

const browser = useBrowser()

const expectAccessible = async (page: Page, name: string, withheld?: RegExp) => {
  expect(await accessibilityFaults(page, 'main', withheld), name).toEqual([])
}

/** Both themes of the same page. */
async function expectAccessibleInBothThemes(page: Page, name: string) {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, `${name} ${colorScheme}`)
  }
}

/** The requests of a screen that opens, without those of the shell. */
const data = /\/(?:api\/v4|web\/v1)\/(?!bootstrap|counters|session|preferences|stream|build)/

const still = { reducedMotion: 'reduce' } as const

/** Screens whose data come with the page, or are known from a card (settings-catalogs.test.ts). */
const askNothing = [
  'absent',
  'settings-preferences',
  'settings-customers',
  'settings-pipelines',
  'settings-catalogs',
]
/** A board that fails and is asked again stays a failure until its answer (board.test.ts, customers-board.test.ts). */
const hasOwnStates = ['board', 'customer-board']

const withoutDialogs = (screens: Screen[]) =>
  screens
    .filter(({ button, part, path }) => !button && !part && !path.includes('?'))
    .map(({ name, path }) => ({ name, path }))

test(
  'every screen waits with rows, fails with a way to try again, and then shows its data',
  async () => {
    const account = await newAccount({ hasGallery: true })
    const screens = withoutDialogs(await seedScreens(account.api))
    const { page, faults } = await openApplication(browser(), '/developers/ui', { account }, still)
    let answer: 'late' | 'failed' | 'usual' = 'usual'
    const waiting: (() => void)[] = []
    await page.route(data, async (route) => {
      if (answer === 'late') await new Promise<void>((resolve) => waiting.push(resolve))
      if (answer !== 'failed') return route.continue().catch(() => undefined)
      const body = JSON.stringify({ title: 'Internal Server Error', detail: 'The server failed' })
      return route.fulfill({ status: 500, body, headers: { 'x-request-id': '0c7d' } })
    })
    for (const screen of screens.filter(
      ({ name }) => !askNothing.includes(name) && !hasOwnStates.includes(name),
    )) {
      answer = 'failed'
      await show(page, screen)
      const retry = page.getByRole('main').getByRole('button', { name: 'Try again' })
      await retry.first().waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Details' }).first().click()
      await page.getByText('Request 0c7d').first().waitFor()
      await expectAccessible(page, `${screen.name} failed`)
      answer = 'late'
      // A table waits with rows of its own.
      const skeleton = page
        .locator('main .mantine-Skeleton-root, main [role=row][aria-busy]')
        .first()
      await retry.first().click()
      await skeleton.waitFor()
      await expectAccessible(page, `${screen.name} waiting`, data)
      answer = 'usual'
      for (const go of waiting.splice(0)) go()
      await rest(page)
      await retry.waitFor({ state: 'hidden' })
    }
    expect(faults.splice(0).every((fault) => fault.includes('500'))).toBe(true)
  },
  stretched(180_000),
)

test.each(languages)(
  'in %s: empty, without a match, without the right, gone, cut off',
  async (language) => {
    const account = await newAccount()
    const { page, context, faults } = await openApplication(
      browser(),
      '/home',
      { account, language },
      still,
    )
    const go = (path: string) => show(page, { name: path, path }, language)
    const says = async (key: string) => {
      // Of a text with a value, the part before it.
      await page.getByText(wordOf(language, key).split('{')[0]!).first().waitFor()
      await expectAccessibleInBothThemes(page, key)
    }
    await says('home.none')
    for (const [path, key] of [
      ['/events', 'events.empty'],
      ['/products', 'products.noCatalogs'],
      ['/notifications', 'notifications.none'],
      ['/settings/webhooks', 'webhooks.empty'],
      ['/settings/channels', 'channels.empty'],
      ['/settings/catalogs', 'catalogs.none'],
      ['/settings/roles', 'roles.none'],
      ['/settings/api-keys', 'api-keys.empty'],
      ['/nothing/of/this', 'shell.notFound'],
      ['/leads/999999999', 'shell.notFound'],
      ['/contacts/999999999', 'shell.notFound'],
      ['/companies/999999999', 'shell.notFound'],
      ['/customers/999999999', 'shell.notFound'],
    ] as const) {
      await go(path)
      await says(key)
    }
    // A lead that is gone is answered with 404, which Chromium reports.
    expect(faults.splice(0).every((fault) => fault.includes('404'))).toBe(true)
    await go('/settings/users')
    const search = page.getByRole('searchbox', { name: wordOf(language, 'users.search') })
    await search.fill('nobody of this name')
    await says('users.none')
    await context.setOffline(true)
    await says('shell.lost')
    faults.splice(0)
  },
)

test.each(languages)('in %s: an address without the right', async (language) => {
  const person = { language, is_admin: false, rights: {} }
  const { page } = await openApplication(browser(), '/settings/users', person, still)
  for (const path of [
    '/settings/users',
    '/leads/1',
    '/contacts/1',
    '/companies/1',
    '/customers/1',
  ]) {
    await show(page, { name: path, path }, language)
    await page.getByText(wordOf(language, 'ui.noRights')).waitFor()
    await expectAccessibleInBothThemes(page, `no rights at ${path}`)
  }
})
