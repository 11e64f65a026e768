// Headers that say something else than they should, for a place where requests go.
import fc from 'fast-check'
import type { TestAccount } from '../account.ts'
import type { Ids } from '../account-data.ts'

/** Where requests go: the account that is asked, another on the same server, and the ids of both, or of the first alone. */
export interface RouteScope {
  account: TestAccount
  other: TestAccount
  ids: Ids
  ownIds: Ids
  /** Values of the Authorization header, by who asks. */
  callers: Record<string, string | undefined>
}

export const types = [
  'application/json; charset=utf-8',
  'application/json;;',
  'application/hal+json',
  'text/plain',
  'text/html',
  'x',
  ',',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '__proto__/x',
]

/** Now and then a header that says something else than it should. */
export function headersOf({
  account,
  other,
  ids,
}: RouteScope): fc.Arbitrary<Record<string, string>> {
  const host = new URL(account.kontor.url).host
  const odd: Record<string, string[]> = {
    host: [
      `${account.subdomain}.${host}`,
      `${account.subdomain.toUpperCase()}.${host}`,
      `${other.subdomain}.${host}`,
      `nobody.${host}`,
      'evil.example',
      '[::1',
      ':',
      `a"b.${host}`,
      `${'a'.repeat(300)}.${host}`,
      `.${host}`,
      'x:99999',
    ],
    'content-type': types,
    'x-context-user-id': [
      ...(ids['users'] ?? []).map(String),
      '0',
      '-1',
      '1e3',
      '9'.repeat(30),
      '__proto__',
      'Анна',
    ].map(latin),
    'last-event-id': [
      '0',
      '-1',
      '1',
      '1.5',
      '9007199254740993',
      '9'.repeat(400),
      'x',
      '__proto__',
      '',
    ],
    cookie: [
      '=',
      ';;;',
      'kontor_session',
      'kontor_session=',
      'kontor_session="',
      'kontor_session=%00',
      'kontor_session=a=b;kontor_session=c',
      `kontor_session=${'x'.repeat(6e3)}`,
      'kontor_visit=x; kontor_session=ÿ',
      '__proto__=1',
      'a=b;'.repeat(2e3),
    ],
    origin: [account.kontor.url, 'null', 'https://evil.example', 'x'],
    'sec-fetch-site': ['same-origin', 'cross-site', 'none', 'x'],
    authorization: [
      '',
      'Bearer',
      'Bearer x',
      'Bearer a.b.c',
      'Basic YTpi',
      `Bearer ${'x'.repeat(5000)}`,
    ],
    'x-forwarded-host': ['evil.example', `${other.subdomain}.${host}`],
    'if-none-match': ['*', '"x"', 'W/"', ''],
  }
  const one = fc
    .constantFrom(...Object.entries(odd))
    .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const))
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(one, { minLength: 1, maxLength: 2 }) },
    )
    .map((pairs) => Object.fromEntries(pairs))
}

/** The bytes of a text as Node.js sends them in a header. */
const latin = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, '?')
