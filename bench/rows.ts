// npm run bench:rows -- [--large 1000000] [--small 10000] [--rounds 60]
//
// Measures the lists of the web application in a small and in a large account side by side, in one database and in
// turns, and says the ratio of their times.
import { compareSizes } from './selling.ts'
import type { MeasuredRequest, SellingAccount } from './selling.ts'
import { readTwoSizes } from './two-sizes.ts'

const sizes = readTwoSizes({ small: 10_000, large: 1_000_000 })

const rows = (more = '', type = 'leads') =>
  `/web/v1/rows/${type}?limit=100&with=contact,company${more}`
const parts = (more: string, part: string) => `/web/v1/rows/leads/${part}?${more}`
const ofSeller = ({ sellers }: SellingAccount, turn: number) =>
  `&filter[responsible_user_id]=${sellers[turn % 10]!.userId}`
/** A tenth of the leads. */
const cheap = ({ leads }: SellingAccount) =>
  `&filter[price][from]=0&filter[price][to]=${Math.floor(leads / 10)}`

const requests: MeasuredRequest[] = [
  { title: 'first rows', path: () => rows() },
  {
    title: 'rows at any position',
    path: ({ leads }, turn) => rows(`&offset=${(turn * 7919 * 31) % (leads - 100)}`),
  },
  ...['name', 'price', 'updated_at', 'closest_task_at'].map((order) => ({
    title: `first rows by ${order}`,
    path: () => rows(`&order=${order}`),
  })),
  {
    title: 'rows by name at the row 9,000 (of the large account 90,000)',
    path: ({ leads }) => rows(`&order=name&offset=${Math.min(90_000, Math.floor(leads * 0.9))}`),
  },
  { title: 'first rows of one seller', path: (account, turn) => rows(ofSeller(account, turn)) },
  {
    title: 'first rows of one seller by price',
    path: (account, turn) => rows(`${ofSeller(account, turn)}&order=price`),
  },
  {
    title: 'rows of one seller at 90 in 100',
    path: (account, turn) =>
      rows(`${ofSeller(account, turn)}&offset=${Math.floor((account.leads / 10) * 0.9)}`),
  },
  { title: 'first rows of a tenth of the prices', path: (account) => rows(cheap(account)) },
  {
    title: 'first rows that a seller may view',
    path: () => rows(),
    who: ({ sellers }) => sellers[3]!,
  },
  {
    title: 'first rows of a user with 50 leads',
    path: () => rows(),
    who: ({ rare }) => rare,
  },
  {
    title: '50 rows by ids',
    path: ({ leads }, turn) =>
      `/web/v1/rows/leads/named?ids=${Array.from({ length: 50 }, (_, index) => 1 + ((turn * 7919 + index * 97) % leads)).join()}`,
  },
  { title: 'sum of the prices', path: () => parts('columns=price', 'summary') },
  {
    title: 'sum of the prices of one seller',
    path: (account, turn) => parts(`columns=price${ofSeller(account, turn)}`, 'summary'),
  },
  {
    title: 'numbers of four columns of one seller',
    path: (account, turn) =>
      parts(
        `columns=price,created_at,updated_at,closest_task_at${ofSeller(account, turn)}`,
        'summary',
      ),
  },
  {
    title: 'numbers of two columns of a tenth of the prices',
    path: (account) => parts(`columns=price,created_at${cheap(account)}`, 'summary'),
  },
  { title: 'groups by stage', path: () => parts('of=status_id', 'groups') },
  {
    title: 'groups by stage of a tenth of the prices',
    path: (account) => parts(`of=status_id${cheap(account)}`, 'groups'),
  },
  {
    title: 'first contacts',
    path: () => rows('&with=company,leads', 'contacts').replace('with=contact,company&', ''),
  },
]

await compareSizes('rows', requests, sizes)
