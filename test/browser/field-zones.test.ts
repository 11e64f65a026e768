// Days and moments of fields, in the zones of the browser, the user and the account: typed on a card, in the dialog of a
// stage and in a filter, and read on the card, the board, in the feed and by programs. A day is the same day everywhere.
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { newAccount } from '../account.ts'
import { readLead } from '../leads.ts'
import { card, cardIn, column, drag, openBoard } from './board.ts'
import { useBrowser } from './chromium.ts'
import { addFields, control, edit, line, saved, unfold } from './fields.ts'
import { keys } from './keys.ts'

const browser = useBrowser()

/** The zones of the account, of the user (null: the account's) and of the browser. */
const zones: [account: string, user: string | null, browser: string][] = [
  ['Pacific/Auckland', null, 'UTC'],
  ['Pacific/Auckland', 'America/New_York', 'UTC'],
  ['UTC', 'Pacific/Auckland', 'America/New_York'],
  ['America/New_York', 'Pacific/Auckland', 'Pacific/Auckland'],
]

/** A day of each type: the last of a year, the day on which clocks change in New York and Auckland, and a birthday of long ago. */
const days = [
  ['Delivery', 'date', '2026-12-31', 'Dec 31, 2026'],
  ['Fair', 'date', '2026-11-01', 'Nov 1, 2026'],
  ['Visit', 'date', '2026-09-27', 'Sep 27, 2026'],
  ['Born', 'birthday', '1966-11-05', 'Nov 5, 1966'],
] as const

test.each(zones)('account %s, user %s, browser %s', async (timezone, time_zone, timezoneId) => {
  const account = await newAccount()
  await account.kontor.database.rows(
    sql`update accounts set timezone = ${timezone}, stored_timezone = ${timezone} where id = ${account.id}`,
  )
  const fields = await addFields(
    account,
    [...days, ['Call', 'date_time'] as const, ['Signed', 'checkbox'] as const].map(
      ([name, type]) => ({ name, type }),
    ),
  )
  const opened = await openBoard(browser(), {
    account,
    leads: { New: [['Pump order'], ['Roof tiles']], Offer: [['Garden fence']] },
    browserOptions: { timezoneId },
  })
  const { page, leads, pipeline, at, faults } = opened
  const preferences = await page.request.patch(`${account.kontor.url}/web/v1/preferences`, {
    data: { time_zone },
    headers: { origin: account.kontor.url },
  })
  expect(preferences.ok(), await preferences.text()).toBe(true)
  const lead = leads['Pump order']!
  await page.goto(`${account.kontor.url}/leads/${lead}`)
  await unfold(page)

  for (const [name, , typed, shown] of days) {
    await edit(page, name)
    await control(page, name).fill(typed)
    await keys(control(page, name), 'Enter')
    await saved(page, name)
    await line(page, name).getByText(shown, { exact: true }).waitFor()
    // The feed tells the same day.
    await page.getByRole('article').getByText(shown, { exact: true }).first().waitFor()
  }
  await edit(page, 'Call')
  await control(page, 'Call').fill('2026-12-31T23:30')
  await keys(control(page, 'Call'), 'Enter')
  await saved(page, 'Call')
  await line(page, 'Call').getByText('Dec 31, 2026, 11:30 PM').waitFor()
  await line(page, 'Signed').getByRole('checkbox').click()
  await saved(page, 'Signed')
  await page.getByRole('article').getByText('Yes', { exact: true }).waitFor()
  await page.reload()
  for (const [name, , typed, shown] of days) {
    await line(page, name).getByText(shown, { exact: true }).waitFor()
    await edit(page, name)
    await expect.poll(() => control(page, name).inputValue()).toBe(typed)
    await keys(control(page, name), 'Escape')
  }

  // Programs read the day of the account, and the moment of the user.
  const values = (await readLead(account.api, lead)).custom_fields_values as {
    field_name: string
    values: { value: number }[]
  }[]
  const clock = (name: string, timeZone: string) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(
      values.find(({ field_name }) => field_name === name)!.values[0]!.value * 1000,
    )
  for (const [name, , typed] of days) expect(clock(name, timezone)).toBe(`${typed} 00:00`)
  expect(clock('Call', time_zone ?? timezone)).toBe('2026-12-31 23:30')

  // The board shows what the card shows.
  for (const [name, , , shown] of [...days, ['Signed', '', '', 'Yes'] as const]) {
    await page.goto(`${account.kontor.url}/leads/p/${pipeline}`)
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('menuitemradio', { name, exact: true }).click()
    await card(page, 'Pump order').getByText(shown, { exact: true }).waitFor()
  }

  // The filter finds the day that was typed, and not the one before or after.
  for (const [name, , typed] of days) {
    const day = (iso: string) => iso.split('-').toReversed().join('.')
    const by = `filter[custom_fields_values][${fields[name]!.id}]`
    const next = new Date(Date.parse(typed) + 86_400_000).toISOString().slice(0, 10)
    for (const [wanted, count] of [
      [typed, 1],
      [next, 0],
    ] as const) {
      await page.goto(
        `${account.kontor.url}/leads/p/${pipeline}?${by}[from]=${day(wanted)}&${by}[to]=${day(wanted)}`,
      )
      await expect.poll(() => card(page, 'Pump order').count()).toBe(count)
    }
  }

  // The dialog of a stage stores the day that is typed, too.
  await account.api.patch('/api/v4/leads/custom_fields', [
    {
      id: fields['Delivery']!.id,
      required_statuses: [{ pipeline_id: pipeline, status_id: at['Contract'] }],
    },
  ])
  await page.goto(`${account.kontor.url}/leads/p/${pipeline}`)
  await drag(page, card(page, 'Roof tiles'), column(page, 'Contract'))
  const dialog = page.getByRole('dialog', { name: 'This stage needs more' })
  await dialog.getByLabel('Delivery').fill('2026-12-31')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await cardIn(page, 'Contract', 'Roof tiles').waitFor()
  await page.goto(`${account.kontor.url}/leads/${leads['Roof tiles']}`)
  await line(page, 'Delivery').getByText('Dec 31, 2026', { exact: true }).waitFor()
  expect(faults).toEqual([])
})
