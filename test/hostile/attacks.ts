// The requests of bad clients. Each was reproduced from outside once, and held up other users then.

export interface Attack {
  name: string
  /**
   * The token: none, or in another account of a user without rights, of one who sees own records
   * only, or of an administrator. `fresh`: an administrator of an account that has spent no time yet.
   */
  caller: 'nobody' | 'limited' | 'own' | 'admin' | 'fresh'
  connections: number
  /** Requests per second of all connections together; by default one after the other. */
  perSecond?: number
  request(): { method: string; path: string; type: string; body: string }
  /** The only statuses that answer it. */
  answers: number[]
  /**
   * Whether the server may close connections before a body has arrived. It does so to callers that
   * send more refused bodies than it discards; how many these are depends on the machine.
   */
  mayBeClosed?: true
  /** An answer that must come; the client goes on until it has come. */
  until?: number
}

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'

/** 63 KB of `k0[][][]…=&k1[][]…`. */
const nestedForm = () =>
  Array.from({ length: 1600 }, (_, n) => `k${n}${'[]'.repeat(15)}=`)
    .join('&')
    .slice(0, 63_000)

/** Items with keys that nobody knows, all different. */
const strangeItems = (items: number, keys: number) =>
  JSON.stringify(
    Array.from({ length: items }, (_, n) =>
      Object.fromEntries(Array.from({ length: keys }, (__, m) => [`k${n}_${m}`, 0])),
    ),
  )

/** 2.8 MB with 240,000 keys. */
const manyKeys = () =>
  JSON.stringify([Object.fromEntries(Array.from({ length: 240_000 }, (_, n) => [`key_${n}`, 0]))])
/** As many keys as the bounds let in. */
const allowedKeys = () => strangeItems(148, 990)
/** Every value of every item is wrong. */
const manyFaults = () =>
  JSON.stringify(
    Array.from({ length: 250 }, () => ({
      name: 5,
      custom_fields_values: Array.from({ length: 100 }, () => ({
        field_id: 'x',
        y: 1,
        values: [{ v: 1 }],
      })),
    })),
  )
/** Every value of every item names a field that is not there, which only the verb can find. */
const unknownFields = () =>
  JSON.stringify(
    Array.from({ length: 250 }, () => ({
      custom_fields_values: Array.from({ length: 100 }, (_, n) => ({
        field_id: 1_000_000 + n,
        values: [{ value: 1 }],
      })),
    })),
  )
/** One lead with as many values as the bounds let in. */
const oneLead = () =>
  JSON.stringify({
    custom_fields_values: Array.from({ length: 37_000 }, () => ({
      field_id: '1',
      values: [{ value: 1 }],
    })),
  })
/** A list that is large by itself, below thirty others and four megabytes of blanks. */
const deepList = () =>
  `${'['.repeat(30)}${' '.repeat(4_160_000)}[${'0,'.repeat(12_000)}0]${']'.repeat(30)}`
/** Four megabytes of a text of escapes, and a letter too much behind it. */
const brokenText = () => `["${String.raw`\"`.repeat(2_050_000)}" x]`
/** As many pairs as a form may have, at the deepest level. */
const deepForm = () =>
  Array.from({ length: 19_900 }, (_, n) => `a${'[b]'.repeat(14)}[${n}]=1`).join('&')
const broken = () => `[${'[['.repeat(140_000)}`
const to = (path: string, type: string, body: () => string) => () => ({
  method: 'POST',
  path,
  type,
  body: body(),
})
const leads = (body: () => string) => to('/api/v4/leads', json, body)

export const attacks: Attack[] = [
  {
    name: 'nested forms at the token endpoint, inside the rate limit',
    caller: 'nobody',
    connections: 10,
    perSecond: 45,
    request: to('/oauth2/access_token', form, nestedForm),
    answers: [413, 429],
  },
  {
    name: 'nested forms at the access window, inside the rate limit',
    caller: 'nobody',
    connections: 10,
    perSecond: 45,
    request: to('/oauth', form, nestedForm),
    answers: [413, 429],
  },
  {
    name: 'nested query strings without a token',
    caller: 'nobody',
    connections: 10,
    perSecond: 200,
    request: () => ({
      method: 'GET',
      path: `/api/v4/leads?${Array.from({ length: 650 }, (_, n) => `k${n}${'[]'.repeat(7)}=`)
        .join('&')
        .slice(0, 14_000)}`,
      type: json,
      body: '',
    }),
    answers: [401],
  },
  {
    name: '240,000 keys, by a user without the right',
    caller: 'limited',
    connections: 10,
    request: leads(manyKeys),
    answers: [403],
    mayBeClosed: true,
  },
  {
    name: '240,000 keys, by an administrator',
    caller: 'admin',
    connections: 10,
    request: leads(manyKeys),
    answers: [413, 429, 503],
    mayBeClosed: true,
  },
  ...[2, 10].flatMap((connections): Attack[] => [
    {
      name: `as many keys as the bounds let in, on ${connections} connections`,
      caller: 'own',
      connections,
      request: leads(allowedKeys),
      answers: [400, 429, 503],
      mayBeClosed: true,
      until: 429,
    },
    {
      name: `a fault in every value, on ${connections} connections`,
      caller: 'own',
      connections,
      request: leads(manyFaults),
      answers: [400, 429, 503],
      mayBeClosed: true,
      until: 429,
    },
  ]),
  {
    name: 'a field that is not there in every value',
    caller: 'own',
    connections: 2,
    request: leads(unknownFields),
    answers: [400, 429, 503],
    mayBeClosed: true,
    until: 429,
  },
  ...(
    [
      ['one lead with 37,000 values', leads(oneLead), [400]],
      ['blanks and a large list below 30 others', leads(deepList), [400]],
      ['a broken text of escapes', leads(brokenText), [400]],
      [
        'keys without an end, as plain text',
        to('/api/v4/leads', 'text/plain', () => allowedKeys().slice(0, -1)),
        [415],
      ],
      ['a deep form', to('/api/v2/webhooks/subscribe', form, deepForm), [400, 403, 422]],
    ] as const
  ).map(([name, request, answers]): Attack => ({
    name,
    caller: 'fresh',
    connections: 4,
    request,
    answers: [...answers, 429, 503],
    mayBeClosed: true,
    until: 429,
  })),
  {
    name: 'brackets that never close',
    caller: 'admin',
    connections: 10,
    request: leads(broken),
    answers: [400, 413, 429, 503],
    mayBeClosed: true,
  },
]
