// How commands fail: with one line each, never a stack.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newHome } from '../../test/kontor.ts'
import type { Home } from '../../test/kontor.ts'
import { scratchDatabase } from '../../test/scratch.ts'
import type { Scratch } from '../../test/scratch.ts'

let scratch: Scratch
let home: Home

beforeAll(async () => {
  scratch = await scratchDatabase()
  home = await newHome({ DATABASE_URL: scratch.url })
  const { code } = await home.run(['demo'])
  expect(code).toBe(0)
})
afterAll(async () => {
  await home.close()
  await scratch.drop()
})

const more = 'Run "kontor --help" to list the commands.'

/** Command lines, and their error messages. */
const refusals: [line: string, words: string][] = [
  ['bogus', `unknown command 'bogus'. ${more}`],
  ['strat', `unknown command 'strat' (Did you mean start?). ${more}`],
  ['start --port 80', `unknown option '--port'. ${more}`],
  ['start now', `too many arguments for 'start'. Expected 0 arguments but got 1. ${more}`],
  ['account create', `missing required argument 'subdomain'. ${more}`],
  [
    'account create No_Good',
    '"No_Good" is no subdomain: 1 to 63 small letters, digits and hyphens, like "sales-north"',
  ],
  ['account create demo', 'Another account has this subdomain'],
  ['account create east --name=', '--name is empty'],
  ['account set demo', 'nothing to set; say --name, --timezone, --unpaid or --paid'],
  [
    'account set demo --timezone Mars/Olympus',
    '"Mars/Olympus" is no time zone: take an IANA name like "Europe/Berlin"',
  ],
  ['account set demo --timezone=', '"" is no time zone: take an IANA name like "Europe/Berlin"'],
  [
    'account create east --timezone +03:00',
    '"+03:00" is no time zone: take an IANA name like "Europe/Berlin"',
  ],
  [
    'account set demo --timezone europe/berlin',
    '"europe/berlin" is no time zone: take an IANA name like "Europe/Berlin"',
  ],
  ['account set nobody --timezone UTC', 'there is no account "nobody"'],
  ['account set demo --name=', '--name is empty'],
  [
    'account set demo --paid --unpaid',
    `option '--unpaid' cannot be used with option '--paid'. ${more}`,
  ],
  ['account set nobody --paid', 'there is no account "nobody"'],
  ['code --account nobody', 'there is no account "nobody"'],
  ['code --user nobody@example.com', 'there is no active user nobody@example.com in the account'],
  ['token --days 0', '--days takes a whole number from 1 to 1826'],
  ['token --days 1827', '--days takes a whole number from 1 to 1826'],
  ['token --days', `option '--days <days>' argument missing. ${more}`],
  ['user create nonsense', '"nonsense" is no e-mail address'],
  ['user create ADMIN@demo.example', 'Another user has this email'],
  ['user create a@b --password=', '--password is empty'],
  ['user create a@b --name=', '--name is empty'],
  [
    'user create a@b --rights {',
    '--rights takes JSON like {"leads":{"view":"M","edit":"M","add":"A"}}',
  ],
  ['user create a@b --rights null', '--rights, as a whole: This value should not be null.'],
  ['user create a@b --rights {"lead":{}}', '--rights, lead: This field was not expected.'],
  [
    'user create a@b --rights {"leads":{"view":"X"}}',
    '--rights, leads.view: The value you selected is not a valid choice. Allowed: "A", "L", "G", "M", "D".',
  ],
  ['user set admin@demo.example', 'nothing to set; "kontor user set --help" lists the options'],
  ['user set admin@demo.example --group x', '--group takes an id; "kontor group list" shows them'],
  [
    'user set admin@demo.example --group 77',
    'Request validation failed group_id: There is no group 77.',
  ],
  [
    'user set admin@demo.example --role 77',
    'Request validation failed role_id: There is no role 77.',
  ],
  ['user set admin@demo.example --no-admin', 'An account needs an active administrator'],
  ['user set admin@demo.example --no-active', 'An account needs an active administrator'],
  ['role create Seller --rights [5]', '--rights, as a whole: This value should be of type object.'],
  [
    'user set nobody@example.com --active',
    'there is no user nobody@example.com in the account "demo"',
  ],
  [
    'integration create Bridge',
    `required option '--redirect-uri <address>' not specified. ${more}`,
  ],
  [
    'integration create Bridge --redirect-uri ftp://example.com',
    'Request validation failed redirect_uri: "ftp://example.com" is no whole address like https://example.com/oauth.',
  ],
  [
    'integration create Bridge --redirect-uri https://x --empty-list 500',
    `option '--empty-list <status>' argument '500' is invalid. Allowed choices are 200, 204, server. ${more}`,
  ],
]

test('each refusal is one line', async () => {
  const outcomes = await inTurns(
    refusals.map(
      ([line]) =>
        () =>
          home.run(line.split(' ')),
    ),
  )
  const seen = outcomes.map(({ code, stdout, stderr }, index) => [
    refusals[index]![0],
    code,
    stdout,
    stderr,
  ])
  expect(seen).toEqual(refusals.map(([line, words]) => [line, 1, '', `kontor: ${words}\n`]))
})

test('a database that is not there is told in one line', async () => {
  const outcomes = await inTurns(
    ['start', 'migrate', 'token', 'demo'].map(
      (name) => () => home.run([name], { DATABASE_URL: 'postgres://x:hush@127.0.0.1:1/x' }),
    ),
  )
  for (const { code, stdout, stderr } of outcomes)
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'kontor: The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL\n',
    ])
})

test('a stack is for those who ask for it', async () => {
  const { stderr } = await home.run(['token', '--days', '0'], { KONTOR_DEBUG: '1' })
  expect(stderr).toMatch(/^kontor: Error: --days takes .*\n\s+at /)
})

test('every command explains itself', async () => {
  const commands = [
    '',
    'start',
    'migrate',
    'demo',
    'code',
    'token',
    'doctor',
    'account',
    'account create',
    'account set',
    'user',
    'user list',
    'user create',
    'user set',
    'role',
    'role list',
    'role create',
    'group',
    'group list',
    'group create',
    'integration',
    'integration create',
  ]
  const outcomes = await inTurns(
    commands.map((name) => () => home.run([...name.split(' ').filter(Boolean), '--help'])),
  )
  for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^Usage: kontor ${commands[index]}`))
    expect(stdout.split('\n').length).toBeGreaterThan(3)
  }
  expect((await home.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

/** Four at a time, because each is a process. */
async function inTurns<Result>(works: (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < works.length; at += 4)
    results.push(...(await Promise.all(works.slice(at, at + 4).map((work) => work()))))
  return results
}
