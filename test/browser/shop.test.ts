import { expect, onTestFinished, test } from 'vitest'
import { scratchDatabase } from '../scratch.ts'
import { server } from '../server.ts'
import { accessibilityFaults } from './application.ts'
import { useBrowser } from './chromium.ts'
import { openShop } from './shop.ts'

const browser = useBrowser()

test('a shop is set up from nothing by its pages: pipelines, fields, people with roles, a program', async () => {
  const scratch = await scratchDatabase()
  const { kontor } = await server({ databaseUrl: scratch.url })
  const { page, api } = await openShop({
    url: kontor.url,
    language: 'en',
    async newContext() {
      const context = await browser().newContext({ locale: 'en-US' })
      onTestFinished(() => context.close())
      return context
    },
  })
  const list = async (path: string) => Object.values((await api.get(path)).body._embedded).flat()
  expect(await list('/api/v4/leads/pipelines')).toHaveLength(2)
  const fields = await Promise.all(
    ['leads', 'contacts'].map((type) => list(`/api/v4/${type}/custom_fields`)),
  )
  const own = (fields.flat() as { is_predefined: boolean }[]).filter((each) => !each.is_predefined)
  expect(own).toHaveLength(20)
  const people = (await list('/api/v4/users?with=role')) as {
    rights: { is_admin: boolean; role_id: number | null }
  }[]
  expect(people.map(({ rights }) => rights.is_admin || rights.role_id !== null)).toEqual([
    true,
    true,
    true,
  ])
  // The lead of the program stands on the board.
  expect((await api.post('/api/v4/leads', [{ name: 'Two chairs', price: 240 }])).status).toBe(200)
  await page.goto(`${kontor.url}/leads`)
  await page.getByText('Two chairs').waitFor()
  await page.getByText('5 of 7 done').waitFor()
  expect(await accessibilityFaults(page)).toEqual([])
}, 120_000)
