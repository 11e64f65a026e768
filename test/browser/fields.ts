// Shared by tests of cards: fields by their names, as a user finds and edits them.
import type { Locator, Page } from 'playwright-core'
import type { TestAccount } from '../account.ts'
import { keys, type } from './keys.ts'

export interface MadeField {
  id: number
  name: string
  enums: { id: number; value: string }[] | null
}

export const enums = (...values: string[]) => ({
  enums: values.map((value, index) => ({ value, sort: index + 1 })),
})

/** Fields of leads, or of another type, by their names. */
export async function addFields(
  { api }: TestAccount,
  fields: object[],
  of = 'leads',
): Promise<Record<string, MadeField>> {
  const { body } = await api.post(`/api/v4/${of}/custom_fields`, fields)
  const made = body._embedded.custom_fields as MadeField[]
  return Object.fromEntries(made.map((field) => [field.name, field]))
}

export const line = (page: Page, name: string): Locator =>
  page.locator('[data-member]').filter({ has: page.getByText(name, { exact: true }) })

/** Begins to edit a field by its name. */
export async function edit(page: Page, name: string): Promise<void> {
  await line(page, name).locator('[data-edit]').click()
  await line(page, name).and(page.locator('[data-editing]')).waitFor()
}

/** The control of a field that is edited. */
export const control = (page: Page, name: string): Locator =>
  line(page, name).locator('input, textarea')

/** Edits a field by its name, and ends it with a key. */
export async function fillIn(
  page: Page,
  name: string,
  text: string,
  last = 'Enter',
): Promise<void> {
  await edit(page, name)
  await type(control(page, name), text)
  await keys(control(page, name), last)
}

/** Waits until the page says that the field is saved, in its language. */
export const saved = (page: Page, name: string, text = 'Saved'): Promise<void> =>
  line(page, name).getByRole('status').getByText(text).waitFor()

export const unfold = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /empty field/ }).click()
