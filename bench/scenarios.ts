// What is measured. Each scenario is a list of requests that the load repeats in turn, prepared before the clock starts; they differ
// from each other, so that no scenario is a single hot row. The same requests go to Kontor and to the floor.
export interface Call {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: unknown
}

/** The account that the requests are about; ids of leads run from `first` without gaps. */
export interface Account {
  id: number
  userId: number
  token: string
  first: number
  leads: number
}

export interface Scenario {
  name: string
  title: string
  /** Records that one request reads or writes. */
  records: number
  /** Least requests per second, as a part of the floor's. */
  ratio?: number
  /** Least records per second. */
  rate?: number
  calls(account: Account): Call[]
}

/** The page that a walk goes to, of 50 records each. */
export const farPage = 1800

export const scenarios: Scenario[] = [
  {
    name: 'one',
    title: 'get one lead',
    records: 1,
    ratio: 0.5,
    calls: ({ first, leads }) => times(1000, (turn) => get(`/${first + ((turn * 7919) % leads)}`)),
  },
  list('list-50', 'list 50, anywhere in the account', 50, (turn) => `limit=50&page=${1 + (turn % 20)}`),
  list('list-250', 'list 250', 250, (turn) => `limit=250&page=${1 + (turn % 4)}`),
  list('price-few', 'list 50 by price, 100 match', 50, (turn) => `limit=50&${priceBetween(turn * 15_000, 1_000)}`),
  list('price-many', 'list 50 by price, 25,000 match', 50, (turn) => `limit=50&${priceBetween(turn * 10_000, 250_000)}`),
  {
    name: 'patch-50',
    title: 'change 50 leads',
    records: 50,
    // Calls never share a lead, so that connections do not wait for each other, and the leads of one lie far apart. A price that is
    // there already would change nothing, therefore the shift.
    calls: ({ first, leads }) => {
      const apart = leads / 50
      const shift = Math.floor(Math.random() * 1_000_000)
      const body = (turn: number) =>
        times(50, (place) => ({ id: first + turn + place * apart, price: price(turn * 50 + place + shift) }))
      return times(apart, (turn) => ({ method: 'PATCH', path: '/api/v4/leads', body: body(turn) }))
    },
  },
  create('create-50', 'create 50 leads', 50),
  { ...create('create-250', 'create 250 leads', 250), rate: 20_000 },
]

/** Half of the new leads have tags, from one to three. */
function create(name: string, title: string, records: number): Scenario {
  const lead = (number: number) => ({
    name: `Order ${(number * 7919) % 100_003} of the year`,
    price: price(number),
    ...(number % 2 === 1 && {
      _embedded: { tags: times(1 + (number % 3), (place) => ({ name: `tag ${(number + place * 37) % 200}` })) },
    }),
  })
  const body = (turn: number) => times(records, (place) => lead(turn * records + place))
  return {
    name,
    title,
    records,
    calls: () => times(40, (turn) => ({ method: 'POST', path: '/api/v4/leads', body: body(turn) })),
  }
}

function list(name: string, title: string, records: number, query: (turn: number) => string): Scenario {
  return { name, title, records, ratio: 0.75, calls: () => times(50, (turn) => get(`?${query(turn)}`)) }
}

function priceBetween(from: number, width: number): string {
  return `filter[price][from]=${from}&filter[price][to]=${from + width - 1}`
}

const price = (number: number) => (number * 104_729) % 1_000_000

const get = (rest: string): Call => ({ method: 'GET', path: encodeURI(`/api/v4/leads${rest}`) })

function times<T>(count: number, make: (turn: number) => T): T[] {
  return Array.from({ length: count }, (_, turn) => make(turn))
}
