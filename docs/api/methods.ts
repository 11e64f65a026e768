// The methods of the interface that Kontor implements, and how Kontor answers each: the data of docs/compatibility.md. A method that works, or
// differs, has a route; one that is not there yet has none; and every route stands here (compatibility.ts checks it).

export type Status =
  /** Kontor answers as the interface says. */
  | 'works'
  /** Kontor answers, and differs on purpose: `note` says how. */
  | 'differs'
  /** The interface has the method, Kontor does not. */
  | 'not yet'
  /** Only Kontor has the method. */
  | 'addition'

export interface Method {
  /** One or several, as `GET POST`. */
  methods: string
  path: string
  status: Status
  /** A sentence or more for the reader, in Markdown. */
  note?: string
  /** The number of the decision page that has the reasons. */
  decision?: number
}

export interface Chapter {
  title: string
  methods: Method[]
}

const row =
  (status: Status) =>
  (methods: string, path: string, note?: string, decision?: number): Method => ({
    methods,
    path,
    status,
    ...(note !== undefined && { note }),
    ...(decision !== undefined && { decision }),
  })
const works = row('works')
const differs = row('differs')
const missing = row('not yet')
const addition = row('addition')

const renumbered =
  'A write numbers `sort` anew, 20, 30, 40 …: a sent `sort` says between which statuses one goes.'
const renumberedOfCustomers =
  'A write numbers `sort` anew, 1, 2, 3 …: a sent `sort` says between which statuses one goes.'

const records = ['leads', 'contacts', 'companies'] as const

/** The rows of each entity type. */
const each = (types: readonly string[], rows: (type: string) => Method[]) => types.flatMap(rows)

const bin = 'The record goes into the bin, and its links and tags stay with it.'

export const chapters: Chapter[] = [
  {
    title: 'Tokens and the account',
    methods: [
      works('GET POST', '/oauth', 'The page where a user grants access.'),
      differs(
        'POST',
        '/oauth2/access_token',
        'A refresh token is used once. A repeat within a minute is refused; a later one ends the whole grant. An integration may be set to accept the repeat of the first minute.',
      ),
      works('GET', '/oauth2/account/current/subdomain'),
      works('GET', '/oauth2/account/subdomain'),
      missing('POST', '/oauth2/exchange_api_key'),
      works('GET', '/api/v4/account'),
      works('GET', '/api/v4/currencies'),
    ],
  },
  {
    title: 'Users and roles',
    methods: [
      works('GET POST', '/api/v4/users'),
      works('GET', '/api/v4/users/{id}'),
      works('POST', '/api/v4/users/activate'),
      differs(
        'POST',
        '/api/v4/users/deactivate',
        'All tokens and sessions of the user end at once, also the tokens that an administrator granted to an integration.',
        10,
      ),
      works('GET POST', '/api/v4/roles'),
      works('GET PATCH DELETE', '/api/v4/roles/{id}'),
    ],
  },
  {
    title: 'Leads, contacts and companies',
    methods: [
      ...each(records, (type) => [
        works('GET POST PATCH', `/api/v4/${type}`),
        works(
          'GET PATCH',
          `/api/v4/${type}/{id}`,
          'A change answers the record both flat and under `_embedded`, as programs read either.',
        ),
        addition('DELETE', `/api/v4/${type}/{id}`, bin),
        addition('POST', `/api/v4/${type}/{id}/restore`),
      ]),
      works('GET', '/api/v4/lead', 'The same list as `/api/v4/leads`.'),
      differs(
        'POST',
        '/api/v4/leads/complex',
        'Items with `_embedded.metadata` become unsorted, also beside items without, and come with new contacts and companies only. Duplicate control is set for each integration and pipeline; of more than three matching contacts, the oldest with the same name is used.',
        29,
      ),
    ],
  },
  {
    title: 'Links',
    methods: each([...records, 'customers'], (type) => [
      differs(
        'GET',
        `/api/v4/${type}/{id}/links`,
        'A page holds 250 links unless `limit` says less.',
        20,
      ),
      differs('GET', `/api/v4/${type}/links`, 'The same.', 20),
      works(
        'POST',
        `/api/v4/${type}/{id}/link`,
        'An element that is linked already gets the new quantity and price, without an event. Links of elements are events of the record alone.',
        35,
      ),
      works('POST', `/api/v4/${type}/link`, 'The same.', 35),
      works('POST', `/api/v4/${type}/{id}/unlink`),
      works('POST', `/api/v4/${type}/unlink`),
    ]),
  },
  {
    title: 'Tags',
    methods: [
      works('GET POST PATCH', '/api/v4/leads/tags'),
      works('PATCH', '/api/v4/leads/tags/{id}'),
      ...each(['contacts', 'companies', 'customers'], (type) => [
        works('GET POST', `/api/v4/${type}/tags`),
        addition('PATCH', `/api/v4/${type}/tags`),
        addition('PATCH', `/api/v4/${type}/tags/{id}`),
      ]),
      ...each([...records, 'customers'], (type) => [
        addition('DELETE', `/api/v4/${type}/tags/{id}`, 'Records lose the tag at once.', 25),
      ]),
    ],
  },
  {
    title: 'Notes',
    methods: [
      ...each([...records, 'customers'], (type) => [
        works('GET POST PATCH', `/api/v4/${type}/notes`),
        works('GET PATCH', `/api/v4/${type}/notes/{id}`),
        works('GET POST PATCH', `/api/v4/${type}/{entity_id}/notes`),
        works('GET PATCH', `/api/v4/${type}/{entity_id}/notes/{id}`),
        addition('DELETE', `/api/v4/${type}/notes/{id}`, 'With the event `common_note_deleted`.'),
        addition('DELETE', `/api/v4/${type}/{entity_id}/notes/{id}`),
        works('POST', `/api/v4/${type}/notes/{id}/pin`),
        works('POST', `/api/v4/${type}/notes/{id}/unpin`),
      ]),
    ],
  },
  {
    title: 'Custom fields',
    methods: [
      ...each([...records, 'customers', 'catalogs/{catalog_id}'], (type) => [
        works('GET POST PATCH', `/api/v4/${type}/custom_fields`),
        works('GET PATCH DELETE', `/api/v4/${type}/custom_fields/{id}`),
        works('GET POST', `/api/v4/${type}/custom_fields/groups`),
        works('GET PATCH DELETE', `/api/v4/${type}/custom_fields/groups/{id}`),
      ]),
      works(
        'GET POST PATCH',
        '/api/v4/customers/segments/custom_fields',
        'At most 30 fields: 422.',
      ),
      works('GET PATCH DELETE', '/api/v4/customers/segments/custom_fields/{id}'),
    ],
  },
  {
    title: 'Pipelines, loss reasons and sources',
    methods: [
      works('GET POST', '/api/v4/leads/pipelines'),
      works('GET PATCH', '/api/v4/leads/pipelines/{id}'),
      differs(
        'DELETE',
        '/api/v4/leads/pipelines/{id}',
        'A pipeline that holds leads is refused; the answer says how many there are.',
        19,
      ),
      works('GET POST', '/api/v4/leads/pipelines/{pipeline_id}/statuses', renumbered),
      works('GET PATCH', '/api/v4/leads/pipelines/{pipeline_id}/statuses/{id}', renumbered),
      differs(
        'DELETE',
        '/api/v4/leads/pipelines/{pipeline_id}/statuses/{id}',
        'The leads move to the status that `move_to` names, or to the first of the pipeline, each with its event.',
        19,
      ),
      works('GET POST', '/api/v4/leads/loss_reasons'),
      works('GET PATCH DELETE', '/api/v4/leads/loss_reasons/{id}'),
      works('GET POST PATCH DELETE', '/api/v4/sources'),
      works('GET PATCH DELETE', '/api/v4/sources/{id}'),
      missing('GET', '/api/v4/website_buttons'),
    ],
  },
  {
    title: 'Events',
    methods: [
      works(
        'GET',
        '/api/v4/events',
        'A filter that is unknown, or does not go with the others, is answered 400.',
      ),
      works('GET', '/api/v4/events/{id}'),
      works(
        'GET',
        '/api/v4/events/types',
        'An unknown `language_code` is English. The list also has types that [nothing causes yet](guides/events.md).',
      ),
    ],
  },
  {
    title: 'Tasks',
    methods: [
      differs(
        'GET POST PATCH',
        '/api/v4/tasks',
        'A task is listed for its responsible user and for everybody who may view its record.',
        39,
      ),
      works('GET PATCH', '/api/v4/tasks/{id}'),
      addition(
        'DELETE',
        '/api/v4/tasks/{id}',
        'The interface names the event and the notice, and no method.',
      ),
    ],
  },
  {
    title: 'Customers',
    methods: [
      works('GET', '/api/v4/customers', '`loss_reason_name` is always `null`.'),
      differs(
        'POST',
        '/api/v4/customers',
        'A customer without `status_id` begins in the status that its `next_date` says.',
        34,
      ),
      differs(
        'PATCH',
        '/api/v4/customers',
        'A sent list of segments replaces the set. In periodicity mode another `next_date` chooses the status anew, unless `status_id` is sent as well.',
        37,
      ),
      works('GET', '/api/v4/customers/{id}'),
      differs(
        'PATCH',
        '/api/v4/customers/{id}',
        'The same. The answer is the whole customer, which it names once more under `_embedded`.',
        37,
      ),
      addition(
        'DELETE',
        '/api/v4/customers/{id}',
        `${bin} Its purchases are in no list until it is restored.`,
        36,
      ),
      addition('POST', '/api/v4/customers/{id}/restore', 'Without an event.'),
      works(
        'PATCH',
        '/api/v4/customers/mode',
        'Turning a mode on turns the other one off, and has all customers evaluated in the background.',
        38,
      ),
      works('POST', '/api/v4/customers/{id}/bonus_points', 'Without an event.', 36),
      works('GET', '/api/v4/customers/transactions', 'Purchases show their elements.'),
      works('GET', '/api/v4/customers/transactions/{id}'),
      works(
        'DELETE',
        '/api/v4/customers/transactions/{id}',
        'The sums and bonus points of the customer go back, its `next_date` does not.',
        36,
      ),
      works('GET', '/api/v4/customers/{customer_id}/transactions'),
      differs(
        'POST',
        '/api/v4/customers/{customer_id}/transactions',
        'A purchase without `next_date` moves that of the customer on by its `periodicity`. Bonus points are those of the field `BONUS_POINTS_PER_PURCHASE` of the bought elements.',
        36,
      ),
      works('GET DELETE', '/api/v4/customers/{customer_id}/transactions/{id}'),
      works(
        'GET',
        '/api/v4/customers/statuses',
        '422 where periodic purchases are turned off. `conditions` are the lengths in days by which the server moves customers.',
        38,
      ),
      works(
        'POST',
        '/api/v4/customers/statuses',
        `422 beyond 30 statuses, and where periodic purchases are turned off. ${renumberedOfCustomers}`,
      ),
      works(
        'GET',
        '/api/v4/customers/statuses/{id}',
        '422 where periodic purchases are turned off.',
      ),
      works('PATCH', '/api/v4/customers/statuses/{id}', renumberedOfCustomers),
      works(
        'DELETE',
        '/api/v4/customers/statuses/{id}',
        'The customers move to the first ordinary status before the answer, each with its event.',
        34,
      ),
      works('GET', '/api/v4/customers/segments', '422 where segments are turned off.'),
      works('POST', '/api/v4/customers/segments', 'At most 100 segments: 422.'),
      works('GET', '/api/v4/customers/segments/{id}', '422 where segments are turned off.'),
      works('PATCH', '/api/v4/customers/segments/{id}'),
      works(
        'DELETE',
        '/api/v4/customers/segments/{id}',
        'No answer shows the segment any more; the background takes it off its customers.',
        37,
      ),
    ],
  },
  {
    title: 'Lists (catalogs)',
    methods: [
      works(
        'GET POST PATCH',
        '/api/v4/catalogs',
        'Administrators create and change catalogs. The list shows those that the caller may view.',
        33,
      ),
      works('GET PATCH', '/api/v4/catalogs/{id}'),
      works(
        'GET PATCH',
        '/api/v4/catalogs/products/settings',
        'Turned on, it creates the catalog of products where there is none; turned off, it deletes nothing.',
        37,
      ),
      differs(
        'GET POST PATCH',
        '/api/v4/catalogs/{catalog_id}/elements',
        '`with=supplier_field_values` is ignored.',
      ),
      differs(
        'GET PATCH',
        '/api/v4/catalogs/{catalog_id}/elements/{id}',
        'The same; `invoice_link` is always `null`.',
      ),
      differs(
        'GET',
        '/api/v4/catalogs/{catalog_id}/elements/{id}/links',
        'A page holds 250 links unless `limit` says less.',
        20,
      ),
      works(
        'POST',
        '/api/v4/catalogs/{catalog_id}/elements/{id}/link',
        'To leads and customers. The links are events of these records alone.',
        35,
      ),
      works('POST', '/api/v4/catalogs/{catalog_id}/elements/{id}/unlink'),
    ],
  },
  {
    title: 'Unsorted leads',
    methods: [
      works(
        'GET',
        '/api/v4/leads/unsorted',
        'Items that were decided are in no list; their counts stay.',
        51,
      ),
      works('GET', '/api/v4/leads/unsorted/{uid}'),
      works(
        'POST',
        '/api/v4/leads/unsorted/sip',
        'The same `source_uid` sent again with the same content is answered with the item that waits; with other content it is refused. Nothing inside `metadata` is required but the phone of a call.',
        51,
      ),
      works('POST', '/api/v4/leads/unsorted/forms'),
      works(
        'POST',
        '/api/v4/leads/unsorted/{uid}/accept',
        'Things deleted since the request came in are left out, and named in a note on the lead.',
        51,
      ),
      works(
        'DELETE',
        '/api/v4/leads/unsorted/{uid}/decline',
        'The lead with its tasks and the data of the request are removed for good; they are in no bin.',
        51,
      ),
      works(
        'POST',
        '/api/v4/leads/unsorted/{uid}/link',
        'Answers 400 for calls and forms. The waiting lead is removed for good; a contact is made where the record has none.',
        53,
      ),
      works(
        'GET',
        '/api/v4/leads/unsorted/summary',
        'Without a role that opens the unsorted status of a pipeline, a user gets 403; administrators see all.',
        51,
      ),
      works('GET', '/api/v2/incoming_leads'),
      works('GET', '/api/v2/incoming_leads/summary'),
      works(
        'POST',
        '/api/v2/incoming_leads/sip',
        'A link in an answer is a path without the query string, where programs put their key.',
      ),
      works('POST', '/api/v2/incoming_leads/form'),
      works(
        'POST',
        '/api/v2/incoming_leads/accept',
        'An item that cannot be accepted is left out of `data`.',
      ),
      works('POST', '/api/v2/incoming_leads/decline'),
    ],
  },
  {
    title: 'Webhooks',
    methods: [
      works('GET DELETE', '/api/v4/webhooks'),
      differs(
        'POST',
        '/api/v4/webhooks',
        'An address with a user name or a password is refused. The webhooks of an integration end when it is disabled in the account.',
        44,
      ),
      works('GET', '/api/v2/webhooks'),
      works(
        'POST',
        '/api/v2/webhooks/subscribe',
        'An item with `result` false says why in `error`.',
      ),
      works(
        'POST',
        '/api/v2/webhooks/unsubscribe',
        'An item with `result` false says why in `error`.',
      ),
    ],
  },
  {
    title: 'Chats and talks',
    methods: [
      works(
        'POST',
        '/v2/origin/custom/{channel_id}/connect',
        'A channel may be signed for by its body or by the canonical form.',
        52,
      ),
      works('DELETE', '/v2/origin/custom/{channel_id}/disconnect'),
      works(
        'POST',
        '/v2/origin/custom/{scope_id}',
        'Sizes and names of files may be left out. A quoted message that the chat does not hold is left out. Where there is a receiver, the `ref_id` of the sender is enough.',
        53,
      ),
      works(
        'POST',
        '/v2/origin/custom/{scope_id}/{msgid}/delivery_status',
        'A status that the message has passed changes nothing. A message that was shown as failed, and is delivered after all, is shown as delivered.',
        55,
      ),
      works('POST', '/v2/origin/custom/{scope_id}/chats'),
      works(
        'GET',
        '/v2/origin/custom/{scope_id}/chats/{conversation_ref_id}/history',
        'A body `[]` or `{}` counts as none, and may be signed.',
        52,
      ),
      works('POST', '/v2/origin/custom/{scope_id}/typing'),
      works('POST', '/v2/origin/custom/{scope_id}/react'),
      works(
        'GET POST',
        '/api/v4/contacts/chats',
        'A chat has one contact: binding it to another moves it, with its open talk.',
        53,
      ),
      works('GET', '/api/v4/talks'),
      works('GET', '/api/v4/talks/{id}'),
      works(
        'POST',
        '/api/v4/talks/{id}/close',
        'No bot asks before the end, so `force_close` changes nothing.',
      ),
      works('GET', '/api/v4/talks/{id}/messages', 'The oldest message first.'),
      works(
        'POST',
        '/api/v4/talks/{id}/send_message',
        'The answer comes before the channel has the message.',
        55,
      ),
    ],
  },
  {
    title: 'Other methods',
    methods: [
      differs(
        'POST',
        '/api/v4/calls',
        'A call that is sent again with its `uniq` is answered with its first note. A contact goes before a company with the same phone, and unsorted leads get no calls. The recording in `link` is copied.',
        41,
      ),
      missing('POST', '/api/v4/short_links'),
      missing('GET', '/api/v4/widgets'),
      missing('GET POST DELETE', '/api/v4/widgets/{code}'),
      missing('POST', '/api/v4/salesbot/{bot_id}/continue/{continue_id}'),
      missing('POST', '/api/v4/marketingbot/{bot_id}/continue/{continue_id}'),
    ],
  },
]

/** Paths that are no part of the interface, by their beginning, with what they are for. */
export const ownPaths: { path: string; use: string }[] = [
  { path: '/web/v1/', use: 'the web application; these methods may change without notice' },
  {
    path: '/files/',
    use: 'signed addresses of uploads and fetched media, which answers name and which end',
  },
  ...['/login', '/logout', '/reset/', '/invite/', '/setup'].map((path) => ({
    path,
    use: 'pages of people who are not signed in',
  })),
  ...['/', '/notifications', '/settings', '/assets/', '/mark.svg'].map((path) => ({
    path,
    use: 'the pages of the web application and its files',
  })),
  ...['/leads/', '/contacts/', '/companies/', '/customers/'].map((path) => ({
    path,
    use: 'cards of records, in the web application',
  })),
  { path: '/developers', use: 'the reference with “try it”, and the filter cookbook' },
  { path: '/health', use: 'whether the process runs' },
  { path: '/ready', use: 'whether it takes requests' },
  { path: '/metrics', use: 'figures for Prometheus' },
]

/** Differences that hold for all methods, each with its decision page if it has one. */
export const forgiven: [sentence: string, decision?: number][] = [
  [
    'A list may be an object whose keys are exactly 0 to n-1, and an empty object an empty list, as PHP writes them.',
    31,
  ],
  ['`request_id` is accepted on every item at every depth. It is repeated where answers have it.'],
  [
    'JSON without a content type, as `text/plain` or as a form, is read as JSON when it begins with `{` or `[` and is valid.',
    31,
  ],
  [
    'An unknown path is 401 without a valid token, so that a program refreshes its token, and 404 with one.',
  ],
  [
    'A POST or PATCH with an `Idempotency-Key` that was answered within 24 hours gets the same answer again.',
    26,
  ],
  [
    'Text counts as a number where a JSON body has numbers, `0` and `1` count as `false` and `true`, and a price loses its fraction. A text field takes numbers and booleans too.',
  ],
  [
    'A record may be sent back as it was read: read-only keys are ignored, and a value that is already stored is no change.',
  ],
  ['`responsible_user_id: 0` is the caller in a creation and no change in a change.', 30],
  ['`chained_lists`, and the values of a chained list, may be an object by catalog id.'],
  [
    'Filters by ids, numbers, dates and fixed words take `1,2` as well as `[]=1` and `[0]=1`; texts keep their commas. `with` takes `a,b`, `[]=a` and `[0]=a`, and ignores unknown names.',
  ],
  ['A `limit` above the maximum counts as the maximum, which `_links.self` then shows.', 7],
  ['A single item may be sent without a list around it.'],
  ['A token reaches its account at the bare host and at the host of the account.'],
  [
    'Version-2 methods take `login` and `api_key` in the query string, also as `USER_LOGIN` and `USER_HASH`, where no `Authorization` header is sent.',
    50,
  ],
]

export const refused: [sentence: string, decision?: number][] = [
  [
    'An empty list is 200 with an empty list inside. An integration may be set to get 204, and then a missing lead, contact, company or customer is 204 as well; everybody else gets 404. Where nothing is set, the official PHP client gets 204, by its `User-Agent` ([clients](guides/connect.md#the-integration)).',
  ],
  ['One bad item refuses the whole batch, and the answer lists the faults of all items.', 22],
  [
    'An unknown key in a body is 400, unless the server is set to ignore such keys (`UNKNOWN_KEYS=ignore`). An unknown filter is always 400.',
  ],
  ['A batch has at most 250 items, 500 customers, or fewer where the method says so.'],
  ['`null` is accepted only where the interface has it. It stands for nothing else.'],
]
