// A database with a large account: one kept from an earlier run, or a new one. Its folder is kept,
// or removed at the end of the bench.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import sql from 'sql-template-tag'
import { ensureEventPartitions } from '../../server/changes/partitions.ts'
import { readConfig } from '../../server/config.ts'
import { startEmbedded } from '../../server/database/embedded.ts'
import { stageOf } from '../../server/database/data-folder.ts'
import { openKontor } from '../../server/open.ts'
import { keepBlocks } from '../../server/records/search/text-blocks.ts'
import { fillLarge } from '../large.ts'
import { openLargeAccount } from './account.ts'
import type { LargeAccount } from './account.ts'
import { begin, end } from './records.ts'

export interface LargeDatabase {
  account: LargeAccount
  url: string
  /** The environment of a process that uses this database. */
  environment: Record<string, string>
}

type Say = (line: string) => void

/**
 * Opens the database for a number of leads, and fills a new one. In `<keep>/<leads>` it stays, else
 * it is removed when it is stopped. Its stop is added to `started` before it is filled, because
 * that may be interrupted.
 */
export async function openLarge(
  leads: number,
  keep: string | undefined,
  say: Say,
  started: (() => Promise<void>)[],
): Promise<LargeDatabase> {
  const data =
    keep === undefined
      ? await mkdtemp(path.join(tmpdir(), 'kontor-lists-'))
      : path.resolve(keep, String(leads))
  const note = path.join(data, 'account.json')
  const isNew = !existsSync(note)
  if (isNew && existsSync(path.join(data, 'postgres')))
    throw new Error(
      `${data} holds a database that was never filled to the end. Remove it, or keep another folder`,
    )
  await mkdir(data, { recursive: true })
  const embedded = await startEmbedded(data, 'kontor bench', say)
  started.push(async () => {
    await embedded.stop()
    if (keep === undefined)
      await Promise.all(
        [data, stageOf(data)].map((folder) => rm(folder, { recursive: true, force: true })),
      )
  })
  // The data has a time of its own. The purges, which follow the calendar, must not remove any.
  const years = { BIN_DAYS: '36500', JOURNAL_DAYS: '3650' }
  const environment = {
    DATABASE_URL: embedded.url,
    KONTOR_DATA: data,
    KONTOR_SECRET_KEY: 'the key of the bench',
    ...years,
  }
  if (isNew) await fill(environment, embedded.url, leads, note, say)
  return {
    account: JSON.parse(await readFile(note, 'utf8')) as LargeAccount,
    url: embedded.url,
    environment,
  }
}

async function fill(
  environment: Record<string, string>,
  url: string,
  leads: number,
  note: string,
  say: Say,
): Promise<void> {
  say(`Filling an account with ${leads} leads…`)
  const { kontor, close } = await openKontor(readConfig(environment), 'kontor bench', say)
  try {
    // Makes four months of the event log at a time.
    for (
      let month = new Date(begin * 1000);
      month.getTime() < end * 1000;
      month.setUTCMonth(month.getUTCMonth() + 4)
    )
      await ensureEventPartitions(kontor.database, month)
    const account = await kontor.database.transaction((tx) => openLargeAccount(tx, kontor, leads))
    await fillLarge(url, account, say)
    await keepBlocks(kontor.database)
    await kontor.database.list(sql`vacuum analyze text_blocks`)
    await writeFile(note, JSON.stringify(account))
  } finally {
    await close()
  }
  await sayBytes(url, say)
}

/** Prints the size of the tables, the partitions of the event log together. */
async function sayBytes(url: string, say: Say): Promise<void> {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  const { rows } = await session.query<{ name: string; megabytes: string; rows: string }>(
    `select regexp_replace(relname, '^events_(\\d+_\\d+|rest)', 'events') as name,
            (sum(pg_table_size(oid)) / 1048576)::numeric(12, 1) as megabytes, sum(greatest(reltuples, 0))::bigint as rows
       from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
      group by 1 having sum(pg_table_size(oid)) > 1048576 order by sum(pg_table_size(oid)) desc`,
  )
  for (const { name, megabytes, rows: count } of rows)
    say(`${name.padEnd(40)} ${megabytes.padStart(10)} MiB ${count.padStart(12)} rows`)
  await session.end()
}
