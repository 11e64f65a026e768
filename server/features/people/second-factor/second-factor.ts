// The second factor of a user: codes by time (RFC 6238) of an authenticator app, and ten recovery
// codes for the day on which the app is lost. A user begins one with the password, and turns it on
// with a code that proves that the app has the secret; from then on a sign-in asks for a code. The
// secret is encrypted at rest and recovery codes are hashed. No code is accepted twice: the step of
// the latest one is kept, and a recovery code is deleted by its use.
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'
import type { Actor } from '../../../access/actor.ts'
import { gateOf } from '../../../access/attempts.ts'
import { requirePassword } from '../../../access/passwords.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import {
  badRequest,
  invalidValue,
  notFound,
  Problem,
  tooManyRequests,
} from '../../../http/problem.ts'
import type { Kontor } from '../../../kontor.ts'
import { hash, randomText } from '../../../secrets.ts'
import type { Secrets } from '../../../secrets.ts'
import * as queries from './queries.ts'
import type { FactorRow, FactorOwner } from './queries.ts'
import type { Proof } from './schema.ts'

const stepSeconds = 30
/** The codes of the step before and of the one after are good, too: clocks differ. */
const steps = 1
const mostCodes = 10
/** 36^16 codes: too many to find one of them by its hash. */
const codeLength = 16

/** Whether the second factor of a user is on, since when, and how many recovery codes are left. */
export async function readFactor(reader: Reader, actor: FactorOwner) {
  const state = await reader.row<{ confirmed_at: number; recovery_codes: number }>(
    queries.stateOfFactor(actor),
  )
  return { is_on: state !== undefined, ...(state ?? { confirmed_at: null, recovery_codes: 0 }) }
}

/**
 * Begins a second factor of the actor, and answers its secret, which is not shown again. Throws a 400
 * problem for a wrong password, and 422 where one is on.
 */
export async function beginSecondFactor(kontor: Kontor, actor: Actor, password: string) {
  await requirePassword(kontor, actor, password, 'password')
  const secret = new Secret({ size: 20 })
  const sealed = kontor.secrets.encrypt(secret.base32)
  const { email, account_name } = (await kontor.database.row<{
    email: string
    account_name: string
  }>(queries.namesForFactor(actor)))!
  const begun = await kontor.database.transaction((tx) =>
    tx.row(queries.beginFactor(actor, sealed, actor.at)),
  )
  if (!begun) throw new Problem(422, 'The second factor is on already')
  // An address of this kind has a colon between the names.
  const issuer = account_name.replaceAll(':', ' ').trim().slice(0, 60) || 'Kontor'
  const uri = new TOTP({ issuer, label: email, secret }).toString()
  return { secret: secret.base32, uri, qr: drawn(uri) }
}

/**
 * Turns the second factor that the actor has begun on, and answers ten recovery codes, which are not
 * shown again. Throws a 400 problem for a wrong code, and 422 where none is begun.
 */
export async function confirmSecondFactor(
  kontor: Kontor,
  actor: Actor,
  code: string,
): Promise<string[]> {
  const factor = await kontor.database.row<FactorRow>(queries.factorOf(actor))
  if (!factor || factor.confirmed_at !== null)
    throw new Problem(
      422,
      factor ? 'The second factor is on already' : 'Begin a second factor first',
    )
  const attempt = attemptAtCode(kontor, actor)
  const step = stepOf(kontor.secrets, factor, code, actor.at)
  if (step === undefined) throw wrongCode()
  const codes = await kontor.database.transaction(async (tx) => {
    const { secret } = factor
    if (!(await tx.row(queries.confirmFactor(actor, { secret, step, at: actor.at }))))
      throw new Problem(422, 'The second factor is on already, or was begun anew')
    return newRecoveryCodes(tx, actor)
  })
  attempt.succeed()
  return codes
}

/** Turns the second factor of the actor, who has proved who it is, off. None is on: 404. */
export async function endSecondFactor(tx: Tx, actor: Actor): Promise<void> {
  if (!(await tx.row(queries.removeFactor(actor)))) throw notFound()
}

/**
 * Does the work in a transaction once the actor has proved who it is: before what changes how somebody
 * comes in, or tells a secret. Throws as `requirePassword` and `requireCode` do.
 */
export async function whenProven<Answer>(
  kontor: Kontor,
  actor: Actor,
  { password, code }: Proof,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  await requirePassword(kontor, actor, password, 'password')
  return kontor.database.transaction(async (tx) => {
    await requireCode(tx, kontor, actor, code)
    return work(tx)
  })
}

/**
 * Uses a code of the actor up where the second factor is on. In the transaction of what it is for: what
 * is refused there for another reason leaves the code good. Throws a 400 problem that names the field
 * for a missing or a wrong one, and 429 after too many.
 */
export async function requireCode(tx: Tx, kontor: Kontor, actor: Actor, code = ''): Promise<void> {
  if (!(await tx.row(queries.stateOfFactor(actor)))) return
  if (code.trim() === '')
    throw invalidValue('FieldMissing', 'code', 'Your second factor is on: enter a code of it.')
  const attempt = attemptAtCode(kontor, actor)
  if (!(await useFactorCode(tx, kontor.secrets, actor, code))) throw wrongCode()
  attempt.succeed()
}

/**
 * Answers ten new recovery codes in place of the earlier ones of the actor, who has proved who it is. No
 * second factor is on: 404.
 */
export async function renewRecoveryCodes(tx: Tx, actor: Actor): Promise<string[]> {
  if (!(await tx.row(queries.lockFactor(actor)))) throw notFound()
  return newRecoveryCodes(tx, actor)
}

/**
 * Removes the second factor of another user, who has lost it. Unknown, or none is on: 404. One's own
 * goes with password and code only: 400.
 */
export async function removeSecondFactor(tx: Tx, actor: Actor, userId: number): Promise<void> {
  if (userId === actor.userId)
    throw badRequest('Turn your own second factor off with your password and a code')
  if (!(await tx.row(queries.removeFactor({ accountId: actor.accountId, userId }))))
    throw notFound()
}

/**
 * Uses a code of a user up: one of the authenticator app, or a recovery code, with any spaces and
 * hyphens. Answers whether it was good.
 */
export async function useFactorCode(
  tx: Tx,
  secrets: Secrets,
  owner: FactorOwner & { at: number },
  code: string,
): Promise<boolean> {
  const text = bare(code)
  if (text.length === codeLength)
    return (await tx.row(queries.takeRecoveryCode(owner, hash(text)))) !== undefined
  const factor = await tx.row<FactorRow>(queries.factorOf(owner))
  const step = factor && stepOf(secrets, factor, code, owner.at)
  return step !== undefined && (await tx.row(queries.takeStep(owner, step))) !== undefined
}

const bare = (code: string): string => code.replaceAll(/[\s-]/g, '').toLowerCase()

const wrongCode = () =>
  invalidValue('WrongCode', 'code', 'This code is wrong, or was used already.')

/** Counts an attempt at a code in a session. Throws a 429 problem after too many wrong ones. */
function attemptAtCode(kontor: Kontor, { accountId, userId }: FactorOwner) {
  const attempt = gateOf(kontor).attempts.ofUser('code', accountId, userId)
  if (attempt.wait > 0) throw tooManyRequests(attempt.wait, 'Too many wrong codes')
  return attempt
}

/** The step that a code of the app belongs to; undefined for a wrong one. */
function stepOf(
  secrets: Secrets,
  { secret }: FactorRow,
  code: string,
  at: number,
): number | undefined {
  const token = bare(code)
  if (!/^\d{6}$/.test(token)) return undefined
  const opened = Secret.fromBase32(secrets.decrypt(secret))
  const timestamp = at * 1000
  const delta = TOTP.validate({ token, secret: opened, timestamp, window: steps })
  return delta === null ? undefined : Math.floor(at / stepSeconds) + delta
}

async function newRecoveryCodes(tx: Tx, actor: FactorOwner): Promise<string[]> {
  const codes = Array.from({ length: mostCodes }, () => randomText(codeLength).toLowerCase())
  await tx.rows(queries.removeRecoveryCodes(actor))
  await tx.rows(queries.insertRecoveryCodes(actor, codes.map(hash)))
  return codes.map((code) => code.match(/.{4}/g)!.join('-'))
}

/** A QR code as an SVG path: a page draws it without trusting markup. Each row of dark squares is one rectangle. */
function drawn(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  const rows = data.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
  const path = rows.flatMap((row, y) =>
    [...row.matchAll(/1+/g)].map(
      ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`,
    ),
  )
  return { size, path: path.join('') }
}
