// The setup of a server that has no account: somebody makes the first one in the browser. A server
// that others than this machine may reach asks for a code, which stands in the log of its start. It
// is made of the key of the server, so every process has the same one, and it is worth nothing once
// there is an account.
import { createHmac } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { openAttempts } from '../../../access/attempts.ts'
import type { Attempts } from '../../../access/attempts.ts'
import { forbidEmailAsPassword } from '../../../access/passwords.ts'
import { serverItself } from '../../../access/user-access.ts'
import type { Tx } from '../../../database/connect.ts'
import { batchOf } from '../../../http/batch.ts'
import { Problem, forbidden, invalidFor, tooManyRequests } from '../../../http/problem.ts'
import type { Fault } from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { searchForm } from '../../../records/search/text.ts'
import { sameSecret } from '../../../secrets.ts'
import { createAccount, isSetupNeeded, isTimezone } from '../../people/accounts/accounts.ts'
import { currencyCodes } from '../../definitions/currencies/currencies.ts'
import { setCustomersMode } from '../../records/customers/customers.ts'
import { createFields } from '../../definitions/custom-fields/custom-fields.ts'
import type { FieldDraft } from '../../definitions/custom-fields/schema.ts'
import { addDemoData } from '../demo/demo.ts'
import { createInvitations } from '../../people/invitations/invitations.ts'
import { createUser, emailOf, nameFault } from '../../people/users/users.ts'
import { fieldsOfProcess, firstGroup, pipelineOf } from './processes.ts'
import type { NewSetup } from './schema.ts'
import { isOpenToOthers } from '../../../http/listen.ts'

export { readyStages } from './processes.ts'

/** The code that a server open to others asks for. */
export function setupCode({ secrets }: Pick<Kontor, 'secrets'>): string {
  const digest = createHmac('sha256', secrets.keyFor('setup code')).update('1').digest('hex')
  return digest.slice(0, 20).match(/.{5}/g)!.join('-')
}

/** The account and its administrator, as the first step of the setup asks for them. */
export type AccountAnswers = Pick<
  NewSetup,
  'code' | 'company' | 'language' | 'timezone' | 'currency' | 'name' | 'email' | 'password'
>

/**
 * Checks the first step of the setup. A server with an account: 409. A wrong code: 403, and after ten
 * from one address 429. A fault of the account: 400.
 */
export async function checkAccount(
  kontor: Kontor,
  draft: AccountAnswers,
  address: string,
): Promise<void> {
  if (!(await isSetupNeeded(kontor.database))) throw isSetUp()
  checkCode(kontor, draft.code, address)
  const errors = faultsOf(draft)
  if (errors.length > 0) throw invalidFor(...errors)
  forbidEmailAsPassword(draft.password, emailOf(draft.email), 'password')
}

interface SetUpAccount {
  subdomain: string
  invitations: Awaited<ReturnType<typeof createInvitations>>
}

/**
 * Makes the first account with its administrator, and invitations of the people with these e-mails,
 * whose links begin with `base`. Throws as `checkAccount` does, and a 400 problem for an e-mail that
 * cannot be invited; then nothing is made.
 */
export async function setUp(
  kontor: Kontor,
  draft: NewSetup,
  { address, base, emails = [] }: { address: string; base: string; emails?: string[] },
): Promise<SetUpAccount> {
  await checkAccount(kontor, draft, address)
  return kontor.database.transaction(async (tx) => {
    // Of several requests at once, those that waited find the account of the first.
    await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('kontor setup', 0))`)
    if (!(await isSetupNeeded(tx))) throw isSetUp()
    const actor = await makeFirstAccount(tx, kontor.now(), draft)
    const invitations =
      emails.length === 0 ? [] : await createInvitations(tx, actor, base, { emails })
    return { subdomain: actor.subdomain, invitations }
  })
}

/** Answers its administrator. */
async function makeFirstAccount(tx: Tx, at: number, draft: NewSetup): Promise<Actor> {
  const { company, language, timezone, currency, sales_process, customers } = draft
  const subdomain = draft.subdomain ?? subdomainFor(company)
  const accountId = await createAccount(tx, at, {
    subdomain,
    name: company.trim(),
    language,
    timezone,
    currency,
    group: firstGroup(language),
    pipeline: pipelineOf(sales_process, language),
  })
  const { name, email, password } = draft
  const admin = { name, email, password, language, is_admin: true }
  const userId = await createUser(tx, accountId, at, admin)
  const actor: Actor = { ...serverItself(accountId, at), subdomain, userId }
  await createFieldsOf(tx, actor, draft)
  if (draft.with_demo_data) await addDemoData(tx, actor)
  // The demo has customers of both modes, so the mode comes last.
  const mode = customers === 'off' ? 'periodicity' : customers
  await setCustomersMode(tx, actor, { mode, is_enabled: true })
  if (customers === 'off') await setCustomersMode(tx, actor, { mode, is_enabled: false })
  return actor
}

/** Creates the fields that come with the process of sales, named in the language of the account. */
async function createFieldsOf(tx: Tx, actor: Actor, draft: NewSetup): Promise<void> {
  const { sales_process, language, currency } = draft
  const fields = fieldsOfProcess(sales_process, language, currency)
  for (const type of ['leads', 'contacts', 'companies'] as const) {
    const drafts = fields.filter(({ of }) => of === type).map((each) => each.draft)
    if (drafts.length > 0)
      await createFields(
        tx,
        actor,
        { path: type, holder: type, type },
        batchOf(drafts as unknown as FieldDraft[]),
      )
  }
}

/** The letters and digits of a name, or `crm` where ASCII has none of them. */
function subdomainFor(company: string): string {
  const plain = searchForm(company).replaceAll(/[^a-z0-9]+/g, '-')
  return plain.slice(0, 63).replaceAll(/^-+|-+$/g, '') || 'crm'
}

function faultsOf({ name, timezone, currency }: AccountAnswers): Fault[] {
  return [
    ...[nameFault(name)].filter((fault) => fault !== undefined),
    ...(isTimezone(timezone) ? [] : [choiceFault('timezone', 'This is no time zone.')]),
    ...(currencyCodes.includes(currency)
      ? []
      : [choiceFault('currency', 'This is no code of a currency.')]),
  ]
}

const choiceFault = (path: string, detail: string): Fault => ({
  code: 'NotSupportedChoice',
  path,
  detail,
})

const isSetUp = () => new Problem(409, 'This server has an account: sign in')

const attemptsOf = new WeakMap<Kontor, Attempts>()

/** Throws unless the code is right, or none is asked for. */
function checkCode(kontor: Kontor, code: string | undefined, address: string): void {
  if (!isOpenToOthers(kontor.config)) return
  const attempts = attemptsOf.get(kontor) ?? openAttempts(kontor.now)
  attemptsOf.set(kontor, attempts)
  const attempt = attempts.ofEmail('setup', address)
  if (attempt.wait > 0) throw tooManyRequests(attempt.wait)
  if (!sameSecret(code?.trim().toLowerCase() ?? '', setupCode(kontor)))
    throw forbidden('Wrong setup code: the log of the server has it')
  attempt.succeed()
}
