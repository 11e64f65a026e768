// The filter cookbook: every form of every list filter, by example (interface: Filtered lists).
// The page /developers/filters shows it, docs/guides/filter-cookbook.md has it as a shell session, and the tests send
// every example.

export interface Chapter {
  title: string
  /** Explains the names in the examples; text in backticks is code. */
  hint: string
  recipes: Recipe[]
}

export interface Recipe {
  /** The title: what the query finds. */
  finds: string
  /** The path of the list; `$NAME` stands for an id. */
  list: string
  /** The query string as sent; `$NAME` stands for an id or a time of the account. */
  query: string
}

type Row = [finds: string, query: string, list?: Recipe['list']]

const chapter = (title: string, hint: string, ...rows: Row[]): Chapter => ({
  title,
  hint,
  recipes: rows.map(([finds, query, list = 'leads']) => ({
    finds,
    list,
    query,
  })),
})

/** Makes the rows of one custom field: puts its filter name before each query. */
const values = (name: string, ...rows: Row[]): Row[] =>
  rows.map(
    ([finds, query, list]) =>
      [
        finds,
        query.replaceAll(/(^|&)\[/g, `$1filter[custom_fields_values][$${name}][`),
        ...(list ? [list] : []),
      ] as Row,
  )

const ofCustomers = (...rows: [finds: string, query: string][]): Row[] =>
  rows.map((row) => [...row, 'customers'])

const ofTasks = (...rows: [finds: string, query: string][]): Row[] =>
  rows.map((row) => [...row, 'tasks'])

export const cookbook: Chapter[] = [
  chapter(
    'Ids and names',
    '`$LEAD` and `$ORDER` are lead ids. Send one value, or several with `[]` after the name, or with `[0]`, `[1]` and so on.',
    ['One lead by id', 'filter[id]=$LEAD'],
    ['Several leads by id', 'filter[id][]=$LEAD&filter[id][]=$ORDER'],
    ['Leads by full name, in any case', 'filter[name]=bakery%20WEBSITE'],
    [
      'Leads with one of several names',
      'filter[name][0]=Bakery%20website&filter[name][1]=Shop%20lighting',
    ],
    ['A contact by name', 'filter[name]=The%20baker', 'contacts'],
  ),
  chapter(
    'Price and stage',
    '`$PIPELINE` and `$WHOLESALE` are pipeline ids; `$FIRST` is a status id. In every pipeline, 142 is won and 143 is lost. A range includes both ends, and either end may be left out.',
    ['Price between two amounts', 'filter[price][from]=1000&filter[price][to]=5000'],
    ['Price of at least an amount', 'filter[price][from]=4000'],
    ['Exact price', 'filter[price]=900'],
    ['Leads in a pipeline', 'filter[pipeline_id]=$WHOLESALE'],
    [
      'Leads in one of several pipelines',
      'filter[pipeline_id][]=$PIPELINE&filter[pipeline_id][]=$WHOLESALE',
    ],
    [
      'Leads won in a pipeline',
      'filter[statuses][0][pipeline_id]=$PIPELINE&filter[statuses][0][status_id]=142',
    ],
    [
      'Leads in one of several statuses, each with its pipeline',
      'filter[statuses][0][pipeline_id]=$PIPELINE&filter[statuses][0][status_id]=142&filter[statuses][1][pipeline_id]=$WHOLESALE&filter[statuses][1][status_id]=$FIRST',
    ],
  ),
  chapter(
    'Users',
    '`$ME` is a user id; 0 is the system.',
    ['Leads by responsible user', 'filter[responsible_user_id]=$ME'],
    ['Leads created by one of several users', 'filter[created_by][]=$ME&filter[created_by][]=0'],
    ['Leads last changed by a user', 'filter[updated_by]=$ME'],
  ),
  chapter(
    'Times',
    '`$WEEK_AGO` and `$NOW` are times in Unix seconds. A single time means from that time on.',
    [
      'Leads created between two times',
      'filter[created_at][from]=$WEEK_AGO&filter[created_at][to]=$NOW',
    ],
    ['Leads created since a time', 'filter[created_at]=$WEEK_AGO'],
    ['Leads changed since a time', 'filter[updated_at][from]=$WEEK_AGO'],
    ['Leads closed since a time', 'filter[closed_at][from]=$WEEK_AGO'],
    ['Leads without an open task', 'filter[closest_task_at]=0'],
    ['Leads with an overdue task', 'filter[closest_task_at][to]=$NOW'],
  ),
  chapter(
    'Custom fields',
    '`filter[custom_fields_values]` is followed by a field id: `$SEATS` and so on. Send a value with `[]`, and repeat it to match any of several values. Numbers and dates also take `[from]` and `[to]`. Lists take the id of a choice (`$COURIER`), checkboxes take 1 or 0, dates take day.month.year, year-month-day or Unix seconds.',
    ...values(
      'SEATS',
      ['A number', '[]=40'],
      ['One of several numbers', '[]=40&[]=50'],
      ['A range of numbers', '[from]=30&[to]=45'],
    ),
    ...values('DEPOSIT', ['An amount of money', '[from]=99.5']),
    ...values(
      'CONTRACT',
      ['A text, in any case', '[]=a-17'],
      ['One of several texts', '[]=A-17&[]=A-18'],
    ),
    ...values('WISHES', ['A long text', '[]=No%20ads']),
    ...values('SITE', ['A web address', '[]=https://bakery.example']),
    ...values('STREET', ['A street', '[]=Mill%20Lane%201']),
    ...values('DELIVERY', ['A choice', '[]=$COURIER']),
    ...values('EXTRAS', ['One of several choices', '[]=$HOSTING&[]=$TEXTS']),
    ...values('SIZE', ['A radio button', '[]=$SMALL']),
    ...values('URGENT', ['Checked', '[]=1'], ['Not checked, or never set', '[]=0']),
    ...values(
      'OPENING',
      ['A day', '[]=31.12.2026'],
      ['A range of days', '[from]=01.12.2026&[to]=31.12.2026'],
      ['The same range in Unix seconds', '[from]=1796083200&[to]=1798761599'],
    ),
    ...values('FOUNDED', ['A birthday', '[]=24.05.1990']),
    ...values('VISIT', ['A range of dates and times', '[from]=01.12.2026&[to]=31.12.2026']),
    ...values('PHONE', ['A phone, by its digits', '[]=74951234567', 'contacts']),
    ...values('EMAIL', ['An e-mail', '[]=Baker@example.com', 'contacts']),
  ),
  chapter(
    'Tags',
    '`$LEAD_TAG` and `$CUSTOMER_TAG` are ids of tags. All lists of records take this filter, which is an addition of Kontor.',
    ['Leads with a tag', 'filter[tags]=$LEAD_TAG'],
    ['Customers with one of several tags', 'filter[tags][]=$CUSTOMER_TAG', 'customers'],
  ),
  chapter(
    'Several filters, and text search',
    'A record must meet every filter. `query` searches names, phones, e-mails and text fields for words or parts of words. It ignores case and accents. It also finds leads by their contacts and companies.',
    [
      'Several filters at once',
      'filter[price][from]=1000&filter[responsible_user_id]=$ME&filter[custom_fields_values][$SEATS][to]=45',
    ],
    ['Words in any order', 'query=lighting%20shop'],
    ['A name without its accents', 'query=creme', 'companies'],
    ['A phone in any notation', 'query=%2B7%20(495)%20123-45-67', 'contacts'],
    ['Leads of a contact', 'query=baker'],
    ['Words and a filter', 'query=bakery&filter[price][from]=1000'],
  ),
  chapter(
    'Order, pages and extra data',
    'Lists are sorted by id. `order` sorts them by `created_at`, `updated_at` or `id`, with `asc` or `desc`. A page holds 50 records by default; `limit` sets another number, 250 at most. `_links.next` leads to the next page.',
    ['Newest first', 'order[created_at]=desc&limit=2'],
    ['Least recently changed first', 'order[updated_at]=asc&limit=2'],
    ['The second page, two leads a page', 'order[id]=desc&limit=2&page=2'],
    ['Leads with their contacts', 'with=contacts&filter[id]=$LEAD'],
    ['Leads in the bin', 'with=only_deleted'],
  ),
  chapter(
    'Customers',
    '`$CUSTOMER` is a customer id; `$RECENT` and `$MISSED` are ids of customer statuses. `filter[date]` takes a `type`, create or update, and a range of times.',
    ...ofCustomers(
      ['One customer by id', 'filter[id]=$CUSTOMER'],
      ['A customer by full name', 'filter[name]=bakery%20SUPPLIES'],
      ['Customers in a status', 'filter[status_id]=$RECENT'],
      [
        'Customers in one of several statuses',
        'filter[status_id][]=$RECENT&filter[status_id][]=$MISSED',
      ],
      [
        'Customers with the next purchase between two times',
        'filter[next_date][from]=$NOW&filter[next_date][to]=$NEXT_WEEK',
      ],
      ['Customers with a missed purchase', 'filter[next_date][to]=$NOW'],
      ['An expected price of at least an amount', 'filter[next_price][from]=800'],
      ['One of several expected prices', 'filter[next_price]=500,900'],
      ['Customers created since a time', 'filter[date][type]=create&filter[date][from]=$WEEK_AGO'],
      [
        'Customers changed between two times',
        'filter[date][type]=update&filter[date][from]=$WEEK_AGO&filter[date][to]=$NEXT_WEEK',
      ],
      [
        'The same filters as those of leads',
        'filter[created_at][from]=$WEEK_AGO&filter[updated_at][from]=$WEEK_AGO',
      ],
      [
        'Customers by user',
        'filter[responsible_user_id]=$ME&filter[created_by]=$ME&filter[updated_by]=$ME',
      ],
      ['Customers without an open task', 'filter[closest_task_at]=0'],
      ['Customers by a custom field', 'filter[custom_fields_values][$EMPLOYEES][from]=10'],
      ['Words', 'query=supplies%20bakery'],
      [
        'A customer with its contacts, company and products',
        'with=contacts,companies,catalog_elements&filter[id]=$CUSTOMER',
      ],
    ),
  ),
  chapter(
    'Tasks',
    '`$TASK` is a task id, `$SHOP` a lead id. `is_completed` is 1 or 0; a task type is 1 for calls, 2 for meetings, or the id of a type of the account. `filter[entity_id]` needs `filter[entity_type]`.',
    ...ofTasks(
      ['One task by id', 'filter[id]=$TASK'],
      [
        'Open tasks of a user, by time',
        'filter[is_completed]=0&filter[responsible_user_id]=$ME&order[complete_till]=asc',
      ],
      ['Completed tasks', 'filter[is_completed]=1'],
      ['Tasks of a type', 'filter[task_type]=2'],
      ['Tasks of one of several types', 'filter[task_type_id]=1,2'],
      ['Tasks for leads or customers', 'filter[entity_type]=leads,customers'],
      ['Tasks for a lead', 'filter[entity_type]=leads&filter[entity_id]=$SHOP'],
      [
        'Tasks for the leads in a status',
        'filter[lead_statuses][0][pipeline_id]=$WHOLESALE&filter[lead_statuses][0][status_id]=$FIRST',
      ],
      ['Tasks added by a user', 'filter[created_by]=$ME'],
      ['Tasks changed since a time', 'filter[updated_at][from]=$WEEK_AGO'],
    ),
  ),
  chapter(
    'Purchases, segments and products',
    '`$PURCHASE` is the id of a transaction, `$CATALOG` of a catalog and `$LAMP` of an element. `offset` needs a `limit`.',
    ['One purchase by id', 'filter[id]=$PURCHASE', 'customers/transactions'],
    ['The newest purchases first', 'order[id]=desc&limit=2', 'customers/transactions'],
    ['Purchases after the first one', 'offset=1&limit=2', 'customers/transactions'],
    ['A purchase of one customer', 'limit=1', 'customers/$CUSTOMER/transactions'],
    ['The second segment', 'limit=1&page=2', 'customers/segments'],
    ['The catalog of products', 'type=products', 'catalogs'],
    ['One product by id', 'filter[id]=$LAMP', 'catalogs/$CATALOG/elements'],
    ['A product by its SKU', 'query=lamp-12', 'catalogs/$CATALOG/elements'],
    ['A lead with its products', 'with=catalog_elements&filter[id]=$ORDER'],
  ),
]

/** A query that is refused, with its answer. */
export const refused = {
  list: 'leads',
  query: 'filter[price][from]=cheap',
  answer: {
    title: 'Bad Request',
    'validation-errors': [
      {
        request_id: '0',
        errors: [
          {
            code: 'InvalidType',
            path: 'filter[price][from]',
            detail:
              'This value should be of type int. It takes filter[price][from]=<number> and filter[price][to]=<number>, either one alone, or filter[price]=<number> for exactly that.',
          },
        ],
      },
    ],
    type: 'https://httpstatus.es/400',
    status: 400,
    detail: 'Request validation failed',
  },
}
