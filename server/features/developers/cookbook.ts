// The filter cookbook: every filter of the filtered lists in every form, by example (specification, Filtered lists). The page
// /developers/filters shows it, the README has it as a session in a shell, and the tests ask every example.

export interface Chapter {
  title: string
  /** What the examples mean by their names; `…` is code. */
  hint: string
  recipes: Recipe[]
}

export interface Recipe {
  /** What it finds, in one line. */
  finds: string
  list: 'leads' | 'contacts' | 'companies'
  /** The query string as it is sent; `$NAME` stands for what only an account knows. */
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

/** Makes the rows of one custom field: its name stands before each query. */
const values = (name: string, ...rows: Row[]): Row[] =>
  rows.map(
    ([finds, query, list]) =>
      [
        finds,
        query.replaceAll(/(^|&)\[/g, `$1filter[custom_fields_values][$${name}][`),
        ...(list ? [list] : []),
      ] as Row,
  )

export const cookbook: Chapter[] = [
  chapter(
    'By id and name',
    '`$LEAD` and `$ORDER` are ids of leads. One value, or several with `[]` after the name, or `[0]`, `[1]` and so on.',
    ['One lead by its id', 'filter[id]=$LEAD'],
    ['Several by their ids', 'filter[id][]=$LEAD&filter[id][]=$ORDER'],
    ['By the whole name, in any case', 'filter[name]=bakery%20WEBSITE'],
    ['By one of several names', 'filter[name][0]=Bakery%20website&filter[name][1]=Shop%20lighting'],
    ['A contact by its name', 'filter[name]=The%20baker', 'contacts'],
  ),
  chapter(
    'By price and stage',
    '`$PIPELINE` and `$WHOLESALE` are ids of pipelines, `$FIRST` of a status. 142 is won and 143 is lost in every pipeline. Ends of a range belong to it, and one end is enough.',
    ['A price between two', 'filter[price][from]=1000&filter[price][to]=5000'],
    ['A price from one on', 'filter[price][from]=4000'],
    ['Exactly one price', 'filter[price]=900'],
    ['In a pipeline', 'filter[pipeline_id]=$WHOLESALE'],
    ['In one of several', 'filter[pipeline_id][]=$PIPELINE&filter[pipeline_id][]=$WHOLESALE'],
    [
      'Won in one pipeline',
      'filter[statuses][0][pipeline_id]=$PIPELINE&filter[statuses][0][status_id]=142',
    ],
    [
      'In one of several statuses, each with its pipeline',
      'filter[statuses][0][pipeline_id]=$PIPELINE&filter[statuses][0][status_id]=142&filter[statuses][1][pipeline_id]=$WHOLESALE&filter[statuses][1][status_id]=$FIRST',
    ],
  ),
  chapter(
    'By people',
    '`$ME` is the id of a user; 0 is the system.',
    ['Somebody is responsible', 'filter[responsible_user_id]=$ME'],
    ['One of several created it', 'filter[created_by][]=$ME&filter[created_by][]=0'],
    ['Somebody changed it last', 'filter[updated_by]=$ME'],
  ),
  chapter(
    'By time',
    'Times are Unix seconds: `$WEEK_AGO`, `$NOW`. One time alone means from then on.',
    ['Created between two times', 'filter[created_at][from]=$WEEK_AGO&filter[created_at][to]=$NOW'],
    ['Created since then', 'filter[created_at]=$WEEK_AGO'],
    ['Changed since then', 'filter[updated_at][from]=$WEEK_AGO'],
    ['Closed since then', 'filter[closed_at][from]=$WEEK_AGO'],
    ['Without an open task', 'filter[closest_task_at]=0'],
    ['With a task that is overdue', 'filter[closest_task_at][to]=$NOW'],
  ),
  chapter(
    'By custom fields',
    'After `filter[custom_fields_values]` comes the id of a field: `$SEATS` and the other names. A value is given with `[]`, several times for any of several; numbers and dates may have `[from]` and `[to]`. Lists take the id of a choice (`$COURIER`), checkboxes 1 or 0, dates day.month.year or Unix seconds.',
    ...values(
      'SEATS',
      ['A number', '[]=40'],
      ['One of several numbers', '[]=40&[]=50'],
      ['A number between two', '[from]=30&[to]=45'],
    ),
    ...values('DEPOSIT', ['An amount of money', '[from]=99.5']),
    ...values(
      'CONTRACT',
      ['A text, in any case', '[]=a-17'],
      ['One of several texts', '[]=A-17&[]=A-18'],
    ),
    ...values('WISHES', ['A long text', '[]=No%20ads']),
    ...values('SITE', ['An address in the web', '[]=https://bakery.example']),
    ...values('STREET', ['A street', '[]=Mill%20Lane%201']),
    ...values('DELIVERY', ['A choice', '[]=$COURIER']),
    ...values('EXTRAS', ['One of several choices', '[]=$HOSTING&[]=$TEXTS']),
    ...values('SIZE', ['A choice of radio buttons', '[]=$SMALL']),
    ...values('URGENT', ['Checked', '[]=1'], ['Not checked, or never said', '[]=0']),
    ...values(
      'OPENING',
      ['A day', '[]=31.12.2026'],
      ['Days from one to another', '[from]=01.12.2026&[to]=31.12.2026'],
      ['The same in Unix seconds', '[from]=1796083200&[to]=1798761599'],
    ),
    ...values('FOUNDED', ['A birthday', '[]=24.05.1990']),
    ...values('VISIT', ['A day and time', '[from]=01.12.2026&[to]=31.12.2026']),
    ...values('PHONE', ['A phone, by its digits', '[]=74951234567', 'contacts']),
    ...values('EMAIL', ['An e-mail', '[]=Baker@example.com', 'contacts']),
  ),
  chapter(
    'Several at once, and text search',
    'What is asked for in several filters must all be so. `query` finds words, or parts of them, in names, phones, e-mails and text fields, in any case, with or without accents; leads also by their contacts and companies.',
    [
      'A filter and another',
      'filter[price][from]=1000&filter[responsible_user_id]=$ME&filter[custom_fields_values][$SEATS][to]=45',
    ],
    ['Words in any order', 'query=lighting%20shop'],
    ['Without its accents', 'query=creme', 'companies'],
    ['A phone, however it is written', 'query=%2B7%20(495)%20123-45-67', 'contacts'],
    ['Leads of a contact', 'query=baker'],
    ['Words and a filter', 'query=bakery&filter[price][from]=1000'],
  ),
  chapter(
    'Order, pages and what comes with it',
    'Lists are in the order of ids unless `order` says `created_at`, `updated_at` or `id`, `asc` or `desc`. A page has 50 records unless `limit` says otherwise, 250 at most; `_links.next` leads to the next one.',
    ['The newest first', 'order[created_at]=desc&limit=2'],
    ['Those that were left alone for longest', 'order[updated_at]=asc&limit=2'],
    ['The second page of two', 'order[id]=desc&limit=2&page=2'],
    ['With the contacts of each', 'with=contacts&filter[id]=$LEAD'],
    ['What is in the bin', 'with=only_deleted'],
  ),
]

/** A query that is refused, and what the answer says of it. */
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

/** As the README has it: a paragraph, and one block of a shell. */
export function chapterInMarkdown({ title, hint, recipes }: Chapter): string {
  const lines = recipes.map(
    ({ finds, list, query }) => `# ${finds}\ncall "$KONTOR/api/v4/${list}?${query}" | names`,
  )
  return `**${title}.** ${hint}\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`
}
