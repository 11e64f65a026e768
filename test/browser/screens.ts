// Every screen of the application and every dialog that opens from one: what the proofs of the look,
// of the keyboard and of touch walk through, and what `npm run screenshots` takes pictures of. A new
// screen gets its line here.
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { proof } from '../account.ts'
import type { Answer, Client } from '../client.ts'
import { keys } from './keys.ts'
import { rest } from './rest.ts'

export interface Screen {
  /** Names its pictures. */
  name: string
  path: string
  /** The button that opens a dialog, by its text: a key of web/words, `roles.create`. */
  button?: string
  /** The part of a card that is shown, where it shows one at a time, by its text: `card.feed`. */
  part?: string
}

/** The languages of the application. */
export const languages = ['en', 'ru', 'es', 'pt'] as const
export type Language = (typeof languages)[number]

/**
 * Fills an account with one of everything that the application shows, over HTTP, and answers its
 * screens. `api` is an administrator with this password.
 */
export async function seedScreens(api: Client, { password } = proof): Promise<Screen[]> {
  const firstOf = ({ body }: Answer, collection: string) =>
    body._embedded[collection][0] as { id: number }
  const post = async (path: string, body: unknown) => {
    const answer = await api.post(path, body)
    if (answer.status >= 300)
      throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  const [pipeline] = (await api.get('/api/v4/leads/pipelines')).body._embedded.pipelines as {
    id: number
  }[]
  const { lead, contact, company, customer, catalog, listField } = await seedCards(api, post)
  const rights = { leads: { view: 'A', edit: 'G', add: 'A', delete: 'D', export: 'D' } }
  const role = firstOf(
    await post('/api/v4/roles', [{ name: 'Regional sales manager', rights }]),
    'roles',
  )
  const group = (await post('/web/v1/groups', { name: 'North' })).body as { id: number }
  const { body: users } = await api.get('/api/v4/users')
  const [user] = users._embedded.users as { id: number }[]
  await post('/web/v1/invitations', {
    email: 'a.rather.long.address@subsidiary.example.com',
    group_id: group.id,
    password,
  })
  await post('/web/v1/loss-reasons', { name: 'Too expensive', color: 'ff8f92', icon_id: 11 })
  await post('/web/v1/task-types', { name: 'Visit on site', color: '98cbff', icon_id: 6 })
  await post('/web/v1/chat-templates', {
    name: 'Greeting',
    content: 'Good morning {{contact.first_name}}, how can I help?',
    group_ids: [group.id],
  })
  const redirect_uri = 'https://bridge.example.com/oauth/callback'
  const bridge = { name: 'ERP bridge', redirect_uri, password }
  const { client_id } = (await post('/web/v1/integrations', bridge)).body as { client_id: string }
  const destination = 'https://hooks.example.com/kontor/changes'
  const settings = ['add_lead', 'update_lead', 'status_lead']
  const webhook = (await post('/api/v4/webhooks', { destination, settings })).body as { id: number }
  await post('/web/v1/api-keys', { name: 'The old shop', password })
  const channel = (await post('/web/v1/channels', { name: 'Bridge' })).body as { id: string }

  const settingsScreen = (path: string, name = path, button?: string): Screen => ({
    name: `settings-${name}`,
    path: `/settings/${path}`,
    ...(button !== undefined && { button }),
  })
  return [
    { name: 'home', path: '/home' },
    { name: 'board', path: `/leads/p/${pipeline!.id}` },
    { name: 'board-card', path: `/leads/p/${pipeline!.id}?card=leads-${lead}` },
    { name: 'lead-list', path: '/leads/list' },
    { name: 'lead-list-card', path: `/leads/list?card=leads-${lead}` },
    { name: 'contact-list', path: '/contacts' },
    { name: 'company-list', path: '/companies' },
    { name: 'customer-list', path: '/customers' },
    { name: 'customer-board', path: '/customers/board' },
    { name: 'lead', path: `/leads/${lead}` },
    { name: 'lead-feed', path: `/leads/${lead}`, part: 'card.feed' },
    { name: 'contact', path: `/contacts/${contact}` },
    { name: 'contact-merge', path: `/contacts/${contact}`, button: 'merges.compare' },
    { name: 'company', path: `/companies/${company}` },
    { name: 'customer', path: `/customers/${customer}` },
    { name: 'customer-purchases', path: `/customers/${customer}`, part: 'card.purchases' },
    { name: 'bin', path: '/bin/contacts' },
    { name: 'events', path: '/events' },
    { name: 'products', path: '/products' },
    { name: 'notifications', path: '/notifications' },
    { name: 'absent', path: '/nothing/is/here' },
    settingsScreen('profile'),
    settingsScreen('preferences'),
    settingsScreen('security'),
    settingsScreen('security', 'security-factor', 'security.turnOn'),
    settingsScreen('security', 'security-everywhere', 'security.everywhere'),
    settingsScreen('general'),
    settingsScreen('customers'),
    settingsScreen('customers', 'customers-add', 'customers.add'),
    settingsScreen('groups'),
    settingsScreen('groups', 'groups-create', 'groups.create'),
    settingsScreen('roles'),
    settingsScreen('roles', 'roles-create', 'roles.create'),
    settingsScreen('pipelines'),
    settingsScreen('pipelines', 'pipelines-create', 'pipelines.create'),
    settingsScreen(`pipelines/${pipeline!.id}`, 'pipeline'),
    settingsScreen(`pipelines/${pipeline!.id}`, 'pipeline-copy', 'pipelines.copy'),
    settingsScreen(`roles/${role.id}`, 'role'),
    settingsScreen(`roles/${role.id}`, 'role-rename', 'roles.rename'),
    settingsScreen(`roles/${role.id}`, 'role-delete', 'ui.delete'),
    settingsScreen('users'),
    settingsScreen('users', 'users-invite', 'users.invite'),
    settingsScreen(`users/${user!.id}`, 'user'),
    settingsScreen('loss-reasons'),
    settingsScreen('loss-reasons', 'loss-reasons-create', 'lossReasons.create'),
    settingsScreen('task-types'),
    settingsScreen('task-types', 'task-types-create', 'taskTypes.create'),
    settingsScreen('templates'),
    settingsScreen('templates', 'templates-create', 'templates.create'),
    settingsScreen('tags/leads', 'tags'),
    settingsScreen('tags/leads', 'tags-create', 'tags.create'),
    settingsScreen('fields/leads', 'fields'),
    settingsScreen('fields/leads', 'fields-create', 'fields.add'),
    settingsScreen('fields/leads', 'fields-group', 'fields.addGroup'),
    settingsScreen(`fields/leads?field=${listField}`, 'field'),
    settingsScreen('catalogs'),
    settingsScreen('catalogs', 'catalogs-create', 'catalogs.create'),
    settingsScreen(`catalogs/${catalog}`, 'catalog'),
    settingsScreen('integrations'),
    settingsScreen('integrations', 'integrations-create', 'integrations.create'),
    settingsScreen(`integrations/${client_id}`, 'integration'),
    settingsScreen(`integrations/${client_id}`, 'integration-rotate', 'integrations.rotate'),
    settingsScreen(`integrations/${client_id}?tab=grants`, 'integration-grants'),
    settingsScreen(`integrations/${client_id}?tab=settings`, 'integration-settings'),
    settingsScreen(
      `integrations/${client_id}?tab=settings`,
      'integration-delete',
      'integrations.delete',
    ),
    settingsScreen('webhooks'),
    settingsScreen('webhooks', 'webhooks-create', 'webhooks.create'),
    settingsScreen(`webhooks/${webhook.id}`, 'webhook'),
    settingsScreen(`webhooks/${webhook.id}`, 'webhook-delete', 'webhooks.delete'),
    settingsScreen(`webhooks/${webhook.id}?tab=deliveries`, 'webhook-deliveries'),
    settingsScreen(`webhooks/${webhook.id}?tab=test`, 'webhook-test'),
    settingsScreen('api-keys'),
    settingsScreen('api-keys', 'api-keys-create', 'api-keys.create'),
    settingsScreen('channels'),
    settingsScreen('channels', 'channels-create', 'channels.create'),
    settingsScreen(`channels/${channel.id}`, 'channel'),
    settingsScreen(`channels/${channel.id}?tab=settings`, 'channel-settings'),
    settingsScreen(`channels/${channel.id}?tab=settings`, 'channel-delete', 'channels.delete'),
    settingsScreen(`channels/${channel.id}?tab=try`, 'channel-try'),
  ]
}

type Post = (path: string, body: unknown) => Promise<Answer>

/** Records of every type, linked to each other, with fields, notes, tasks, products and purchases. */
async function seedCards(api: Client, post: Post) {
  const add = async (collection: string, ...drafts: object[]): Promise<number[]> => {
    const path = `/api/v4/${collection}`
    const { body } = await post(path, drafts)
    const made = body._embedded[path.split('/').at(-1)!] as { id: number }[]
    return made.map(({ id }) => id)
  }
  const [text, url, select] = await add(
    'leads/custom_fields',
    { name: 'What the caretaker said about the boiler room', type: 'textarea' },
    { name: 'Site', type: 'url' },
    { name: 'Delivery', type: 'select', enums: [{ value: 'Courier' }, { value: 'Post' }] },
    { name: 'Urgent', type: 'checkbox' },
    { name: 'Handover', type: 'date' },
  )
  const reachedBy = (phone: string) => [
    { field_code: 'PHONE', values: [{ value: phone, enum_code: 'WORK' }] },
    { field_code: 'EMAIL', values: [{ value: 'jana@example.com', enum_code: 'WORK' }] },
  ]
  const [contact, double] = await add(
    'contacts',
    { name: 'Jana Schmidt', custom_fields_values: reachedBy('+371 2000 0001') },
    { name: 'Jana Schmidt-Lind', custom_fields_values: reachedBy('(371) 2000-0001') },
  )
  const [company] = await add('companies', { name: 'Schmidt Heating and Plumbing' })
  const [lead] = await add('leads', {
    name: 'Replacement of both circulation pumps in the boiler room',
    price: 54_000,
    custom_fields_values: [
      { field_id: text, values: [{ value: 'The stairs are narrow.\nBring two people.' }] },
      { field_id: url, values: [{ value: 'https://example.com/pumps' }] },
      { field_id: select, values: [{ value: 'Post' }] },
    ],
    _embedded: {
      tags: [{ name: 'vip' }, { name: 'boiler' }],
      contacts: [{ id: contact }, { id: double }],
      companies: [{ id: company }],
    },
  })
  const [customer] = await add('customers', { name: 'Harbour Office', next_date: 1_900_000_000 })
  // An account has one catalog of products; the demo comes with it.
  const { body: catalogs } = await api.get('/api/v4/catalogs')
  const present = (
    catalogs?._embedded.catalogs as { id: number; type: string }[] | undefined
  )?.find(({ type }) => type === 'products')
  const [catalog] = present
    ? [present.id]
    : await add('catalogs', { name: 'Products', type: 'products' })
  const { body: ofCatalog } = await api.get(`/web/v1/fields/catalogs:${catalog}`)
  const tree = (ofCatalog.fields as { id: number; type: string }[]).find(
    ({ type }) => type === 'category',
  )!
  await post(`/web/v1/fields/catalogs:${catalog}/${tree.id}/categories`, {
    values: ['Pumps', 'Valves'],
  })
  const [pump] = await add(`catalogs/${catalog}/elements`, {
    name: 'Circulation pump',
    custom_fields_values: [{ field_code: 'PRICE', values: [{ value: 410.5 }] }],
  })
  const metadata = { quantity: 2, catalog_id: catalog }
  await post(`/api/v4/leads/${lead}/link`, [
    { to_entity_id: pump, to_entity_type: 'catalog_elements', metadata },
  ])
  await post(`/api/v4/customers/${customer}/link`, [
    { to_entity_id: contact, to_entity_type: 'contacts' },
  ])
  await add(
    `customers/${customer}/transactions`,
    { price: 1200, comment: 'First delivery' },
    { price: 410, comment: 'Second delivery' },
  )
  const note = (words: string) => ({ note_type: 'common', params: { text: words } })
  await add(`leads/${lead}/notes`, note('She asked for a **quiet** pump: https://example.com/q'))
  await add(`customers/${customer}/notes`, note('Pays by invoice'))
  const task = { entity_id: lead, entity_type: 'leads', complete_till: 1_700_000_000 }
  await add('tasks', { ...task, text: 'Call the caretaker' })
  return { lead, contact, company, customer, catalog: catalog!, listField: select }
}

/** A text of the application by its key. */
export function wordOf(language: Language, key: string): string {
  const [area, ...names] = key.split('.')
  const name = area!.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const file = new URL(`../../web/words/${language}/${name}.json`, import.meta.url)
  return names.reduce<unknown>(
    (texts, name) => (texts as Record<string, unknown>)[name],
    JSON.parse(readFileSync(file, 'utf8')),
  ) as string
}

/** Goes to a screen inside the application, as a link does: a tenth of the time of a reload. */
export async function show(page: Page, screen: Screen, language: Language = 'en') {
  const { path, button } = screen
  await page.evaluate(
    `for (const each of document.querySelectorAll('h1'))
       if (location.pathname !== ${JSON.stringify(path.split('?')[0])}) each.dataset.left = ''
     if (location.pathname + location.search !== ${JSON.stringify(path)})
       history.pushState({}, '', ${JSON.stringify(path)})`,
  )
  await page.locator('h1:not([data-left])').waitFor()
  const tab = /\?tab=(.*)/.exec(path)?.[1]
  if (tab) await page.locator(`[role=tab][aria-selected=true][id$="-tab-${tab}"]`).waitFor()
  const record = /\?card=(.*)/.exec(path)?.[1]
  if (record) await page.locator(`[data-record="${record}"] h2`).waitFor()
  await rest(page)
  await showPart(page, screen, language)
  if (button) await openDialog(page, button, language)
}

/** Shows the part of a card, where the window has no place for all of them. */
export async function showPart(page: Page, { part }: Screen, language: Language = 'en') {
  if (!part) return
  const name = wordOf(language, part)
  const tab = page.getByRole('tab', { name, exact: true })
  const label = page.locator('label').filter({ hasText: new RegExp(`^${name}$`) })
  // By the keyboard, so that rings stay seen.
  if ((await tab.count()) > 0) {
    await tab.focus()
    await keys(tab, 'Enter')
  } else if ((await label.count()) > 0) await label.click()
  await rest(page)
}

/** Opens the dialog of a button of the page, and answers the button. */
export async function openDialog(page: Page, button: string, language: Language): Promise<Locator> {
  const text = wordOf(language, button)
  const opener = page.getByRole('main').getByRole('button', { name: text, exact: true }).first()
  await opener.click()
  await page.getByRole('dialog').waitFor()
  await rest(page)
  return opener
}

/** Closes the dialog of `show`, unless it went when the window became narrow and its card was drawn anew. */
export async function closeDialog(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await rest(page)
  if ((await dialog.count()) > 0) await keys(dialog, 'Escape')
  await dialog.waitFor({ state: 'hidden' })
}
