// The filter cookbook in a real browser: there in light and dark, on wide screens and narrow ones, without scripts and without asking anybody.
import type { BrowserContext, Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { cookbook } from '../../server/features/programs/developers/cookbook.ts'
import { server } from '../server.ts'
import { useBrowser } from './chromium.ts'

const browser = useBrowser()
const recipes = cookbook.flatMap((chapter) => chapter.recipes)

/** The colors of a part's text and of what is behind it, as three numbers each. */
const colors = (page: Page, part: string) =>
  page.evaluate<number[][]>(`(() => {
    const node = document.querySelector(${JSON.stringify(part)})
    let behind = node
    while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)' && behind.parentElement) behind = behind.parentElement
    return [getComputedStyle(node).color, getComputedStyle(behind).backgroundColor].map((color) => color.match(/\\d+/g).slice(0, 3).map(Number))
  })()`)

/** Contrast of two colors as WCAG 2 defines it. */
function contrast([one, other]: number[][]): number {
  const lights = [one!, other!].map((color) => {
    const [red, green, blue] = color.map((part) =>
      part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  })
  return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05)
}

async function open(
  options: Parameters<ReturnType<typeof browser>['newContext']>[0],
): Promise<{ page: Page; context: BrowserContext; requests: string[] }> {
  const context = await browser().newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  return { page, context, requests }
}

for (const colorScheme of ['light', 'dark'] as const)
  for (const pixels of [360, 1280])
    test(`the cookbook is there, ${colorScheme}, on ${pixels} pixels`, async () => {
      const { kontor } = await server()
      const { page, requests } = await open({
        colorScheme,
        viewport: { width: pixels, height: 800 },
      })
      await page.goto(`${kontor.url}/developers/filters`)
      await expect.poll(() => page.locator('dt').count()).toBe(recipes.length)
      await expect
        .poll(() => page.locator('dd').allInnerTexts())
        .toEqual(recipes.map(({ list, query }) => `GET /api/v4/${list}?${query}`))
      const width = (of: string) => page.evaluate<number>(`document.documentElement.${of}`)
      expect(await width('scrollWidth')).toBe(await width('clientWidth'))
      const [, ground] = await colors(page, 'main')
      expect(ground!.every((part) => (colorScheme === 'dark' ? part < 80 : part > 200))).toBe(true)
      for (const part of ['dt', 'dd code', 'h2', 'p', 'pre code', 'nav a[href="/developers"]'])
        expect([part, contrast(await colors(page, part)) >= 4.5]).toEqual([part, true])
      expect(
        requests.filter((url) => !url.startsWith(kontor.url) && !url.startsWith('data:')),
      ).toEqual([])
    })

test('the reference leads to the cookbook and back, and is dark where the browser is', async () => {
  const { kontor } = await server()
  const { page, requests } = await open({
    colorScheme: 'dark',
    viewport: { width: 360, height: 800 },
  })
  await page.goto(`${kontor.url}/developers`)
  await page.locator('.opblock').first().waitFor()
  for (const part of ['.info .title', '.opblock-summary-path', 'nav a[href="/developers/filters"]'])
    expect([part, contrast(await colors(page, part)) >= 4.5]).toEqual([part, true])
  await page.getByRole('link', { name: 'Filter cookbook' }).click()
  await page.getByRole('heading', { name: 'Filter cookbook' }).waitFor()
  await page.getByRole('link', { name: 'Custom fields' }).click()
  expect(new URL(page.url()).hash).toBe('#custom-fields')
  await page.getByRole('link', { name: 'Reference' }).click()
  await page.locator('.opblock').first().waitFor()
  expect(requests.filter((url) => !url.startsWith(kontor.url) && !url.startsWith('data:'))).toEqual(
    [],
  )
})
