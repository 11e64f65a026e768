// The one door for requests to addresses that others have written: webhooks, callbacks of chats, media,
// recordings, uninstall hooks. It is told who wrote an address and for which account, and says what
// requests to it may reach:
//
//   written by              ALLOW_PRIVATE_HOOKS is set      not set
//   administrator, channel  as it says                      loopback in a try-out, for the first account
//   other channel           as it says                      public addresses
//   unknown (before 0047)   as it says                      public addresses
//   user                    public addresses                public addresses
//
// A try-out has the embedded database and is not open to others. The ports of Kontor itself and of its
// database are closed to all. Nothing else reads the setting (test/architecture.test.ts).
import { lookup } from 'node:dns/promises'
import { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import pg from 'pg'
import sql from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Config } from '../config.ts'
import type { Reader } from '../database/connect.ts'
import { isOpenToOthers } from '../http/listen.ts'
import { familyOf, isLoopback, newPermit } from './guarded.ts'
import type { Permit, Reach } from './guarded.ts'

/** Who wrote an address: never a `created_by` that a body names, but the caller. */
export interface AddressAuthor {
  /** The account for which it was written. */
  accountId: number
  /** `other channel`: a channel that another account owns. */
  role: 'administrator' | 'channel' | 'other channel' | 'user' | 'unknown'
}

/** Stand for the program of a channel where a user would have written the address. */
export const channelItself = 0
export const channelOfAnother = -1

/** A column with the user who wrote an address, as a role; null: it was written before this was kept. */
export const authorRole = (accountId: Sql | number, by: Sql): Sql => sql`
  case when ${by} is null then 'unknown' when ${by} = ${channelItself} then 'channel' when ${by} = ${channelOfAnother} then 'other channel'
       when exists (select from users person
                     where person.account_id = ${accountId} and person.id = ${by} and person.is_admin and person.is_active) then 'administrator'
       else 'user' end`

/** Only administrators write addresses of webhooks, channels and integrations. */
export const writtenByAdministrators = (accountId: number): AddressAuthor => ({
  accountId,
  role: 'administrator',
})

export interface Door {
  /** What requests to an address may reach. */
  permit(author: AddressAuthor): Promise<Permit>
  /** A port of this process, which no request reaches. */
  close(port: number): void
}

type Settings = Pick<
  Config,
  'privateHooks' | 'databaseUrl' | 'host' | 'url' | 'trustedProxy' | 'port'
>

/** Milliseconds for which the addresses of the database's host are remembered. */
const rememberedMs = 60_000

/** `databaseUrl`: where the database answers, the embedded one too. */
export function openDoor(config: Settings, database: Reader, databaseUrl: string): Door {
  const { privateHooks } = config
  const isTryOut = config.databaseUrl === undefined && !isOpenToOthers(config)
  const ownPorts = new Set([config.port])
  const databaseHost = hostOf(databaseUrl)
  /** Undefined until they are found. */
  let databaseAddresses: string[] | undefined
  let finding: Promise<void> | undefined
  let foundUntil = 0
  let firstAccountId: number | undefined

  async function reachOf({ accountId, role }: AddressAuthor): Promise<Reach> {
    if (role === 'user') return 'none'
    if (privateHooks !== undefined) return privateHooks
    const mayTry = role === 'administrator' || role === 'channel'
    return mayTry && isTryOut && (await isFirst(accountId)) ? 'loopback' : 'none'
  }

  async function isFirst(accountId: number): Promise<boolean> {
    const first = sql`select min(id) as id from accounts`
    firstAccountId ??= (await database.row<{ id: number | null }>(first))?.id ?? undefined
    return accountId === firstAccountId
  }

  /** Where it was found before holds while the name cannot be looked up. */
  function findDatabase(): Promise<void> | undefined {
    if (!databaseHost || foundUntil > performance.now()) return undefined
    return (finding ??= lookup(databaseHost.host, { all: true })
      .then((found) => {
        databaseAddresses = found.map(({ address }) => address)
        foundUntil = performance.now() + rememberedMs
      })
      .catch(() => undefined)
      .finally(() => (finding = undefined)))
  }

  function isOwn(address: string, port: number): boolean {
    const isOfDatabase = port === databaseHost?.port
    if (!ownPorts.has(port) && !isOfDatabase) return false
    const isHere = (each: string) => isLoopback(each) || isAmong(ownAddresses(), each)
    if (ownPorts.has(port) && isHere(address)) return true
    if (!isOfDatabase) return false
    // Where it is not known, it may be anywhere.
    if (databaseAddresses === undefined) return true
    return (
      isAmong(databaseAddresses, address) || (databaseAddresses.some(isHere) && isHere(address))
    )
  }

  return {
    async permit(author) {
      const [reach] = await Promise.all([reachOf(author), findDatabase()])
      return newPermit(reach, isOwn)
    },
    close: (port) => void ownPorts.add(port),
  }
}

/** The host and port of a connection string; undefined for a socket in a folder. */
function hostOf(databaseUrl: string): { host: string; port: number } | undefined {
  const { host, port } = new pg.Client(databaseUrl)
  return host.startsWith('/') ? undefined : { host, port }
}

/** The addresses at which this machine answers itself. */
const ownAddresses = (): string[] => [
  '0.0.0.0',
  '::',
  ...Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  ),
]

/** Finds a version 4 address in version 6 notation, too. */
function isAmong(addresses: string[], address: string): boolean {
  const list = new BlockList()
  for (const each of addresses) list.addAddress(each, familyOf(each))
  return list.check(address, familyOf(address))
}
