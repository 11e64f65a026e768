// Every test runs real PostgreSQL in a folder of its own. Tests of processes start real processes.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  borrow,
  here,
  hold,
  postmaster,
  query,
  seed,
  spawned,
  start,
  useFolders,
} from '../../test/folders.ts'
import { wasStopped } from './postmaster.ts'
import { isAlive } from './processes.ts'

useFolders()

test('the first start makes a database that knows Cyrillic, the second finds what was written', async () => {
  const first = await start()
  await query(first.url, 'create table words (word text)')
  await query(first.url, `insert into words values ('Ёж')`)
  await first.stop()

  const said: string[] = []
  const second = await start((line) => said.push(line))
  expect(await query(second.url, 'select lower(word) as word from words')).toEqual([{ word: 'ёж' }])
  expect(said).toEqual([])
  const settings = `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync, current_setting('jit') as jit,
    current_setting('listen_addresses') as addresses, datlocprovider as provider from pg_database where datname = 'kontor'`
  expect(await query(second.url, settings)).toEqual([
    { encoding: 'UTF8', fsync: 'on', jit: 'off', addresses: '', provider: 'b' },
  ])
})

test('a killed PostgreSQL is told of, and the next start recovers what was committed', async () => {
  await seed()
  const first = await start()
  await query(first.url, 'create table survivors (id int)')
  process.kill(await postmaster(), 'SIGKILL')
  expect((await first.lost).message).toContain('ended unexpectedly')
  await first.stop()

  const cluster = path.join(here.data, 'postgres')
  expect(await wasStopped({ cluster })).toBe(false)
  const second = await start()
  expect(await query(second.url, 'select * from survivors')).toEqual([])
  await second.stop()
  expect(await wasStopped({ cluster })).toBe(true)
})

test('what a killed PostgreSQL left at work does not stand in the way', async () => {
  await seed()
  const first = await start()
  const busy = query(first.url, `do $$ begin loop end loop; end $$`).catch(() => 'interrupted')
  const works = `select pid from pg_stat_activity where query like 'do $$%' and state = 'active'`
  const [backend] = await vi.waitUntil(async () => {
    const rows = (await query(first.url, works)) as { pid: number }[]
    return rows.length > 0 && rows
  })
  process.kill(await postmaster(), 'SIGKILL')
  await first.lost
  expect(isAlive(backend!.pid)).toBe(true)

  const second = await start()
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await busy).toBe('interrupted')
  expect(isAlive(backend!.pid)).toBe(false)
})

test('one killed process of PostgreSQL costs nobody the database', async () => {
  await seed()
  const embedded = await start()
  let lost = false
  void embedded.lost.then(() => (lost = true))
  const holders = `select a.pid, a.application_name as name from pg_locks join pg_stat_activity a using (pid)
    where locktype = 'advisory' and mode = 'ExclusiveLock'`
  const [before] = (await query(embedded.url, holders)) as { pid: number; name: string }[]
  const sleeper = query(embedded.url, 'select pg_sleep(1000)').catch(() => 'interrupted')
  const [backend] = await vi.waitUntil(async () => {
    const rows = (await query(
      embedded.url,
      `select pid from pg_stat_activity where wait_event = 'PgSleep'`,
    )) as {
      pid: number
    }[]
    return rows.length > 0 && rows
  })
  process.kill(backend!.pid, 'SIGKILL')
  expect(await sleeper).toBe('interrupted')

  const [after] = await vi.waitUntil(
    async () => {
      const rows = (await query(embedded.url, holders).catch(() => [])) as {
        pid: number
        name: string
      }[]
      return rows.length > 0 && rows[0]!.pid !== before!.pid && rows
    },
    { timeout: 60_000, interval: 50 },
  )
  expect(after!.name).toBe(before!.name)
  expect(lost).toBe(false)
})

test('a stopped database is not a lost one', async () => {
  await seed()
  const embedded = await start()
  let lost = false
  void embedded.lost.then(() => (lost = true))
  await embedded.stop()
  await embedded.stop()
  expect(lost).toBe(false)
})

test('the database of a killed Kontor is taken over', async () => {
  await seed()
  const holder = hold('kontor start')
  const { url } = await holder.ready
  await query(url, 'create table survivors (id int)')
  const orphan = await postmaster()
  holder.child.kill('SIGKILL')
  await holder.ended
  expect(isAlive(orphan)).toBe(true)

  const embedded = await start()
  expect(await query(embedded.url, 'select * from survivors')).toEqual([])
  expect(isAlive(orphan)).toBe(false)
})

test('a second Kontor is refused, with the name of the first', async () => {
  await seed()
  const holder = hold('kontor start')
  const { url } = await holder.ready
  await expect(start()).rejects.toThrow(
    `Kontor is already running on ${here.data} (kontor start, process ${holder.child.pid}). Stop it first, or set KONTOR_DATA to another folder`,
  )
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('of several first starts at once, one wins', async () => {
  const holders = ['kontor start', 'kontor start', 'kontor start'].map((name) => hold(name))
  const outcomes = await Promise.allSettled(holders.map(({ ready }) => ready))
  const winners = outcomes.filter(({ status }) => status === 'fulfilled')
  expect(winners).toHaveLength(1)
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  )
  for (const reason of reasons) expect(reason).toContain('Kontor is already running')
})

test('a command beside a server borrows its database and leaves it running', async () => {
  await seed()
  const server = await start()
  const command = await borrow()
  expect(command.url).toBe(server.url)
  await command.stop()
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a command without a server has a database for its time', async () => {
  await seed()
  const command = await borrow()
  const pid = await postmaster()
  await command.stop()
  expect(isAlive(pid)).toBe(false)
})

test('a command that brought the database waits for the one that borrowed it', async () => {
  await seed()
  const first = await borrow()
  const second = await borrow()
  const stopping = first.stop()
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await second.stop()
  await stopping
  expect(existsSync(path.join(here.data, 'postgres/postmaster.pid'))).toBe(false)
})

test('a process number that now belongs to another program stops nobody', async () => {
  await seed()
  const first = await start()
  const pid = await postmaster()
  const socketLock = path.join(here.data, 'socket/.s.PGSQL.5432.lock')
  const notes = [path.join(here.data, 'postgres/postmaster.pid'), socketLock]
  process.kill(pid, 'SIGKILL')
  await first.lost
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'ignore',
  })
  spawned.push(stranger)
  for (const note of notes)
    await writeFile(note, (await readFile(note, 'utf8')).replace(String(pid), String(stranger.pid)))

  const second = await start()
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(isAlive(stranger.pid!)).toBe(true)
})

test('a note that a power cut left empty stops nobody', async () => {
  await seed()
  const first = await start()
  process.kill(await postmaster(), 'SIGKILL')
  await first.lost
  await truncate(path.join(here.data, 'postgres/postmaster.pid'))
  const second = await start()
  expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
})
