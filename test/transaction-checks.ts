// The checks of all transactions in tests. Verbs are written by hand, top to bottom. At each
// statement and each commit they look:
//
// - rights: a transaction that wrote a table of records asked for the actor's rights to that table
// - news: it recorded the change in the journal or the event log, unless it is one of the silent
//   writers below
// - locks: row locks are taken in the order of `ranks`, and within a rank in the order of ids
// - time: no row is locked, and so waited for, once the time of the change is read (decision 90)
// - access: a write to a table that decides sign-in or rights makes all processes forget the access
//   they remember
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTransactionChecks } from '../server/database/transaction-checks.ts'
import type { Watch } from '../server/database/transaction-checks.ts'

const recordTables = [
  'leads',
  'customers',
  'contacts',
  'companies',
  'catalog_elements',
  'tasks',
] as const

/** Statements that may write records without journaling the change, with the reason. */
const silentWriters: { name: string; statement: RegExp }[] = [
  {
    name: 'the purge: the deletion was told when the record went into the bin',
    statement: /with doomed as materialized/,
  },
  {
    name: 'records in the bin lose a choice that goes, or have it again',
    statement: /binned\s+set custom_fields_values = /,
  },
  {
    name: 'records in the bin lose a tag that goes, or have it again',
    statement: /binned\s+set tag_ids = /,
  },
  {
    name: 'a clean-up: what was deleted looks gone already',
    statement:
      /set (loss_reason_id = null|custom_fields_values = |tag_ids = array_remove|segment_ids = array_remove)/,
  },
  {
    name: 'a derived column: the group of a user who moved',
    statement: /rewritten as \(\s*update/,
  },
  {
    name: 'the clock of customers: when they are due next',
    statement: /update customers set status_due_at = /,
  },
  {
    name: 'customers in the bin leave a status that goes',
    statement: /update customers set status_id = /,
  },
  {
    name: 'derived columns: the earliest open task of a record, and whether a lead has one',
    statement: /record set \(closest_task_at\b/,
  },
  {
    name: 'leads in the bin get the reason that theirs is merged into',
    statement: /update leads set loss_reason_id = \$/,
  },
  {
    name: 'tasks of records in the bin get the type that theirs is merged into',
    statement: /update tasks set task_type_id = \$/,
  },
  { name: 'leads in the bin leave a status that goes', statement: /closed_at = case when/ },
  {
    name: 'since when leads are in their stages',
    statement: /update leads set entered_at = entered\.entered_at/,
  },
  {
    name: 'leads in the bin go back to a status that comes back',
    statement: /status_id = [^,]+, closed_at = null/,
  },
]

/**
 * The order of row locks. The account comes first, then records type by type; tables that no record
 * refers to come last. Rows of other tables may not be locked.
 */
export const ranks = [
  'accounts',
  'integrations',
  'authorization_codes',
  'refresh_tokens',
  'roles',
  'users',
  'second_factors',
  'channels',
  'chats',
  'chat_queues',
  'unsorted_items',
  'tags',
  'pipelines',
  'sources',
  'customer_statuses',
  'segments',
  'installations',
  'duplicate_keys',
  'loss_reasons',
  ...recordTables,
  'task_types',
  'webhooks',
  'files',
]

/**
 * Tables that decide access. After a matching statement, processes must forget the access they
 * remember.
 */
export const accessTables: Record<string, RegExp> = {
  users: /\b(update|delete from) users\b/,
  roles: /\b(update|delete from) roles\b/,
  grants: /\b(update|delete from) grants\b/,
  sessions: /\b(update|delete from) sessions\b/,
  api_keys: /\b(update|delete from) api_keys\b/,
  integrations: /\b(update|delete from) integrations\b/,
  // An installation lets the origins of its integration in.
  installations: /\b(insert into|update|delete from) installations\b/,
  accounts: /\b(update accounts set (?!fields_version|tags_version)|delete from accounts\b)/,
  // Statuses of unsorted leads are part of the rights in force.
  statuses: /\b(insert into|delete from) statuses\b/,
}

/** Changes of those tables that affect no answer. */
const harmless: { name: string; statement: RegExp }[] = [
  {
    name: 'the modes of customers: processes remember none of them',
    statement: /update accounts set is_periodicity_on/,
  },
  {
    name: 'sessions that have ended',
    statement: /visits as \(delete from sessions where expires_at/,
  },
  {
    name: 'a session that lasts longer, or one that takes the place of another',
    statement: /update sessions set expires_at|delete from sessions session/,
  },
  {
    name: 'the last use of a session',
    statement: /update sessions set last_used_at/,
  },
  {
    name: 'the last use of a key',
    statement: /update api_keys set last_used_at/,
  },
  {
    name: 'a new secret: access tokens are not signed with it',
    statement: /update integrations set secret/,
  },
  {
    name: 'where duplicates are looked for',
    statement: /update installations set duplicate_pipelines/,
  },
]

interface Seen {
  /**
   * Tables of records: those written and not yet recorded, those whose rights were asked for, and
   * those that were recorded.
   */
  written: Set<string>
  checked: Set<string>
  recorded: Set<string>
  accessWritten: Set<string>
  hasForgotten: boolean
  isNewAccount: boolean
  isTimeRead: boolean
  locks: Locks
}

const transactions = new AsyncLocalStorage<Seen>()

setTransactionChecks({
  transaction(work) {
    const seen: Seen = {
      written: new Set(),
      checked: new Set(),
      recorded: new Set(),
      accessWritten: new Set(),
      hasForgotten: false,
      isNewAccount: false,
      isTimeRead: false,
      locks: newLocks(),
    }
    return transactions.run(seen, () => work(isFixture() ? blind : watch(seen)))
  },
  rightChecked(table) {
    transactions.getStore()?.checked.add(table)
  },
})

const watchedTests = new AsyncLocalStorage<true>()

/** Watches the transactions of a test like those of the server, for tests of the checks themselves. */
export function underWatch<Result>(work: () => Promise<Result>): Promise<Result> {
  return watchedTests.run(true, work)
}

/** Tests prepare data by statements of their own. Only the server's statements are watched. */
const blind: Watch = {
  statement: () => undefined,
  timeRead: () => undefined,
  answered: () => undefined,
  commit: () => undefined,
}

function isFixture(): boolean {
  if (watchedTests.getStore()) return false
  const frames = (new Error().stack ?? '').split('\n').slice(1)
  const caller =
    frames.find(
      (frame) => frame.includes('.ts') && !/transaction-checks\.ts|connect\.ts/.test(frame),
    ) ?? ''
  return /\.test\.ts|\/test\//.test(caller)
}

function watch(seen: Seen): Watch {
  return {
    statement(text) {
      const isSilent = silentWriters.some(({ statement }) => statement.test(text))
      for (const table of recordTables) {
        if (!isSilent && new RegExp(`\\b(insert into|update|delete from) ${table}\\b`).test(text))
          seen.written.add(table)
        if (/insert into journal/.test(text) && new RegExp(`\\b${table}\\b`).test(text))
          seen.recorded.add(table)
      }
      // The news of an unsorted item tells of its leads.
      if (/insert into journal/.test(text) && /\bunsorted_items\b/.test(text))
        seen.recorded.add('leads')
      if (text.includes("pg_notify('kontor_access'")) seen.hasForgotten = true
      if (/insert into accounts\b/.test(text)) seen.isNewAccount = true
      seen.locks.savepoint(text)
    },
    timeRead() {
      seen.isTimeRead = true
    },
    answered(text, rows) {
      // Nobody else can lock anything in an account that this transaction makes.
      const table = seen.isNewAccount ? undefined : seen.locks.taken(text, rows)
      // An upload is locked last of all, by transactions that write already.
      if (table !== undefined && table !== 'files' && seen.isTimeRead)
        throw new Error(`rows are locked after the time of the change was read: ${text}`)
      if (rows.length === 0 && /\breturning\b/.test(text)) return
      for (const [table, statement] of Object.entries(accessTables))
        if (statement.test(text) && !harmless.some((each) => each.statement.test(text)))
          seen.accessWritten.add(table)
    },
    commit() {
      for (const table of seen.written) {
        if (!seen.checked.has(table))
          throw new Error(`a transaction wrote ${table} and asked for no right to them`)
        if (!seen.recorded.has(table))
          throw new Error(`a transaction wrote ${table} and recorded nothing about them`)
      }
      // No user has signed in to a new account yet.
      if (seen.accessWritten.size > 0 && !seen.hasForgotten && !seen.isNewAccount)
        throw new Error(
          `a transaction wrote ${[...seen.accessWritten].join(', ')}, and no process forgets who may do what`,
        )
    },
  }
}

interface Locks {
  savepoint(text: string): void
  /** Answers the table of which rows are locked that were not before, if any are. */
  taken(text: string, rows: readonly object[]): string | undefined
}

interface LocksTaken {
  rank: number
  /** Ids by rank, as far as the answers of statements hold them. */
  ids: Map<number, Set<number>>
}

function newLocks(): Locks {
  let locksTaken: LocksTaken = { rank: -1, ids: new Map() }
  const savepoints: { name: string; locksTaken: LocksTaken }[] = []
  const made = (table: string, rows: readonly object[]) => {
    const rank = ranks.indexOf(table)
    locksTaken.ids.set(rank, new Set([...(locksTaken.ids.get(rank) ?? []), ...idsOf(rows)]))
  }
  return {
    savepoint(text) {
      const [, action, name] =
        /^\s*(savepoint|rollback to savepoint|release savepoint) (\w+)/.exec(text) ?? []
      if (action === 'savepoint') savepoints.push({ name: name!, locksTaken: copyOf(locksTaken) })
      if (action === 'rollback to savepoint')
        locksTaken = copyOf(savepoints.findLast((each) => each.name === name)!.locksTaken)
    },
    taken(text, rows) {
      // Nobody else holds what the transaction has made.
      const inserted = recordTables.find((table) =>
        new RegExp(`\\binsert into ${table}\\b`).test(text),
      )
      if (inserted) made(inserted, rows)
      const table = lockedBy(text)
      if (table === undefined) return undefined
      const rank = ranks.indexOf(table)
      if (rank === -1)
        throw new Error(`rows of ${table} are locked, and that table has no rank: ${text}`)
      const ids = idsOf(rows)
      const known = locksTaken.ids.get(rank) ?? new Set()
      const fresh = ids.filter((id) => !known.has(id))
      const isKnown =
        table === 'accounts' ? known.size > 0 : fresh.length === 0 && ids.length === rows.length
      if (rank < locksTaken.rank && !isKnown)
        throw new Error(
          `rows of ${table} are locked after rows of ${ranks[locksTaken.rank]}: ${text}`,
        )
      if (fresh.some((id) => id < Math.max(...known)))
        throw new Error(`rows of ${table} are locked against the order of ids: ${text}`)
      locksTaken.rank = Math.max(locksTaken.rank, rank)
      locksTaken.ids.set(rank, new Set([...known, ...(table === 'accounts' ? [0] : ids)]))
      return rows.length > 0 && !isKnown ? table : undefined
    },
  }
}

const idsOf = (rows: readonly object[]): number[] =>
  rows.flatMap((row) => ('id' in row && typeof row.id === 'number' ? row.id : []))

/** The table whose rows a statement locks and may wait for, or undefined. */
function lockedBy(text: string): string | undefined {
  if (/'kontor (duplicates|calls)'/.test(text)) return 'duplicate_keys'
  if (/'kontor unsorted'/.test(text)) return 'unsorted_items'
  if (/\b(insert into|update|delete from) tags\b/.test(text)) return 'tags'
  if (/^\s*update accounts\b/.test(text)) return 'accounts'
  const [, alias, isSkipping] =
    /\bfor (?:no key update|update|key share|share)\b(?: of (\w+))?( skip locked)?/.exec(text) ?? []
  if (isSkipping || !/\bfor (?:no key update|update|key share|share)\b/.test(text)) return undefined
  const tables = [...text.matchAll(/\bfrom ([a-z_]+)(?: ([a-z_]+))?/g)]
  return (tables.find(([, , name]) => alias !== undefined && name === alias) ??
    tables.find(([, name]) => name !== 'unnest'))?.[1]
}

function copyOf({ rank, ids }: LocksTaken): LocksTaken {
  return { rank, ids: new Map([...ids].map(([each, known]) => [each, new Set(known)])) }
}
