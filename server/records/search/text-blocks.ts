// The pairs of characters in the search texts of eight ids each (`text_blocks`), which find words of
// one and two characters: the index of trigrams cannot. They are written in the background, for
// accounts with many texts of a type. A search reads the blocks with its pairs, and the texts that
// were written since, which the journal names (docs/decisions/0064-short-words.md and
// 0080-short-words-with-rights.md).
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { rangeOf } from '../../access/record-rights.ts'
import { othersEnded, workInBackground } from '../../changes/background.ts'
import { statisticsChannel } from '../../changes/growth.ts'
import { openLock } from '../../changes/lock.ts'
import { lastDrawn } from '../../changes/position.ts'
import type { Database, Reader, Tx } from '../../database/connect.ts'
import type { App, Kontor } from '../../kontor.ts'
import { recordTypes } from '../description.ts'
import type { RecordType } from '../description.ts'
import { textTable } from './common-trigrams.ts'
import type { SearchTerms } from './terms.ts'
import { pairCollector, pairsOfWord } from './text.ts'

/** Tests lower them. */
export const blocking = {
  /** Fewer texts of an account are read in 20 ms. */
  fewestTexts: 20_000,
  /** The blocks are brought up to date after so many changes. */
  changesAtOnce: 500,
  /** The most changes whose texts a search reads besides the blocks. */
  mostChanges: 5000,
  /** The most blocks whose texts a search reads, of a single word; half as many again of several. */
  mostBlocks: 2000,
  /** The most blocks in which it looks for the records of a user or a group, or tests those of a list. */
  mostTested: 6000,
}

/** Texts, or changes, of one transaction: about 50 ms. */
const atOnce = 4096
/** An id is in the block of this many bits less. */
const blockBits = 3
/** Accounts that have grown are looked for this often, besides when their tables have doubled. */
const lookMs = 600_000
/** Blocks wait until an import of so many changes in five seconds has ended. */
const importing = 10_000

interface Text {
  account_id: number
  entity_type: RecordType
  entity_id: number
  text: string
}

export function keepBlocksInBackground(app: App, kontor: Kontor): void {
  let looked = -Infinity
  let drawn = 0
  const unsubscribe = kontor.signals.on(statisticsChannel, () => (looked = -Infinity))
  app.addHook('onClose', async () => unsubscribe())
  workInBackground(app, kontor, {
    channel: statisticsChannel,
    everyMs: 5000,
    failure: 'the pairs of characters of search texts could not be kept',
    async finish(database, isStopped) {
      const state = await changesSince(database)
      const isImporting = drawn > 0 && state.drawn - drawn > importing
      drawn = state.drawn
      if (isImporting) return true
      const isLooking = performance.now() - looked > lookMs
      const isDue = state.behind >= blocking.changesAtOnce
      if (isDue || (isLooking && (await unblocked(database)).length > 0))
        if (!(await keepBlocks(database, isStopped))) return false
      if (isLooking) looked = performance.now()
      return true
    },
  })
}

/**
 * Brings the blocks of all accounts up to date, and makes those of accounts that have grown. Answers
 * whether all of it is done; another process that is at it is left to it.
 */
export async function keepBlocks(
  database: Database,
  isStopped: () => boolean = () => false,
): Promise<boolean> {
  const name = 'kontor text blocks'
  const lock = await openLock(database, name, () => undefined)
  // Those of a million texts take a minute, in which requests would lack a connection.
  const own = database.apart(1, name)
  try {
    if (!(await lock.take())) return true
    if (!(await catchUp(own, isStopped))) return false
    for (const texts of await unblocked(own))
      if (!(await blockTexts(own, texts, isStopped))) return false
    return true
  } finally {
    await own.close()
    await lock.end()
  }
}

/** The last id of the journal, and how many blocks wait for. */
async function changesSince(database: Database): Promise<{ drawn: number; behind: number }> {
  const state = await database.row<{ drawn: number; behind: number }>(sql`
    select last_value as drawn, coalesce(last_value - (select min(journal_id) from blocked_texts), 0) as behind
      from journal_id`)
  return state!
}

/** Adds the pairs of the texts that were written since. */
async function catchUp(database: Database, isStopped: () => boolean): Promise<boolean> {
  const state = await database.row<{ low: number | null }>(
    sql`select min(journal_id) as low from blocked_texts`,
  )
  if (state!.low === null) return true
  const end = await committedEnd(database, isStopped)
  if (end === undefined) return false
  for (let low = state!.low; low < end; low += atOnce) {
    if (isStopped()) return false
    const high = Math.min(low + atOnce, end)
    await database.transaction(
      async (tx) => {
        await addPairs(tx, await tx.rows<Text>(textsChanged(low, high)))
        await tx.rows(sql`update blocked_texts set journal_id = ${high} where journal_id < ${high}`)
      },
      { isDurable: false },
    )
  }
  return true
}

/**
 * A journal id up to which all is committed; undefined after a minute of waiting. A text and its row
 * of the journal are written in one transaction, which takes its number before it draws the id.
 */
async function committedEnd(
  database: Database,
  isStopped: () => boolean,
): Promise<number | undefined> {
  const end = await lastDrawn(database)
  return (await othersEnded(database, isStopped)) ? end : undefined
}

/**
 * Selects account, type and id of each text that was written by transactions with rows in a part of
 * the journal. The leads of unsorted items have no rows of their own before they are accepted.
 */
const written = (part: Sql): Sql => sql`
  select account_id, entity_type, entity_id from journal where ${part}
  union
  select item.account_id, 'leads', unnest(item.lead_ids)
    from journal join unsorted_items item on item.account_id = journal.account_id and item.id = entity_id
   where ${part} and entity_type = 'unsorted_items'`

const textsChanged = (low: number, high: number): Sql => sql`
  select account_id, entity_type, entity_id, text
    from (${written(sql`journal.id > ${low} and journal.id <= ${high}`)}) changed
    join blocked_texts using (account_id, entity_type)
    join record_texts using (account_id, entity_type, entity_id)`

/** The texts of an account that are of one type. */
interface Texts {
  accountId: number
  type: RecordType
}

/** Those that are many and have no blocks. */
async function unblocked(database: Database): Promise<Texts[]> {
  const most = raw(String(blocking.fewestTexts - 1))
  const parts = recordTypes.map(
    (type) => sql`
      select id as "accountId", ${type} as type from accounts
       where not exists (select from blocked_texts where account_id = accounts.id and entity_type = ${type})
         and exists (select from ${textTable(type)}
                      where account_id = accounts.id and entity_type = ${type}
                      order by entity_id offset ${most} limit 1)`,
  )
  return database.rows<Texts>(join(parts, ' union all '))
}

/** Makes blocks of texts. Those that are written meanwhile, searches find by the journal. */
async function blockTexts(
  database: Database,
  { accountId, type }: Texts,
  isStopped: () => boolean,
): Promise<boolean> {
  const end = await committedEnd(database, isStopped)
  if (end === undefined) return false
  for (let after = 0, isLast = false; !isLast;) {
    if (isStopped()) return false
    const texts = await database.rows<Text>(sql`
      select account_id, entity_type, entity_id, text from ${textTable(type)}
       where account_id = ${accountId} and entity_type = ${type} and entity_id > ${after}
       order by entity_id limit ${atOnce}`)
    await database.transaction((tx) => addPairs(tx, texts, '8MB'), { isDurable: false })
    after = texts.at(-1)?.entity_id ?? after
    isLast = texts.length < atOnce
  }
  await database.transaction(async (tx) => {
    await tx.rows(sql`
      insert into blocked_texts (account_id, entity_type, journal_id)
      values (${accountId}, ${type}, ${end}) on conflict do nothing`)
    await tx.rows(sql`
      select gin_clean_pending_list(indexrelid) from pg_index join pg_class on pg_class.oid = indexrelid
       where indrelid = ${`text_blocks_of_${type}`}::regclass and relam = (select oid from pg_am where amname = 'gin')`)
  })
  return true
}

/**
 * Adds the pairs of texts to their blocks. Pairs are only ever added: those of a text that changed find
 * its block in vain. The index keeps new rows in a list that each search reads, up to `unsorted`.
 */
async function addPairs(tx: Tx, texts: Text[], unsorted = '256kB'): Promise<void> {
  if (texts.length === 0) return
  await tx.rows(sql`select set_config('gin_pending_list_limit', ${unsorted}, true)`)
  const blocks = Map.groupBy(
    texts,
    (text) =>
      `${text.account_id} ${text.entity_type} ${Math.floor(text.entity_id / 2 ** blockBits)}`,
  )
  const collect = pairCollector()
  const rows = [...blocks.values()].map((block) => {
    const [{ account_id, entity_type, entity_id }] = block as [Text]
    const pairs = collect(block.map(({ text }) => text))
    return { account_id, entity_type, block: Math.floor(entity_id / 2 ** blockBits), pairs }
  })
  await tx.rows(sql`
    insert into text_blocks as known (account_id, entity_type, block, pairs)
    select account_id, entity_type, block, pairs::int[]
      from unnest(${rows.map(({ account_id }) => account_id)}::bigint[], ${rows.map(({ entity_type }) => entity_type)}::text[],
                         ${rows.map(({ block }) => block)}::bigint[], ${rows.map(({ pairs }) => `{${pairs.join(',')}}`)}::text[])
             as draft(account_id, entity_type, block, pairs)
     order by 1, 2, 3
    on conflict (account_id, entity_type, block)
      do update set pairs = array(select unnest(known.pairs) union select unnest(excluded.pairs))
      where not known.pairs @> excluded.pairs`)
}

/**
 * The journal ids up to which blocks hold the pairs of an account's texts, by entity type. Types whose
 * texts have no blocks, or where too much was written since, are missing.
 */
export async function blockedTypes(
  reader: Reader,
  { accountId }: Actor,
): Promise<ReadonlyMap<RecordType, number>> {
  const rows = await reader.rows<{ entity_type: RecordType; journal_id: number }>(sql`
    select entity_type, journal_id from blocked_texts
     where account_id = ${accountId} and journal_id >= (select last_value from journal_id) - ${blocking.mostChanges}::bigint`)
  return new Map(rows.map(({ entity_type, journal_id }) => [entity_type, journal_id]))
}

/**
 * Selects the ids of the texts that match a search, by blocks and by what the journal says was written
 * since; and whether too many blocks have its pairs. Of an actor who views the records of a user or a
 * group, only the texts of these are read.
 */
export function byBlocks(
  actor: Actor,
  type: RecordType,
  terms: SearchTerms,
  matches: Sql,
  journalId: number,
): { before: Sql; select: Sql; level: Sql } {
  const { mostBlocks, mostTested } = blocking
  const range = rangeOf(actor, type, 'view')
  // A block may hold one word in one text and one in another: few of its texts match.
  const isOfOne = terms.every((words) => words.length === 1)
  const mostRead = range ? mostTested : isOfOne ? mostBlocks : Math.floor(1.5 * mostBlocks)
  const ofAccount = (name: string) =>
    sql`${raw(name)}.account_id = ${actor.accountId} and ${raw(name)}.entity_type = ${type}`
  const ofBlock = (id: string) =>
    sql`${raw(id)} >= asked.first and ${raw(id)} < asked.first + ${raw(String(2 ** blockBits))}`
  const found = (whose: Sql) => sql`
    select found.entity_id as id from ${textTable(type)} found
     where ${ofAccount('found')} and ${whose} and ${matches} offset 0`
  const ofRange =
    range &&
    sql`
    select record.id from ${raw(type)} record
     where record.account_id = ${actor.accountId} and record.${raw(range.column)} = ${range.value} and ${ofBlock('record.id')} offset 0`
  return {
    before: sql`asked as materialized (
      select block << ${raw(String(blockBits))} as first from (${blocksOf(actor, type, terms)} limit ${mostTested + 1}) known),`,
    level: sql`(select case when count(*) > ${mostTested} then ${asCommon} when count(*) > ${mostRead} then ${asTested} else 0 end from asked)`,
    select: sql`
      select found.id from asked cross join lateral (${
        ofRange
          ? sql`select found.id from (${ofRange}) viewed cross join lateral (${found(sql`found.entity_id = viewed.id`)}) found`
          : found(ofBlock('found.entity_id'))
      }) found
      union
      select found.id from (${writtenSince(actor, type, journalId)}) changed
       cross join lateral (${found(sql`found.entity_id = changed.entity_id`)}) found`,
  }
}

/** How a search has too many blocks: the records of a list are tested by themselves, or by blocks. */
const [asCommon, asTested] = [raw('1'), raw('3')]

/** Whether a row named `record` is in a block with the pairs of a search, or was written since. */
export const isInTextBlocks = (
  actor: Actor,
  type: RecordType,
  terms: SearchTerms,
  journalId: number,
): Sql => sql`
  (record.id >> ${raw(String(blockBits))} in (${blocksOf(actor, type, terms)})
   or record.id in (${writtenSince(actor, type, journalId)}))`

function blocksOf({ accountId }: Actor, type: RecordType, terms: SearchTerms): Sql {
  const pairs = join(
    terms.map((words) => sql`pairs @> ${[...new Set(words.flatMap(pairsOfWord))]}::int[]`),
    ' or ',
  )
  return sql`
    select block from ${raw(`text_blocks_of_${type}`)} known
     where known.account_id = ${accountId} and known.entity_type = ${type} and (${pairs})`
}

const writtenSince = ({ accountId }: Actor, type: RecordType, journalId: number): Sql => sql`
  select entity_id from (${written(sql`journal.id > ${journalId} and journal.account_id = ${accountId}`)}) written
   where entity_type = ${type}`
