// The requests for lists of leads only.
import { contractOf, products, utmSources } from '../large/fields.ts'
import { begin, commonName } from '../large/records.ts'
import { between, markers, shortMarkers } from '../large/words.ts'
import {
  choice,
  dateText,
  day,
  field,
  filter,
  newest,
  pick,
  recent,
  seller,
  some,
  span,
  status,
  valueIn,
  within,
} from './parts.ts'
import type { Row } from './parts.ts'

export const ofLeads: Row[] = [
  ['search: one character of 50', () => ({ query: shortMarkers.few })],
  [
    'search: one character of 50, latest change first',
    () => ({ query: shortMarkers.few, ...newest }),
  ],
  // Of the Cyrillic word of 50.
  ['search: two characters of 50', () => ({ query: 'ыж' })],
  [`search: one character of one in ${between}`, () => ({ query: shortMarkers.between })],
  [
    `search: one character of one in ${between}, latest change first`,
    () => ({ query: shortMarkers.between, ...newest }),
  ],
  // Of references, which are random.
  ['search: two characters of one in 300', () => ({ query: 'pp' })],
  ['search: two characters of one in 300, latest change first', () => ({ query: 'pp', ...newest })],
  ['search: two characters, nothing matches', () => ({ query: '¤¤' })],
  ['a name of 5 %', () => filter({ name: commonName.toUpperCase() })],
  ['price', (turn, account) => filter({ price: some(account, 'leads', turn).columns['price']! })],
  ['price, narrow', (turn) => filter({ price: within(pick(turn, 900) * 1000, 100) })],
  ['price, wide', (turn) => filter({ price: within(pick(turn, 700) * 1000, 250_000) })],
  ['price, up to', (turn) => filter({ price: { to: pick(turn, 900) * 1000 } })],
  ['status, 50', (_, { rare }) => filter({ statuses: [rare.status] })],
  ['status, common', (turn, account) => filter({ statuses: [status(account, turn)] })],
  [
    'several statuses',
    (turn, account) =>
      filter({ statuses: [account.rare.status, status(account, turn), status(account, turn + 1)] }),
  ],
  ['pipeline, 50', (_, { rare }) => filter({ pipeline_id: rare.pipeline.id })],
  ['pipeline, common', (turn, { pipelines }) => filter({ pipeline_id: pipelines[turn % 3]!.id })],
  [
    'several pipelines',
    (turn, { pipelines, rare }) =>
      filter({ pipeline_id: [pipelines[turn % 3]!.id, rare.pipeline.id] }),
  ],
  ['closed, a day', (turn) => filter({ closed_at: span(turn, 1) })],
  ['closed, a quarter', (turn) => filter({ closed_at: span(turn, 91) })],
  ['closed, the last day', () => filter({ closed_at: recent })],
  [
    'text field, 20',
    (turn, a) =>
      filter(field(a, 'Contract', [contractOf(some(a, 'leads', turn).number, a.counts.leads)])),
  ],
  ['text field, 5 %', (turn, a) => filter(field(a, 'Product', [product(turn)]))],
  [
    'text field, several',
    (turn, a) => filter(field(a, 'Product', [product(turn), product(turn + 1), 'nothing'])),
  ],
  ['numeric field', (turn, a) => filter(field(a, 'Area', [valueIn(a, 'leads', 'Area', turn)]))],
  ['numeric field, 1.3 %', (turn, a) => filter(field(a, 'Discount', [(turn % 61) / 2]))],
  [
    'numeric field, narrow',
    (turn, a) => filter(field(a, 'Area', within(pick(turn, 9000) * 1000, 10_000))),
  ],
  [
    'numeric field, wide',
    (turn, a) => filter(field(a, 'Area', within(pick(turn, 7000) * 1000, 2_500_000))),
  ],
  ['checkbox, set', (_, a) => filter(field(a, 'VIP', [1]))],
  ['checkbox, not set', (_, a) => filter(field(a, 'VIP', [0]))],
  ['select, 50', (_, a) => filter(field(a, 'Channel', choice(a, 'Channel', 7)))],
  ['select, half', (_, a) => filter(field(a, 'Channel', choice(a, 'Channel', 0)))],
  [
    'select, several',
    (turn, a) => filter(field(a, 'Region', choice(a, 'Region', turn % 8, (turn + 1) % 8))),
  ],
  ['multiselect', (turn, a) => filter(field(a, 'Interests', choice(a, 'Interests', turn % 8)))],
  ['radiobutton', (turn, a) => filter(field(a, 'Payment', choice(a, 'Payment', turn % 4)))],
  [
    'date, a day',
    (turn, a) => filter(field(a, 'Delivery', within(begin + (20 + pick(turn, 700)) * day, day))),
  ],
  [
    'date, a day as text',
    (turn, a) =>
      filter(
        field(a, 'Delivery', {
          from: dateText(20 + pick(turn, 700)),
          to: dateText(20 + pick(turn, 700)),
        }),
      ),
  ],
  ['date, a quarter', (turn, a) => filter(field(a, 'Delivery', span(turn, 91)))],
  [
    'birthday, a day',
    (turn, a) => filter(field(a, 'Anniversary', within(pick(turn, 10_000) * day, 30 * day))),
  ],
  ['date and time, a day', (turn, a) => filter(field(a, 'Call', span(turn, 1)))],
  ['date and time, a quarter', (turn, a) => filter(field(a, 'Call', span(turn, 91)))],
  ...['Page', 'Description', 'Site', 'Reference', 'Budget'].map((name): Row => [
    `field ${name}`,
    (turn, a) => filter(field(a, name, [valueIn(a, 'leads', name, turn)])),
  ]),
  ['tracking field, 5 %', (turn, a) => filter(field(a, 'utm_source', [utmSources[turn % 12]!]))],
  [
    'status and responsible',
    (turn, a) => filter({ statuses: [status(a, turn)], responsible_user_id: seller(a, turn) }),
  ],
  [
    'status, created in a quarter',
    (turn, a) => filter({ statuses: [status(a, turn)], created_at: span(turn, 91) }),
  ],
  [
    'an open status, created in the first quarter',
    (_, { pipelines: [main] }) =>
      filter({
        statuses: [{ pipeline_id: main!.id, status_id: main!.statuses[0]! }],
        created_at: within(begin, 91 * day),
      }),
  ],
  [
    'responsible, latest change first',
    (turn, a) => filter({ responsible_user_id: seller(a, turn) }, newest),
  ],
  [
    'responsible of 50, latest change first',
    (_, { people }) => filter({ responsible_user_id: people.rare }, newest),
  ],
  [
    'pipeline and price',
    (turn, { pipelines }) =>
      filter({
        pipeline_id: pipelines[turn % 3]!.id,
        price: within(pick(turn, 900) * 1000, 20_000),
      }),
  ],
  [
    'field and status',
    (turn, a) => filter({ ...field(a, 'Product', [product(turn)]), statuses: [status(a, turn)] }),
  ],
  [
    'field of 50 and common status',
    (_, a) =>
      filter({ ...field(a, 'Channel', choice(a, 'Channel', 7)), pipeline_id: a.pipelines[0]!.id }),
  ],
  [
    'two common fields',
    (turn, a) =>
      filter({
        custom_fields_values: {
          ...field(a, 'Product', [product(turn)]).custom_fields_values,
          ...field(a, 'Region', choice(a, 'Region', turn % 8)).custom_fields_values,
        },
      }),
  ],
  [
    'common field and responsible who meet in 50',
    (_, a) =>
      filter({ ...field(a, 'Region', choice(a, 'Region', 0)), responsible_user_id: seller(a, 0) }),
  ],
  [
    'range of a field, latest change first',
    (turn, a) => filter(field(a, 'Area', within(pick(turn, 7000) * 1000, 2_500_000)), newest),
  ],
  [
    'common field, latest change first',
    (turn, a) => filter(field(a, 'Region', choice(a, 'Region', turn % 8)), newest),
  ],
  [
    'field of 50, latest change first',
    (_, a) => filter(field(a, 'Channel', choice(a, 'Channel', 7)), newest),
  ],
  [
    'search for 50 and a common status',
    (turn, a) => ({
      query: markers.leads,
      ...filter({ statuses: [status(a, turn), status(a, turn + 1)] }),
    }),
  ],
  [
    'search for a common word and a status',
    (turn, a) => ({ query: 'steel', ...filter({ statuses: [status(a, turn)] }) }),
  ],
  [
    'created in a quarter, latest change first',
    (turn) => filter({ created_at: span(turn, 91) }, newest),
  ],
  [
    'no task, responsible',
    (turn, a) => filter({ closest_task_at: 0, responsible_user_id: seller(a, turn) }),
  ],
  ['search: a common word', () => ({ query: 'window' })],
  ['search: a Cyrillic word of 50', () => ({ query: markers.cyrillic.toLowerCase() })],
  ['search: a common Cyrillic word', () => ({ query: 'котёл' })],
  ['search: two words', () => ({ query: `${markers.leads} window` })],
  ['search: two common words', () => ({ query: 'steel window' })],
  ['search: two letters', () => ({ query: 'st' })],
  ['search: a word of 50, latest change first', () => ({ query: markers.leads, ...newest })],
  ['search: a common word, latest change first', () => ({ query: 'window', ...newest })],
]

function product(turn: number): string {
  return products[turn % products.length]!
}
