// npm run bench:board -- [--large 1000000] [--small 10000] [--rounds 60]
//
// Measures the board of a small and of a large account side by side, in one database and in turns, and
// says the ratio of their times. Both have one pipeline with eight open stages, in which two leads in
// three are; ten sellers; a contact and a company of each lead; and tasks of half of the leads.
import { compareSizes } from './selling.ts'
import type { MeasuredRequest, SellingAccount } from './selling.ts'
import { readTwoSizes } from './two-sizes.ts'

const sizes = readTwoSizes({ small: 10_000, large: 1_000_000 })

const board = ({ pipeline }: SellingAccount, more = '') =>
  `/web/v1/board?pipeline_id=${pipeline}${more}`

const requests: MeasuredRequest[] = [
  ...(['task', 'activity', 'created', 'price', 'name'] as const).map((sort) => ({
    title: `board by ${sort}`,
    path: (account: SellingAccount) => board(account, `&sort=${sort}`),
  })),
  { title: 'board with won and lost', path: (account) => board(account, '&closed=1') },
  {
    title: 'board of a seller with a tenth of the leads',
    path: (account) => board(account),
    who: ({ sellers }) => sellers[3]!,
  },
  {
    title: 'board of a user with 50 leads',
    path: (account) => board(account),
    who: ({ rare }) => rare,
  },
  {
    title: 'board of one seller, by the filter',
    path: (account, turn) =>
      board(account, `&filter[responsible_user_id]=${account.sellers[turn % 10]!.userId}`),
  },
  {
    title: 'board of a tenth of the prices',
    path: (account) =>
      board(account, `&filter[price][from]=1&filter[price][to]=${Math.floor(account.leads / 10)}`),
  },
  {
    title: 'board of 100 leads made in turn',
    path: (account, turn) =>
      board(account, `&filter[price][from]=${turn * 100}&filter[price][to]=${turn * 100 + 99}`),
  },
  {
    title: 'a window of 50 at the card 5,000 (400 of the small account)',
    path: (account, turn) =>
      board(
        account,
        `&status_id=${account.stages[turn % 8]!}&limit=50&offset=${Math.min(5000, account.leads / 25)}`,
      ).replace('board?', 'board/column?'),
  },
  {
    title: 'totals',
    path: (account) => board(account).replace('board?', 'board/totals?'),
  },
  {
    title: 'totals of a seller',
    path: (account) => board(account).replace('board?', 'board/totals?'),
    who: ({ sellers }) => sellers[3]!,
  },
  {
    title: '50 cards by ids',
    path: (account, turn) =>
      board(
        account,
        `&ids=${Array.from({ length: 50 }, (_, index) => 1 + ((turn * 7919 + index * 97) % account.leads)).join()}`,
      ).replace('board?', 'board/cards?'),
  },
  { title: 'aggregate', path: () => '/web/v1/aggregate?entity=leads' },
  {
    title: 'aggregate of a tenth of the prices',
    path: (account) =>
      `/web/v1/aggregate?entity=leads&filter[price][from]=1&filter[price][to]=${Math.floor(account.leads / 10)}`,
  },
]

await compareSizes('board', requests, sizes)
