// The scenarios. Each is a list of requests, prepared before the clock starts, that the load
// repeats in turn. The requests differ, so that no scenario is a single hot row. Kontor and the
// floors get the same requests.
export interface Call {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: unknown
}

export interface User {
  userId: number
  token: string
}

/**
 * The account of the requests, and its administrator. Ids of leads, contacts, customers and segments,
 * and of the elements of its catalog, run from `first` without gaps.
 */
export interface Account extends User {
  id: number
  first: number
  leads: number
  contacts: number
  customers: number
  catalog: number
  elements: number
  /** Users who see all records. */
  viewers: User[]
  /** Users who see only their own records: a tenth of the leads each. */
  sellers: User[]
}

export interface Scenario {
  name: string
  title: string
  /** The records that one request reads or writes. */
  records: number
  /** The least requests per second, as a part of the floor's. */
  ratio?: number
  /** The least records per second. */
  rate?: number
  /** A seller sends the requests; the floor is Kontor itself, asked by the administrator. */
  bySeller?: boolean
  calls(account: Account): Call[]
}

/** The far page of a list with 50 records per page. */
export const farPage = 1800

type Type = 'leads' | 'contacts'

export const scenarios: Scenario[] = [
  one('one', 'get one lead', 'leads'),
  list('list-50', 'list 50, anywhere in the account', 50, 'leads', anywhere(50, 20)),
  list('list-250', 'list 250', 250, 'leads', anywhere(250, 4)),
  list(
    'far-page',
    'a far page of 50, asked cold by its number',
    50,
    'leads',
    (turn) => `limit=50&page=${farPage - 2 * turn}`,
  ),
  list(
    'price-few',
    'list 50 by price, 100 match',
    50,
    'leads',
    (turn) => `limit=50&${priceBetween(turn * 15_000, 1_000)}`,
  ),
  list(
    'price-many',
    'list 50 by price, 25,000 match',
    50,
    'leads',
    (turn) => `limit=50&${priceBetween(turn * 10_000, 250_000)}`,
  ),
  // The shift makes each price new: an equal price would change nothing.
  patch('patch-50', 'change 50 leads', 'leads', (number) => ({ price: price(number) })),
  create('create-1', 'create one lead', 1, 'leads', newLead),
  create('create-50', 'create 50 leads', 50, 'leads', newLead),
  { ...create('create-250', 'create 250 leads', 250, 'leads', newLead), rate: 20_000 },
  one('contact-one', 'get one contact', 'contacts'),
  list('contact-list-50', 'list 50 contacts', 50, 'contacts', anywhere(50, 20)),
  list('contact-list-250', 'list 250 contacts', 250, 'contacts', anywhere(250, 4)),
  patch('contact-patch-50', 'change 50 contacts', 'contacts', (number) => ({
    name: `Name ${price(number)}`,
  })),
  create('contact-create-50', 'create 50 contacts', 50, 'contacts', newContact),
  {
    ...create('contact-create-250', 'create 250 contacts', 250, 'contacts', newContact),
    rate: 20_000,
  },
  list('note-list-50', 'list 50 notes of leads', 50, 'leads/notes', anywhere(50, 20)),
  notes('note-create-50', 'create 50 notes', 50),
  phoneCalls('call-create-50', 'add 50 calls', 50),
  phoneCalls('call-create-250', 'add 250 calls', 250),
  list(
    'customer-list-250',
    'list 250 customers with segments and tags',
    250,
    'customers',
    anywhere(250, 4),
  ),
  { ...customers('customer-create-500', 'create 500 customers', 500), rate: 8000 },
  list(
    'transaction-list-250',
    'list 250 transactions of customers',
    250,
    'customers/transactions',
    anywhere(250, 4),
  ),
  {
    ...transactions('transaction-create-250', 'create 250 transactions of one customer', 250),
    rate: 8000,
  },
  {
    name: 'task-list-50',
    title: 'list the next 50 open tasks of a user',
    records: 50,
    ratio: 0.75,
    calls: ({ sellers }) =>
      times(50, (turn) => {
        const { userId } = sellers[turn % sellers.length]!
        const filter = `filter[is_completed][0]=0&filter[responsible_user_id][0]=${userId}`
        return get(`tasks?${filter}&limit=50&order[complete_till]=asc`)
      }),
  },
  tasks('task-create-50', 'create 50 tasks', 50),
  tasks('task-create-250', 'create 250 tasks', 250),
  {
    ...list(
      'own-only',
      'list 50 own of 10,000 (floor: the administrator)',
      50,
      'leads',
      anywhere(50, 20),
    ),
    ratio: 0.7,
    bySeller: true,
  },
]

function one(name: string, title: string, type: Type): Scenario {
  const calls = ({ first, [type]: count }: Account) =>
    times(1000, (turn) => get(`${type}/${first + ((turn * 7919) % count)}`))
  return { name, title, records: 1, ratio: 0.5, calls }
}

function list(
  name: string,
  title: string,
  records: number,
  type: Type | 'customers' | 'leads/notes' | 'customers/transactions',
  query: (turn: number) => string,
): Scenario {
  return {
    name,
    title,
    records,
    ratio: 0.75,
    calls: () => times(50, (turn) => get(`${type}?${query(turn)}`)),
  }
}

function anywhere(limit: number, pages: number) {
  return (turn: number) => `limit=${limit}&page=${1 + (turn % pages)}`
}

/**
 * Calls never share a record, so that connections do not wait for each other. The records of one
 * call lie far apart.
 */
function patch(
  name: string,
  title: string,
  type: Type,
  change: (number: number) => object,
): Scenario {
  return {
    name,
    title,
    records: 50,
    calls: ({ first, [type]: count }) => {
      const apart = count / 50
      const shift = Math.floor(Math.random() * 1_000_000)
      const body = (turn: number) =>
        times(50, (index) => ({
          id: first + turn + index * apart,
          ...change(turn * 50 + index + shift),
        }))
      return times(apart, (turn) => ({
        method: 'PATCH',
        path: `/api/v4/${type}`,
        body: body(turn),
      }))
    },
  }
}

function create(
  name: string,
  title: string,
  records: number,
  type: Type,
  draft: (number: number) => object,
): Scenario {
  const body = (turn: number) => times(records, (index) => draft(turn * records + index))
  const calls = () =>
    times(40, (turn): Call => ({ method: 'POST', path: `/api/v4/${type}`, body: body(turn) }))
  return { name, title, records, calls }
}

/** Each note belongs to another lead, so that connections do not wait for each other. */
function notes(name: string, title: string, records: number): Scenario {
  const draft = (number: number) => ({
    entity_id: number,
    note_type: 'common',
    params: { text: `Said on call ${number}` },
  })
  const calls = ({ first, leads }: Account) =>
    times(leads / records, (turn): Call => ({
      method: 'POST',
      path: '/api/v4/leads/notes',
      body: times(records, (index) => draft(first + turn + (index * leads) / records)),
    }))
  return { name, title, records, calls }
}

/** Each call is of another contact; the active leads of most get it, so that no two wait. */
function phoneCalls(name: string, title: string, records: number): Scenario {
  const draft = (number: number) => ({
    direction: 'inbound',
    duration: number % 600,
    source: 'pbx',
    phone: String(79_000_000_000 + number),
  })
  const calls = ({ first, contacts }: Account) =>
    times(contacts / records, (turn): Call => ({
      method: 'POST',
      path: '/api/v4/calls',
      body: times(records, (index) => draft(first + turn + (index * contacts) / records)),
    }))
  return { name, title, records, calls }
}

/** Half of the customers have tags, and a third has segments. */
function customers(name: string, title: string, records: number): Scenario {
  const calls = ({ first }: Account) => {
    const draft = (number: number) => {
      const { _embedded } = tagged(number)
      const isMember = number % 3 === 0
      const segments = [{ id: first + (number % 20) }]
      return {
        name: `Customer ${(number * 7919) % 100_003}`,
        next_date: 1_900_000_000 + number,
        next_price: price(number),
        ...((_embedded || isMember) && {
          _embedded: { ..._embedded, ...(isMember && { segments }) },
        }),
      }
    }
    return times(40, (turn): Call => ({
      method: 'POST',
      path: '/api/v4/customers',
      body: times(records, (index) => draft(turn * records + index)),
    }))
  }
  return { name, title, records, calls }
}

/** Each task belongs to another lead, so that connections do not wait for each other. */
function tasks(name: string, title: string, records: number): Scenario {
  const draft = (number: number) => ({
    text: `Call back about ${number}`,
    complete_till: 1_800_000_000 + ((number * 7919) % 100_003),
    entity_type: 'leads',
    entity_id: number,
  })
  const calls = ({ first, leads }: Account) =>
    times(leads / records, (turn): Call => ({
      method: 'POST',
      path: '/api/v4/tasks',
      body: times(records, (index) => draft(first + turn + (index * leads) / records)),
    }))
  return { name, title, records, calls }
}

/** Each request is about another customer, so that connections do not wait for each other. */
function transactions(name: string, title: string, records: number): Scenario {
  const calls = ({ first, customers, catalog, elements }: Account) => {
    const draft = (number: number) => ({
      price: price(number),
      completed_at: 1_760_000_000 + number,
      ...(number % 2 === 0 && {
        _embedded: {
          catalog_elements: [
            { id: first + (number % elements), metadata: { catalog_id: catalog, quantity: 2 } },
          ],
        },
      }),
    })
    return times(400, (turn): Call => ({
      method: 'POST',
      path: `/api/v4/customers/${first + ((turn * 7919) % customers)}/transactions`,
      body: times(records, (index) => draft(turn * records + index)),
    }))
  }
  return { name, title, records, calls }
}

function newLead(number: number) {
  return {
    name: `Order ${(number * 7919) % 100_003} of the year`,
    price: price(number),
    ...tagged(number),
  }
}

function newContact(number: number) {
  return {
    first_name: `First ${number % 1000}`,
    last_name: `Last ${(number * 7919) % 100_003}`,
    ...tagged(number),
  }
}

/** Half of the new records have tags, one to three each. */
function tagged(number: number): { _embedded?: { tags: { name: string }[] } } {
  if (number % 2 === 0) return {}
  return {
    _embedded: {
      tags: times(1 + (number % 3), (index) => ({ name: `tag ${(number + index * 37) % 200}` })),
    },
  }
}

function priceBetween(from: number, width: number): string {
  return `filter[price][from]=${from}&filter[price][to]=${from + width - 1}`
}

function price(number: number): number {
  return (number * 104_729) % 1_000_000
}

/** A read below `/api/v4`. */
export function get(rest: string): Call {
  return { method: 'GET', path: encodeURI(`/api/v4/${rest}`) }
}

function times<T>(count: number, make: (turn: number) => T): T[] {
  return Array.from({ length: count }, (_, turn) => make(turn))
}
