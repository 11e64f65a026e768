// Shared by tests of loss reasons and of sources.
import sql from 'sql-template-tag'
import type { Tx } from '../server/database/connect.ts'
import type { Actor } from '../server/access/actor.ts'
import { serverItself } from '../server/access/user-access.ts'
import { newAccount } from './account.ts'
import type { TestAccount } from './account.ts'
import { client } from './client.ts'
import type { Client } from './client.ts'
import { untilAwaited } from './locks.ts'
import { newPair } from './oauth.ts'

/** An account with two loss reasons. */
export async function withReasons() {
  const account = await newAccount()
  const [dear, silent] = (await addReasons(account, 'Too dear', 'Silence')) as [number, number]
  return { account, api: account.api, dear, silent }
}

export async function addReasons({ api }: TestAccount, ...names: string[]): Promise<number[]> {
  const made = await api.post(
    '/api/v4/leads/loss_reasons',
    names.map((name) => ({ name })),
  )
  return made.body._embedded.loss_reasons.map(({ id }: { id: number }) => id)
}

/** The stored loss reason of a lead, whatever answers show. */
export async function reasonKept(
  { id: account_id, kontor }: TestAccount,
  id: number,
): Promise<number | null> {
  const [row] = await kontor.database.rows<{ loss_reason_id: number | null }>(
    sql`select loss_reason_id from leads where account_id = ${account_id} and id = ${id}`,
  )
  return row!.loss_reason_id
}

export interface TestSource {
  id: number
  name: string
  external_id: string
  default: boolean
}

export async function addSources(api: Client, ...drafts: object[]): Promise<TestSource[]> {
  const { status, body } = await api.post('/api/v4/sources', drafts)
  if (status !== 200) throw new Error(`the sources were refused: ${JSON.stringify(body)}`)
  return body._embedded.sources
}

export async function listSources(api: Client, query = ''): Promise<TestSource[]> {
  return (await api.get(`/api/v4/sources${query}`)).body._embedded.sources
}

/** Drafts of this many sources, from `place 0` on. */
export function numberedOrigins(length: number, from = 0): { name: string; external_id: string }[] {
  return Array.from({ length }, (_, index) => ({
    name: 'A source',
    external_id: `place ${from + index}`,
  }))
}

/** The administrator's client of another integration of the account. */
export async function anotherIntegration(account: TestAccount): Promise<Client> {
  return client(
    account.kontor,
    (await newPair(account, await account.addIntegration({}))).access_token,
  )
}

/**
 * Runs a verb, and sends another request before its transaction ends. Answers that request's
 * answer, which must come after the transaction.
 */
export async function meanwhile<Answer>(
  { id, kontor }: TestAccount,
  verb: (tx: Tx, actor: Actor) => Promise<unknown>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined
  await kontor.database.transaction(async (tx) => {
    await verb(tx, serverItself(id, kontor.now()))
    answer = ask()
    const answered = answer.then((early) =>
      Promise.reject(new Error(`no wait: ${JSON.stringify(early)}`)),
    )
    await Promise.race([answered, untilAwaited(tx)])
    answered.catch(() => undefined)
  })
  return answer!
}
