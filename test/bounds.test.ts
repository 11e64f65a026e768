// What somebody can make grow, and its bound: docs/security.md names one for every table and folder.
import { readFileSync } from 'node:fs'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { server } from './server.ts'

const records =
  'Leads, contacts, companies, customers, tasks, notes, links, tags, purchases, elements, incoming requests, chats and messages'
const indexes = 'Indexes and totals of records'
const itself = 'What the server keeps for itself'

/** The row of the page for each table; partitions go with their table. */
const tables: Record<string, string> = {
  account_logos: 'Logo of an account',
  accounts: itself,
  api_keys: 'Sessions of a user; known browsers of a user; API keys of a user',
  authorization_codes: 'Grants of an integration, with codes and refresh tokens',
  blocked_texts: indexes,
  catalog_elements: records,
  catalogs: 'Catalogs of an account',
  channel_calls: 'Calls of programs that are kept',
  channel_connections: 'Chat channels of an account; accounts that one may reach',
  channels: 'Chat channels of an account; accounts that one may reach',
  chat_callbacks: 'Callbacks of chats',
  chat_clients: records,
  chat_queues: 'Chat channels of an account; accounts that one may reach',
  chat_templates: 'Templates of chats',
  chats: records,
  cleanups: itself,
  common_trigrams: indexes,
  companies: records,
  contacts: records,
  custom_field_groups: 'Custom fields of an entity type; their groups; custom fields of segments',
  custom_fields: 'Custom fields of an entity type; their groups; custom fields of segments',
  customer_reevaluations: 'Statuses of customers; segments',
  customer_statuses: 'Statuses of customers; segments',
  customers: records,
  deliveries: 'Deliveries of webhooks, with attempts and bodies',
  delivery_attempts: 'Deliveries of webhooks, with attempts and bodies',
  delivery_bodies: 'Deliveries of webhooks, with attempts and bodies',
  demo_records: itself,
  element_links: 'Elements of a record; elements of a purchase',
  event_keys: 'The event log, and the keys of its filters',
  events: 'The event log, and the keys of its filters',
  field_numbers: indexes,
  field_texts: indexes,
  file_totals: 'Files of an account',
  files: 'Uploads of a user that nothing refers to',
  followers: itself,
  grant_uses: 'Grants of an integration, with codes and refresh tokens',
  grants: 'Grants of an integration, with codes and refresh tokens',
  groups: 'Groups of users',
  idempotency_keys: 'Idempotency keys of an account',
  installations: 'Integrations of an account',
  integration_calls: 'Calls of programs that are kept',
  integrations: 'Integrations of an account',
  invitations: 'Open invitations of an account',
  job_records: 'Jobs of an account that wait; records of one',
  jobs: 'Jobs of an account that wait; records of one',
  journal: 'The journal that all followers have read',
  known_browsers: 'Sessions of a user; known browsers of a user; API keys of a user',
  lead_total_deltas: indexes,
  lead_totals: indexes,
  leads: records,
  links: records,
  listed_count_deltas: indexes,
  listed_counts: indexes,
  loss_reasons: 'Loss reasons of an account; sources of an integration',
  merges: 'Merges',
  messages: records,
  migrations: itself,
  notes: records,
  notification_reads: 'Notifications of a user',
  notifications: 'Notifications of a user',
  password_resets: 'Second factor of a user; its recovery codes; links for a new password',
  phones_to_index: itself,
  pinned_views: 'Saved views of a user; those pinned to the navigation',
  pipelines: 'Pipelines of an account; statuses of a pipeline',
  preferences: 'Preferences of a user',
  purged_customers: itself,
  record_tags: indexes,
  record_texts: indexes,
  recovery_codes: 'Second factor of a user; its recovery codes; links for a new password',
  refresh_tokens: 'Grants of an integration, with codes and refresh tokens',
  roles: 'Users and roles of an account',
  second_factors: 'Second factor of a user; its recovery codes; links for a new password',
  segment_counts: 'Statuses of customers; segments',
  segments: 'Statuses of customers; segments',
  sessions: 'Sessions of a user; known browsers of a user; API keys of a user',
  signing_keys: itself,
  sources: 'Loss reasons of an account; sources of an integration',
  status_descriptions: 'Pipelines of an account; statuses of a pipeline',
  statuses: 'Pipelines of an account; statuses of a pipeline',
  tags: records,
  talks: records,
  task_types: 'Types of tasks of an account',
  tasks: records,
  text_blocks: indexes,
  transaction_elements: 'Elements of a record; elements of a purchase',
  transactions: records,
  unbuilt_notices: 'Notices that could not be built',
  unsorted_items: records,
  users: 'Users and roles of an account',
  views: 'Saved views of a user; those pinned to the navigation',
  webhook_secrets: 'Webhooks of an account; active ones',
  webhooks: 'Webhooks of an account; active ones',
}

/** Rows about a part of a table, or about what is no table. */
const others = [
  'Deleted records in the bin',
  'Files of an account',
  'Free space on the disk of the files',
  'Response kept for an idempotency key',
]

const page = readFileSync(new URL('../docs/security.md', import.meta.url), 'utf8')
const [, section = ''] = /### What is stored\n([^]*?)\n## /.exec(page) ?? []
const shown = [...section.matchAll(/^\| (.+?) \| (.+?) \| (.*?) ?\|$/gm)]
  .map(([, what, bound, setting]) => ({ what: what!, bound: bound!, setting: setting! }))
  .filter(({ what }) => what !== 'What')

test('every table has a row in the page', async () => {
  const { kontor } = await server()
  const found = await kontor.database.rows<{ name: string }>(sql`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`)
  expect(Object.keys(tables).toSorted()).toEqual(found.map(({ name }) => name))
})

test('every row of the page has a bound, and something that it bounds', () => {
  const named = new Set([...Object.values(tables), ...others])
  expect(shown.map(({ what }) => what).toSorted()).toEqual([...named].toSorted())
  expect(shown.filter(({ bound }) => bound.trim() === '')).toEqual([])
})
