// The board of a pipeline in a real browser: what it shows, how it scrolls and sorts, adding leads,
// coming back, phones, and the states in which something is missing or broken.
import { expect, onTestFinished, test } from 'vitest'
import { signIn } from '../session.ts'
import { newHome } from '../kontor.ts'
import { newAccount } from '../account.ts'
import { addLead, addLeads, readLead } from '../leads.ts'
import { freePort } from '../port.ts'
import { accessibilityFaults, openApplication, watch } from './application.ts'
import {
  card,
  cardIn,
  carry,
  column,
  columnHead,
  list,
  middleOf,
  openBoard,
  take,
  focused,
  scrolled,
  scrollerOf,
  scrollTo,
} from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, shortcut, type, untilFocused, walk } from './keys.ts'
import { press } from './press.ts'
import { resize } from './rest.ts'
import { languages, wordOf } from './screens.ts'

const browser = useBrowser()

const three: Record<string, [string, number?][]> = {
  New: [
    ['Pump order', 54_000],
    ['Roof tiles', 1200],
  ],
  Offer: [['Garden fence', 300]],
}

test('G and L lead to the board of the pipeline that was used last', async () => {
  const { page, account, pipeline } = await openBoard(browser(), { leads: three })
  await page.goto(`${account.kontor.url}/home`)
  await page.getByRole('heading', { name: 'Hello, Ann Lee' }).waitFor()
  await shortcut(page, 'KeyG', 'KeyL')
  await page.waitForURL(`**/leads/p/${pipeline}`)
  await card(page, 'Pump order').waitFor()
  await page.getByRole('button', { name: 'Pipeline: Another' }).click()
  await page.getByRole('menuitem', { name: 'Pipeline', exact: true }).click()
  await page.getByText('Add your first lead').waitFor()
  expect(await page.title()).toBe('Pipeline · Kontor')
})

test('a card says everything to a screen reader, and its list how long it is', async () => {
  const { page } = await openBoard(browser(), { leads: three })
  const pump = card(page, 'Pump order')
  await expect
    .poll(() => pump.getAttribute('aria-label'))
    .toMatch(/^Pump order, \$54,000, stage New, No task, The administrator$/)
  expect([
    await pump.getAttribute('aria-posinset'),
    await pump.getAttribute('aria-setsize'),
  ]).toEqual(['2', '2'])
  await expect.poll(() => page.locator('[data-card][tabindex="0"]').count()).toBe(1)
  await columnHead(page, 'New, 2 leads, \\$55,200$').waitFor()
})

test.each(['light', 'dark'] as const)(
  'axe finds nothing on the board in the %s theme',
  async (colorScheme) => {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const { page, account, leads } = await openBoard(browser(), {
        leads: three,
        browserOptions: { colorScheme, viewport },
      })
      const late = Math.floor(Date.now() / 1000) - 200_000
      await account.api.post('/api/v4/tasks', [
        { text: 'Call', complete_till: late, entity_type: 'leads', entity_id: leads['Pump order'] },
      ])
      await account.api.patch('/api/v4/leads', [
        {
          id: leads['Pump order'],
          _embedded: { tags: [{ name: 'vip' }, { name: 'spring sale' }] },
        },
      ])
      await card(page, 'Pump order').getByText('−2 d').waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
    }
  },
)

test('an order is chosen, stays in the address, and places a lead that changes', async () => {
  const { page, account, leads } = await openBoard(browser(), { leads: three })
  const names = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('[role="list"][aria-label="New"] [role="listitem"]')].map((each) => each.getAttribute('aria-label').split(',')[0])`,
    )
  expect(await names()).toEqual(['Roof tiles', 'Pump order'])
  await page.getByRole('button', { name: 'Sort: next task' }).click()
  await page.getByRole('menuitemradio', { name: 'price' }).click()
  await page.waitForURL('**?sort=price')
  await expect.poll(names).toEqual(['Pump order', 'Roof tiles'])
  await account.api.patch(`/api/v4/leads/${leads['Roof tiles']}`, { price: 90_000 })
  await expect.poll(names).toEqual(['Roof tiles', 'Pump order'])
  await page.reload()
  await expect.poll(names).toEqual(['Roof tiles', 'Pump order'])
})

test('a filter of the interface in the address is the filter of the board', async () => {
  const { page } = await openBoard(browser(), {
    leads: three,
    search: '?filter[price][from]=1000&sort=price',
  })
  await columnHead(page, 'New, 2 leads').waitFor()
  await columnHead(page, 'Offer, 0 leads').waitFor()
  await page.getByText('No leads in this stage').first().waitFor()
  await page.goto(page.url().replace('from]=1000', 'from]=99999999'))
  await page.getByText('Nothing matches the filter').waitFor()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await card(page, 'Garden fence').waitFor()
  expect(new URL(page.url()).search).toBe('?sort=price')
})

test('a lead is added in a column by keys, and the next one can be typed', async () => {
  const { page, account, at } = await openBoard(browser(), { leads: three })
  await page.getByRole('button', { name: 'New lead' }).click()
  const form = page.getByRole('form', { name: 'New lead in this stage' })
  const field = (name: string) => form.getByRole('textbox', { name })
  await field('Lead').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await type(field('Lead'), 'Twelve windows')
  await walk(page, 'Tab')
  await type(field('Contact'), 'Ivan Petrov')
  await walk(page, 'Tab')
  await type(field('Phone'), '+7 900 111 22 33')
  await walk(page, 'Tab')
  await type(field('Price'), '4200')
  await keys(field('Price'), 'Enter')
  await cardIn(page, 'New', 'Twelve windows').waitFor()
  await columnHead(page, 'New, 3 leads, .*59,400').waitFor()
  await type(field('Lead'), 'A door')
  await keys(field('Lead'), 'Enter')
  await cardIn(page, 'New', 'A door').waitFor()
  await keys(field('Lead'), 'Escape')
  await form.waitFor({ state: 'detached' })
  // The board shows a card before the server has answered.
  type Lead = { price: number; status_id: number; _embedded: { contacts: object[] } }
  const found = async () => {
    const { body } = await account.api.get('/api/v4/leads?query=Twelve&with=contacts')
    const leads = body._embedded.leads as Lead[]
    return leads.map(({ price, status_id, _embedded }) => [
      price,
      status_id,
      _embedded.contacts.length,
    ])
  }
  await expect.poll(found).toEqual([[4200, at['New'], 1]])
})

test('a change of one lead draws one card', async () => {
  const { page, account, leads } = await openBoard(browser(), { leads: three })
  await page.evaluate('globalThis.drawnCards = new Map()')
  await account.api.patch(`/api/v4/leads/${leads['Pump order']}`, { price: 55_000 })
  await card(page, 'Pump order').getByText('$55,000').waitFor()
  await columnHead(page, 'New, 2 leads, .*56,200').waitFor()
  expect(await page.evaluate('[...drawnCards]')).toEqual([[leads['Pump order'], 1]])
})

test('back from a lead, the board is where it was, and has the focus on the card', async () => {
  const many: [string, number?][] = Array.from({ length: 80 }, (_, at) => [`Lead ${at}`])
  const { page } = await openBoard(browser(), { leads: { New: many } })
  await scrollTo(page, 'New', 3000)
  await card(page, 'Lead 45').focus()
  const before = await scrolled(page, 'New')
  await keys(card(page, 'Lead 45'), 'Enter')
  await page.getByRole('heading', { name: 'Lead 45' }).waitFor()
  await page.goBack()
  await card(page, 'Lead 45').waitFor()
  expect(await scrolled(page, 'New')).toBe(before)
  await expect.poll(() => focused(page)).toContain('Lead 45')
})

test('a press lands on a card although its column still scrolls', async () => {
  const many: [string, number?][] = Array.from({ length: 80 }, (_, at) => [`Lead ${at}`])
  const { page } = await openBoard(browser(), { leads: { New: many } })
  await scrollTo(page, 'New', 600)
  const { x, y } = await middleOf(list(page, 'New').locator('..'))
  await page.mouse.move(x, y)
  const pressed = page.evaluate(`new Promise((resolve) => {
    let pixels = 0
    const scroller = ${scrollerOf('New')}
    const step = () => {
      scroller.scrollBy(0, 1)
      if (++pixels === 30) resolve(document.elementFromPoint(${x}, ${y}).getAttribute('role'))
      else requestAnimationFrame(step)
    }
    step()
  })`)
  expect(await pressed).not.toBe('list')
})

test('a long column is asked for in windows as it is scrolled, and its end can be reached', async () => {
  const { page, account, pipeline, at } = await openBoard(browser())
  for (let part = 0; part < 4; part++)
    await addLeads(
      account.api,
      Array.from({ length: 250 }, (_, index) => ({
        name: `Lead ${part * 250 + index}`,
        pipeline_id: pipeline,
        status_id: at['New'],
      })),
    )
  await page.reload()
  await columnHead(page, 'New, 1,000 leads').waitFor()
  await card(page, 'Lead 999').focus()
  await keys(card(page, 'Lead 999'), 'End')
  await card(page, 'Lead 0').waitFor()
  await keys(card(page, 'Lead 999'), 'End')
  await expect.poll(() => focused(page)).toMatch(/^Lead 0,/)
  await expect.poll(() => page.locator('[data-card]').count()).toBeLessThan(60)
})

test('a window that fails says so in its column alone, and comes on another try', async () => {
  const many: [string, number?][] = Array.from({ length: 90 }, (_, at) => [`Lead ${at}`])
  const { page, faults } = await openBoard(browser(), {
    leads: { New: many, Offer: [['Fence', 1]] },
  })
  await page.route('**/board/column**', (route) =>
    route.fulfill({
      status: 500,
      contentType: 'application/problem+json',
      body: '{"detail":"Broken"}',
    }),
  )
  await scrollTo(page, 'New', 6000)
  await column(page, 'New').getByRole('alert').getByText('Broken').waitFor()
  await card(page, 'Fence').waitFor()
  await page.unroute('**/board/column**')
  await column(page, 'New').getByRole('button', { name: 'Try again' }).click()
  await card(page, 'Lead 25').waitFor()
  expect(faults.splice(0).join()).toContain('500')
})

test('a board that cannot be loaded, and a user without the right, are told apart', async () => {
  const account = await newAccount()
  const denied = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' }
  const { page } = await openBoard(browser(), {
    account,
    person: { is_admin: false, rights: { leads: denied } },
  })
  await page.getByText('You have no access to this').waitFor()
  const { page: other, faults } = await openApplication(browser(), '/leads/p/1', { account })
  await other.getByText('Nothing is here').waitFor()
  expect(faults.splice(0)).toEqual([])
})

test('columns get wider and narrower by mouse and by keys, for good', async () => {
  const { page } = await openBoard(browser(), { leads: three })
  const width = async () => (await column(page, 'New').boundingBox())!.width
  const edge = column(page, 'Offer').getByRole('separator', { name: 'Width of the columns' })
  const ownEdge = column(page, 'New').getByRole('separator')
  expect(await width()).toBe(272)
  const { x, y } = await middleOf(edge)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 60, y, { steps: 3 })
  await expect.poll(width).toBe(302)
  await page.mouse.up()
  await expect.poll(() => edge.getAttribute('aria-valuenow')).toBe('302')
  await page.reload()
  await card(page, 'Pump order').waitFor()
  expect(await width()).toBe(302)
  await columnHead(page, 'New, 2 leads').focus()
  await walk(page, 'Tab')
  await expect.poll(() => focused(page)).toBe('Width of the columns')
  for (const [key, wide] of [
    ['ArrowRight', 318],
    ['End', 400],
    ['ArrowRight', 400],
    ['Home', 224],
    ['ArrowLeft', 224],
  ] as const) {
    await keys(ownEdge, key)
    await expect.poll(width).toBe(wide)
  }
  expect(await accessibilityFaults(page)).toEqual([])
  await ownEdge.dblclick()
  await expect.poll(width).toBe(272)
})

test.each([
  ['a Latin', false],
  ['a Russian', true],
] as const)('every key of the sheet works on %s keyboard', async (_name, isRussian) => {
  const { page } = await openBoard(browser(), { leads: three })
  const at = (text: string) => expect.poll(() => focused(page)).toContain(text)
  const selected = (count: number) =>
    expect.poll(() => page.locator('[data-card][data-selected]').count()).toBe(count)
  const dialog = async (name: RegExp) => {
    await keys(page.getByRole('dialog', { name }), 'Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await card(page, 'Roof tiles').focus()
  }
  const collapsed = (count: number) =>
    expect.poll(() => page.locator('[data-column][data-collapsed]').count()).toBe(count)
  const filter = page.getByRole('combobox', { name: 'Filter' })
  /** The keys by their texts, and what they do, one after the other. */
  const steps: [text: string, pressed: string, does: () => Promise<unknown>][] = [
    ['Go to New', '1', () => at('Roof tiles')],
    ['Next card', 'j', () => at('Pump order')],
    ['Previous card', 'k', () => at('Roof tiles')],
    ['Stage to the right', 'l', () => at('Garden fence')],
    ['Stage to the left', 'h', () => at('Roof tiles')],
    ['Go to Offer', '2', () => at('Garden fence')],
    ['Go to Contract', '3', () => at('Contract')],
    ['Select the card', '1 x', () => selected(1)],
    ['Select up to the card', 'j shift+x', () => selected(2)],
    ['Select all loaded cards', 'mod+a', () => selected(3)],
    ['Move to…', 'Escape 1 m', () => dialog(/^Move/)],
    ['Assign to…', 'a', () => dialog(/^Assign|responsible/)],
    ['Tags…', '#', () => dialog(/[Tt]ag/)],
    ['Add a task', 't', () => dialog(/[Tt]ask/)],
    ['Close as lost', 'shift+w', () => dialog(/^Why was/)],
    ['Close as won', 'w', () => card(page, 'Roof tiles').waitFor({ state: 'detached' })],
    ['Undo the last action', 'mod+z', () => card(page, 'Roof tiles').waitFor()],
    ['Collapse the stage', '1 shift+c', () => collapsed(1)],
    ['Collapse the stage', 'shift+c', () => collapsed(0)],
    [
      'Show the list',
      'v',
      async () => {
        await page.getByRole('grid').getByText('Roof tiles').waitFor()
        await press(page, 'v', isRussian)
        await card(page, 'Roof tiles').focus()
      },
    ],
    ['Search or filter', '/', () => untilFocused(filter)],
  ]
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await card(page, 'Roof tiles').focus()
  await press(page, 'j', isRussian)
  await press(page, '?', isRussian)
  const ofBoard = sheet.getByRole('region', { name: 'Board', exact: true })
  await ofBoard.waitFor()
  const named = new Set(await ofBoard.locator('p').allInnerTexts())
  const others = ['New lead', 'Open the lead', 'Accept the request', 'Decline the request']
  const everywhere = ['Undo the last action']
  expect([...named].filter((text) => !others.includes(text)).toSorted()).toEqual(
    [...new Set(steps.map(([text]) => text))]
      .filter((text) => !everywhere.includes(text))
      .toSorted(),
  )
  for (const text of everywhere)
    await sheet.getByRole('region', { name: 'Everywhere' }).getByText(text).waitFor()
  await keys(sheet, 'Escape')
  await sheet.waitFor({ state: 'detached' })
  for (const [, pressed, does] of steps) {
    await press(page, pressed, isRussian)
    await does()
  }
  await keys(filter, 'Escape')
  await card(page, 'Roof tiles').focus()
  await press(page, 'c l', isRussian)
  await keys(page.getByRole('form', { name: 'New lead in this stage' }), 'Escape')
  await card(page, 'Roof tiles').focus()
  await press(page, 'o', isRussian)
  await page.getByRole('heading', { name: 'Roof tiles' }).waitFor()
})

test('switched off, the letters of the board rest, and arrows go on', async () => {
  const { page } = await openBoard(browser(), { leads: three })
  await page.evaluate(`fetch('/web/v1/preferences', {
    method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"shortcuts":false}' })`)
  await page.reload()
  await card(page, 'Roof tiles').focus()
  for (const key of ['m', 'j', 'w', 'x']) await press(page, key, false)
  await keys(card(page, 'Roof tiles'), 'ArrowDown')
  await expect.poll(() => focused(page)).toContain('Pump order')
  await keys(card(page, 'Pump order'), 'Control+a')
  await expect.poll(() => page.locator('[data-card][data-selected]').count()).toBe(3)
  await cardIn(page, 'New', 'Roof tiles').waitFor()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
})

test('a new lead is typed in a column that is shown: on a phone its stage, else the first open one', async () => {
  const { page } = await openBoard(browser(), {
    leads: three,
    browserOptions: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  })
  const form = page.getByRole('form', { name: 'New lead in this stage' })
  const create = async () => {
    await page.getByRole('banner').getByRole('button', { name: 'Create' }).click()
    await page.getByRole('menuitem', { name: 'Lead' }).click()
    await type(form.getByRole('textbox', { name: 'Lead' }), 'A gate')
    await keys(form.getByRole('textbox', { name: 'Lead' }), 'Escape')
    await form.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: /^Offer/, pressed: false }).tap()
  await card(page, 'Garden fence').waitFor()
  await create()
  await card(page, 'Garden fence').waitFor()
  await page.getByRole('button', { name: /^Incoming leads/ }).tap()
  await card(page, 'Garden fence').waitFor({ state: 'detached' })
  await create()
  await card(page, 'Roof tiles').waitFor()

  await page.setViewportSize({ width: 1440, height: 900 })
  await card(page, 'Roof tiles').focus()
  await keys(card(page, 'Roof tiles'), 'Shift+KeyC')
  await card(page, 'Roof tiles').waitFor({ state: 'detached' })
  await create()
  await card(page, 'Roof tiles').waitFor({ state: 'detached' })
})

test('on a phone one stage is shown, a finger moves a lead by the menu of its card', async () => {
  const { page, account, at, leads } = await openBoard(browser(), {
    leads: three,
    browserOptions: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  })
  await expect.poll(() => card(page, 'Garden fence').count()).toBe(0)
  await page.getByRole('button', { name: 'Actions: Pump order' }).tap()
  await page.getByRole('menuitem', { name: 'Move to…' }).tap()
  await page.getByRole('option', { name: 'Offer' }).tap()
  await card(page, 'Pump order').waitFor({ state: 'detached' })
  await expect
    .poll(async () => (await readLead(account.api, leads['Pump order']!)).status_id)
    .toBe(at['Offer'])
  await page.getByRole('button', { name: /^Offer/, pressed: false }).tap()
  await cardIn(page, 'Offer', 'Pump order').waitFor()
  // A finger that rests opens the same menu.
  const { x, y } = (await card(page, 'Garden fence').boundingBox())!
  const touch = await page.context().newCDPSession(page)
  const touchPoints = [{ x: x + 60, y: y + 30 }]
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await page.getByRole('menuitem', { name: 'Close as won' }).waitFor()
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  // It stays when the finger is lifted.
  await keys(page.getByRole('menu'), 'Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  await card(page, 'Pump order').tap()
  await page.getByRole('heading', { name: 'Pump order' }).waitFor()
})

test.each(languages)(
  'where there is little room, the tools of a board take one row, by their names, in %s',
  async (language) => {
    const { page } = await openBoard(browser(), { leads: three, person: { language } })
    const tools = [
      page.getByRole('search'),
      page.getByRole('button', { name: wordOf(language, 'board.look'), exact: true }),
      page.getByRole('button', {
        name: wordOf(language, 'board.sortedBy').replace(
          '{sort}',
          wordOf(language, 'board.sorts.task'),
        ),
        exact: true,
      }),
      page.getByRole('button', { name: wordOf(language, 'views.title'), exact: true }),
    ]
    const steps = page.getByRole('region', { name: wordOf(language, 'checklist.title') })
    await steps.waitFor()
    // Three phones, one of them on its side, and a usual window at 200 %.
    for (const [width, height] of [
      [390, 844],
      [320, 640],
      [844, 390],
      [720, 450],
    ] as const) {
      await resize(page, width, height)
      const boxes = await Promise.all(tools.map(async (tool) => (await tool.boundingBox())!))
      const right = Math.max(...boxes.map((box) => box.x + box.width))
      expect(right, `${width} by ${height}`).toBeLessThanOrEqual(width)
      const middles = boxes.map((box) => box.y + box.height / 2)
      const spread = Math.max(...middles) - Math.min(...middles)
      expect(spread, `${width} by ${height}`).toBeLessThan(10)
      expect(Math.max(...boxes.map((box) => box.height))).toBeLessThanOrEqual(44)
      await steps.waitFor({ state: 'detached' })
      expect((await column(page, 'New').boundingBox())!.y).toBeLessThan(170)
    }
    await tools[2]!.click()
    await page.getByRole('menu').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
  },
)

// Two starts of a server, the first with its demo.
test(
  'a lead that is dropped while the server is down goes where it was dropped once it is back',
  { timeout: 150_000 },
  async () => {
    const home = await newHome({ PORT: String(await freePort()) })
    onTestFinished(() => home.close())
    let running = await home.start()
    const found = (name: string) => new RegExp(`${name}\\s+(\\S+)`).exec(running.said())![1]!
    const credentials = { email: found('E-mail'), password: found('Password') }
    const { cookie, api } = await signIn(running, credentials)
    const context = await browser().newContext({ viewport: { width: 1440, height: 900 } })
    onTestFinished(() => context.close())
    const [name, value] = cookie.split('=', 2)
    await context.addCookies([{ name: name!, value: value!, url: running.url }])
    const page = await context.newPage()
    const faults = watch(page)
    const id = await addLead(api, { name: 'Survives the night' })
    await page.goto(`${running.url}/leads`)
    const stage = (await api.get('/web/v1/bootstrap')).body.pipelines[0].statuses[2]
    await take(page, card(page, 'Survives the night'))
    await carry(page, column(page, stage.name))
    process.kill(running.server, 'SIGKILL')
    await running.ended
    await page.mouse.up()
    await cardIn(page, stage.name, 'Survives the night').waitFor()
    running = await home.start()
    const { api: again } = await signIn(running, credentials)
    await expect
      .poll(async () => (await readLead(again, id)).status_id, { timeout: 40_000 })
      .toBe(stage.id)
    await cardIn(page, stage.name, 'Survives the night').waitFor()
    expect(faults.filter((fault) => !/ERR_|failed/.test(fault))).toEqual([])
    // Nothing waits any more, and nothing is asked.
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
  },
)
