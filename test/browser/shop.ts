// A shop from nothing, by the pages alone: from a server without an account to two pipelines, twenty fields, three
// people with roles and a connected program.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import type { Language } from '../../web/words/languages.ts'
import { client } from '../client.ts'
import { rest } from './rest.ts'

type Texts = { [key: string]: string & Texts }

/** The texts of an area, by the keys of the application. */
const wordsOf = (language: Language, area: string) =>
  JSON.parse(
    readFileSync(
      path.join(import.meta.dirname, `../../web/words/${language}/${area}.json`),
      'utf8',
    ),
  ) as Texts

export interface ShopPeople {
  url: string
  language: Language
  /** Opens a browser of its own for each person. */
  newContext: () => Promise<BrowserContext>
  /** Is told each page once something is done on it. */
  look?: (page: Page, name: string) => Promise<unknown>
}

const password = 'correct horse'

/** Sets the shop up; answers the page of its owner and a token of the program. */
export async function openShop({ url, language, newContext, look }: ShopPeople) {
  const [fields, integrations, pipelines, roles, settings, shell, ui, users] = [
    'fields',
    'integrations',
    'pipelines',
    'roles',
    'settings',
    'shell',
    'ui',
    'users',
  ].map((area) => wordsOf(language, area)) as [
    Texts,
    Texts,
    Texts,
    Texts,
    Texts,
    Texts,
    Texts,
    Texts,
  ]
  const page = await (await newContext()).newPage()
  const see = async (name: string) => look?.(page, name)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
  const field = (name: string) => dialog.getByRole('textbox', { name, exact: true })
  const setting = (name: string) =>
    page
      .getByRole('navigation', { name: settings['title']!, exact: true })
      .getByRole('link', { name: settings['pages']![name]!, exact: true })
      .click()

  await page.goto(`${url}/setup`)
  await page.locator('#company').fill('Corner shop')
  await page.locator('#language').selectOption(language)
  await page.locator('#name').fill('Ann Lee')
  await page.locator('#email').fill('ann@shop.example')
  await page.locator('#password').fill(password)
  const next = page.locator('form button.primary')
  await next.click()
  await page.locator('[name=sales_process][value=shop]').check()
  await see('process')
  await next.click()
  await page.locator('[name=demo]').uncheck()
  await page.locator('[name=invite]').fill('bob@shop.example, eve@shop.example')
  await next.click()
  const links = await Promise.all(
    [0, 1].map((index) => page.locator(`#link-${index}`).inputValue()),
  )
  for (const [index, link] of links.entries()) {
    const guest = await (await newContext()).newPage()
    await guest.goto(link)
    await guest.locator('#name').fill(['Bob Ray', 'Eve Sun'][index]!)
    await guest.locator('#password').fill(password)
    await guest.locator('button.primary').click()
    await guest.waitForURL((at) => !at.pathname.startsWith('/invite'))
    // Chromium leaves a page open whose navigation arrives as it is closed, and Playwright then waits without an end.
    await rest(guest)
    await guest.close()
  }
  await page.locator('a.primary').click()
  await page.waitForURL('**/leads/p/*')
  await see('board')

  await page.getByRole('link', { name: shell['settings']!, exact: true }).click()
  await setting('pipelines')
  await button(pipelines['create']!).click()
  await field(pipelines['name']!).fill('Returns')
  await inDialog(pipelines['create']!).click()
  await page.getByRole('heading', { name: 'Returns', level: 1 }).waitFor()
  await see('pipeline')

  await setting('fields')
  for (let number = 1; number <= 13; number++) {
    await button(fields['add']!).click()
    await field(fields['name']!).fill(`Field ${number}`)
    await inDialog(fields['add']!).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Field 13', exact: true }).waitFor()
  await see('fields')

  await setting('roles')
  await button(roles['create']!).first().click()
  await field(roles['name']!).fill('Seller')
  await inDialog(roles['create']!).click()
  await page.getByRole('heading', { name: 'Seller', level: 1 }).waitFor()
  await see('role')
  for (const person of ['Bob Ray', 'Eve Sun']) {
    await setting('users')
    await page.getByRole('link', { name: person, exact: true }).click()
    await page.getByRole('combobox', { name: users['role']!, exact: true }).click()
    await page.getByRole('option', { name: 'Seller', exact: true }).click()
    await button(ui['save']!).click()
    await page.getByText(users['saved']!, { exact: true }).first().waitFor()
  }
  await see('user')

  await setting('integrations')
  await button(integrations['create']!).click()
  await field(integrations['name']!).fill('Web shop')
  await field(integrations['redirect']!).fill('https://shop.example/oauth')
  await dialog.getByRole('radio').first().check()
  await dialog.locator('input[type=password]').fill(password)
  await inDialog(integrations['create']!).click()
  await page.getByRole('heading', { name: 'Web shop', level: 1 }).waitFor()
  await button(integrations['codeMake']!).click()
  await button(integrations['codeAgain']!).waitFor()
  await see('program')
  const shown = (name: string) =>
    page.getByRole('textbox', { name: integrations[name]!, exact: true }).inputValue()
  const { body } = await client({ url }).post('/oauth2/access_token', {
    client_id: await shown('id'),
    client_secret: await shown('secret'),
    code: await shown('code'),
    grant_type: 'authorization_code',
    redirect_uri: 'https://shop.example/oauth',
  })
  return { page, api: client({ url }, body.access_token) }
}
