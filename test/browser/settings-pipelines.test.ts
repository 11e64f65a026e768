// Pipelines in settings: stages are shaped in place while colleagues look at their boards.
import sql from 'sql-template-tag'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { addLead, addPipeline, mainPipeline, readLead } from '../leads.ts'
import { addField } from '../fields.ts'
import { ordinaryIn, statusesOf } from '../pipelines.ts'
import { accessibilityFaults, openApplication } from './application.ts'
import { drag } from './board.ts'
import { useBrowser } from './chromium.ts'
import { keys, untilFocused } from './keys.ts'
import { resize, rest } from './rest.ts'

const browser = useBrowser()

const stageIn = (page: Page, id: number) => page.locator(`[data-stage="${id}"]`)
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

/** A pipeline with the stages First, Second and Third, and a page that shows it. */
async function openPipeline(options?: Parameters<typeof openApplication>[3]) {
  const account = await newAccount()
  const pipeline = await addPipeline(account)
  const opened = await openApplication(
    browser(),
    `/settings/pipelines/${pipeline.id}`,
    { account },
    options,
  )
  return { ...opened, pipeline }
}

const statusOf = async ({ api }: TestAccount, pipeline: number, id: number) =>
  (await api.get(`${statusesOf(pipeline)}/${id}?with=descriptions`)).body

const namesOf = async (account: TestAccount, pipeline: number) =>
  (await ordinaryIn(account.api, pipeline)).map((each) => each.split(' ')[0])

test('a stage is changed member by member, and moved by the mouse', async () => {
  const { page, account, pipeline } = await openPipeline()
  const [first, , third] = pipeline.statuses
  const { id: area } = await addField(account, 'leads', { name: 'Area', type: 'text' })
  await stageIn(page, first).click()
  const region = panel(page, 'First')
  await field(page, 'Name').first().fill('Call')
  await field(page, 'Name').first().blur()
  await expect.poll(async () => (await statusOf(account, pipeline.id, first)).name).toBe('Call')
  await panel(page, 'Call').getByRole('radio', { name: 'Mint' }).click()
  await expect.poll(async () => (await statusOf(account, pipeline.id, first)).color).toBe('#87f2c0')
  await field(page, 'For beginners').fill('Ring within an hour')
  await field(page, 'For beginners').blur()
  const texts = async () =>
    (await statusOf(account, pipeline.id, first)).descriptions.map(
      (each: { level: string; description: string }) => [each.level, each.description],
    )
  await expect.poll(texts).toEqual([['newbie', 'Ring within an hour']])
  // The page has to have heard the answer: to it an empty text would be no change.
  await rest(page)
  await field(page, 'For beginners').fill('')
  await field(page, 'For beginners').blur()
  await expect.poll(texts).toEqual([])
  await page.getByRole('combobox', { name: 'Required fields' }).click()
  await page.getByRole('option', { name: 'Area' }).click()
  const required = async () =>
    (await account.api.get(`/api/v4/leads/custom_fields/${area}`)).body.required_statuses
  await expect.poll(required).toEqual([{ pipeline_id: pipeline.id, status_id: first }])
  await expect.poll(() => region.count()).toBe(0)
  // An empty name is not sent.
  await field(page, 'Name').first().fill(' ')
  await field(page, 'Name').first().blur()
  await page.getByText('Enter a name').waitFor()
  await field(page, 'Name').first().focus()
  await keys(field(page, 'Name').first(), 'Escape')

  await stageIn(page, first).scrollIntoViewIfNeeded()
  await drag(page, stageIn(page, third), stageIn(page, first))
  await expect.poll(() => namesOf(account, pipeline.id)).not.toEqual(['Call', 'Second', 'Third'])
  await page.getByRole('button', { name: 'Add a stage after “Call”' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Visit')
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await panel(page, 'Visit').waitFor()
  // An open stage has an address.
  await page.reload()
  await panel(page, 'Visit').waitFor()
  await page.goBack()
  await panel(page, 'Call').waitFor()
  await expect
    .poll(async () => {
      const names = await namesOf(account, pipeline.id)
      return names.indexOf('Visit') - names.indexOf('Call')
    })
    .toBe(1)
})

test('by keys alone, a stage moves, goes with its leads to another one, and comes back', async () => {
  const { page, account, pipeline } = await openPipeline()
  const [first, second, third] = pipeline.statuses
  const lead = await addLead(account.api, { pipeline_id: pipeline.id, status_id: second })
  const { page: other } = await openApplication(browser(), `/leads/p/${pipeline.id}`, { account })
  await stageIn(page, first).focus()
  await keys(stageIn(page, first), 'ArrowRight')
  await keys(stageIn(page, second), 'Alt+ArrowLeft')
  await page.getByText('“Second” is now stage 1 of 3').waitFor()
  await expect.poll(() => namesOf(account, pipeline.id)).toEqual(['Second', 'First', 'Third'])
  await untilFocused(stageIn(page, second))
  await keys(stageIn(page, second), 'Delete')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Its lead moves to another stage').waitFor()
  await dialog.getByRole('combobox').click()
  await page.getByRole('option', { name: 'Third' }).click()
  await dialog.getByRole('button', { name: 'Delete stage' }).click()
  await page.getByText('Stage “Second” deleted. Leads moved to “Third”: 1').waitFor()
  expect((await readLead(account.api, lead)).status_id).toBe(third)
  await expect.poll(() => stageIn(page, second).count()).toBe(0)
  // A colleague's board loses the column, and shows the lead in the other one.
  await expect.poll(() => other.getByRole('region', { name: 'Second' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Stage “Second” is back. Leads moved back: 1').waitFor()
  await stageIn(page, second).waitFor()
  expect((await readLead(account.api, lead)).status_id).toBe(second)
  await expect.poll(() => other.getByRole('region', { name: 'Second' }).count()).toBeGreaterThan(0)
})

test('of two administrators who rename a stage, the later is asked whose name stays', async () => {
  const { page, account, pipeline } = await openPipeline()
  const [first] = pipeline.statuses
  await stageIn(page, first).click()
  await field(page, 'Name').first().fill('Mine')
  await account.api.patch(`${statusesOf(pipeline.id)}/${first}`, { name: 'Theirs' })
  await stageIn(page, first).getByText('Theirs').waitFor()
  await field(page, 'Name').first().blur()
  await page.getByText('Somebody changed this to “Theirs”').waitFor()
  expect((await statusOf(account, pipeline.id, first)).name).toBe('Theirs')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(async () => (await statusOf(account, pipeline.id, first)).name).toBe('Mine')
})

test('a pipeline is made, copied, archived and brought back; one with leads offers to move them', async () => {
  const { page, account } = await openApplication(browser(), '/settings/pipelines')
  const main = await mainPipeline(account)
  await account.api.patch(`/api/v4/leads/pipelines/${main.id}/statuses/142`, { name: 'Sold' })
  await page.reload()
  await page.getByText('1 of 50.').waitFor()
  await page.getByRole('button', { name: 'New pipeline' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New pipeline' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Service')
  await dialog.getByRole('button', { name: 'New pipeline' }).click()
  await page.getByRole('heading', { name: 'Service', level: 1 }).waitFor()
  // The stages of every pipeline are called as in the main one.
  const service = Number(new URL(page.url()).pathname.split('/').at(-1))
  const stages = (await account.api.get(`/api/v4/leads/pipelines/${service}`)).body._embedded
  expect(stages.statuses.map(({ name }: { name: string }) => name)).toEqual([
    'Incoming leads',
    'First contact',
    'Sold',
    'Closed - lost',
  ])
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('heading', { name: 'Service (copy)', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Archive' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await page.getByText('This pipeline is archived').waitFor()
  await page.getByRole('button', { name: 'Bring back' }).click()
  await page.getByText('This pipeline is archived').waitFor({ state: 'hidden' })
  const id = Number(new URL(page.url()).pathname.split('/').at(-1))
  const lead = await addLead(account.api, { pipeline_id: id })
  await page.getByText('1 lead', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('This pipeline has a lead, so it cannot be deleted').waitFor()
  await page.getByRole('dialog').getByRole('combobox').click()
  await page.getByRole('option').first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move leads' }).click()
  await page.getByText('Moved: 1').waitFor()
  await expect.poll(async () => (await readLead(account.api, lead)).pipeline_id).toBe(main.id)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('This cannot be undone').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 of 50.').waitFor()
})

test('a lead that stays in its stage too long is marked on the board', async () => {
  const account = await newAccount()
  const { id, statuses } = await addPipeline(account)
  await account.api.patch(`/web/v1/pipelines/${id}/statuses/${statuses[0]}`, {
    stale_after_days: 3,
  })
  const lead = await addLead(account.api, { name: 'Old', pipeline_id: id, status_id: statuses[0] })
  await addLead(account.api, { name: 'Fresh', pipeline_id: id, status_id: statuses[0] })
  await account.kontor.database.transaction((tx) =>
    tx.rows(
      sql`update leads set entered_at = ${account.kontor.now() - 5 * 86_400} where account_id = ${account.id} and id = ${lead}`,
    ),
  )
  const { page } = await openApplication(browser(), `/leads/p/${id}`, { account })
  await expect.poll(() => page.locator('[data-stale]').count()).toBe(1)
  await expect
    .poll(() => page.locator('[data-stale]').getAttribute('title'))
    .toBe('Stale: longer in the stage than 3 days')
})

test.each(['light', 'dark'] as const)('axe finds nothing in the %s theme', async (colorScheme) => {
  const { page, pipeline } = await openPipeline({ colorScheme })
  await stageIn(page, pipeline.statuses[1]).click()
  await panel(page, 'Second').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
  await resize(page, 390, 844)
  await rest(page)
  expect(await accessibilityFaults(page)).toEqual([])
  await panel(page, 'Second').getByRole('button', { name: 'Move forward' }).click()
  await page.getByText('“Second” is now stage 3 of 3').waitFor()
})
