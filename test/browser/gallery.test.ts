// Every component in every state, on the one page that has them all (`/developers/ui`): its look is that of the tokens and of nothing else, and axe finds
// nothing in any theme and density.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { useBrowser } from './chromium.ts'
import { keys } from './keys.ts'
import { rest } from './rest.ts'

const browser = useBrowser()

async function openGallery() {
  const account = await newAccount({ hasGallery: true })
  const opened = await openApplication(
    browser(),
    '/developers/ui',
    { account },
    { reducedMotion: 'reduce' },
  )
  await opened.page.getByRole('heading', { name: 'Components' }).waitFor()
  return opened.page
}

const themes = ['light', 'dark'] as const
const densities = ['compact', 'normal', 'roomy']

const beDense = (page: Page, density: string) =>
  page.evaluate(`document.documentElement.dataset.density = '${density}'`)

test('axe finds nothing in any theme and density', async () => {
  const page = await openGallery()
  const faults: string[] = []
  for (const colorScheme of themes)
    for (const density of densities) {
      await page.emulateMedia({ colorScheme })
      await beDense(page, density)
      faults.push(...(await accessibilityFaults(page)).map((f) => `${colorScheme} ${density} ${f}`))
    }
  expect(faults).toEqual([])
})

/** Parts that open over the page: the button of the gallery, and the part that it opens. */
const overlays = [
  ['Dialog', 'dialog'],
  ['Confirm', 'dialog'],
  ['Menu', 'menu'],
  ['Toast', 'alert'],
  ['Failure toast', 'alert'],
] as const

const openOverlay = async (page: Page, [name, role]: (typeof overlays)[number]) => {
  await page.getByRole('main').getByRole('button', { name, exact: true }).click()
  await page.getByRole(role).last().waitFor()
}

test.each(themes)('axe finds nothing in what opens over the page: %s', async (colorScheme) => {
  const page = await openGallery()
  await page.emulateMedia({ colorScheme })
  for (const overlay of overlays) {
    await openOverlay(page, overlay)
    expect(await accessibilityFaults(page), overlay[0]).toEqual([])
    if (overlay[1] === 'alert') continue
    await keys(page.getByRole(overlay[1]), 'Escape')
    await page.getByRole(overlay[1]).waitFor({ state: 'hidden' })
  }
})

/** The look of every visible element: each value with the elements that have it. */
const looks = (page: Page) =>
  page.evaluate<Record<string, Record<string, string>>>(`(() => {
    const found = { colour: {}, radius: {}, shadow: {}, font: {}, size: {} }
    const note = (group, value, each, property) => {
      found[group][value] ??= property + ' of ' + each.outerHTML.slice(0, 120)
    }
    for (const each of document.querySelectorAll('body, body *')) {
      const { width, height } = each.getBoundingClientRect()
      if (!each.checkVisibility({ visibilityProperty: true }) || !width || !height || each.closest('svg')) continue
      const hasText = [...each.childNodes].some((node) => node.nodeType === 3) || 'value' in each
      for (const pseudo of [undefined, '::before', '::after']) {
        const style = getComputedStyle(each, pseudo)
        if (pseudo && (style.content === 'none' || style.content === 'normal')) continue
        if (hasText && !['checkbox', 'radio'].includes(each.type)) {
          note('colour', style.color, each, 'color')
          note('font', style.fontFamily, each, 'font')
          note('size', style.fontSize, each, 'size')
        }
        note('colour', style.backgroundColor, each, 'background')
        for (const side of ['Top', 'Right', 'Bottom', 'Left'])
          if (style['border' + side + 'Style'] !== 'none' && style['border' + side + 'Width'] !== '0px')
            note('colour', style['border' + side + 'Color'], each, 'border')
        for (const corner of ['TopLeft', 'TopRight', 'BottomLeft', 'BottomRight']) {
          const radius = style['border' + corner + 'Radius']
          // Round ends are a shape of their own: avatars, switches, progress.
          note('radius', parseFloat(radius) >= Math.min(width, height) / 2 - 1 ? '50%' : radius, each, 'radius')
        }
        note('shadow', style.boxShadow, each, 'shadow')
      }
    }
    return found
  })()`)

const tokens = readFileSync(new URL('../../web/ui/tokens.css', import.meta.url), 'utf8')
const namesOf = (pattern: RegExp) => [...tokens.matchAll(pattern)].map(([, name]) => name!)
const colourTokens = namesOf(/^\s+--([\w-]+): (?:light-dark\((?:#|rgb)|#|rgb)/gm)
const fontTokens = ['font', 'font-mono']
const shadowTokens = ['shadow-popover', 'shadow-dialog']
const radiusTokens = ['radius-small', 'radius', 'radius-large']

/** The tokens as the browser computes them in the present theme. */
const computed = (page: Page, names: string[], property: string) =>
  page.evaluate<string[]>(`(() => {
    const probe = document.body.appendChild(document.createElement('div'))
    const values = ${JSON.stringify(names)}.map((name) => {
      probe.style.setProperty('${property}', 'var(--' + name + ')')
      return getComputedStyle(probe).getPropertyValue('${property}')
    })
    probe.remove()
    return values
  })()`)

test.each(themes)('all colours, radii, shadows and fonts are of the tokens: %s', async (scheme) => {
  const page = await openGallery()
  await page.emulateMedia({ colorScheme: scheme })
  await openOverlay(page, ['Failure toast', 'alert'])
  const allowed = {
    colour: ['rgba(0, 0, 0, 0)', ...(await computed(page, colourTokens, 'color'))],
    radius: ['0px', '50%', ...(await computed(page, radiusTokens, 'border-top-left-radius'))],
    shadow: ['none', ...(await computed(page, shadowTokens, 'box-shadow'))],
    font: await computed(page, fontTokens, 'font-family'),
    size: ['11px', '12px', '13px', '14px', '16px', '20px', '28px'],
  }
  expect(allowed.colour.length).toBeGreaterThan(30)
  const faults = new Set<string>()
  for (const overlay of [undefined, ...overlays.slice(0, 3)]) {
    if (overlay) await openOverlay(page, overlay)
    await rest(page)
    const found = await looks(page)
    for (const [group, values] of Object.entries(found))
      for (const [value, where] of Object.entries(values))
        if (!allowed[group as keyof typeof allowed].includes(value))
          faults.add(`${group} ${value}: ${where}`)
    if (overlay) {
      await keys(page.getByRole(overlay[1]), 'Escape')
      await page.getByRole(overlay[1]).waitFor({ state: 'hidden' })
    }
  }
  expect([...faults]).toEqual([])
})
