import { readdirSync } from 'node:fs'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { here, query, seed, start, useFolders } from '../../test/folders.ts'

useFolders()

test('what belongs to the database is closed to others', async () => {
  await start()
  const modeOf = async (name: string) =>
    ((await stat(path.join(here.data, name))).mode & 0o777).toString(8)
  expect(await modeOf('postgres')).toBe('700')
  expect(await modeOf('socket')).toBe('700')
  expect(await modeOf('postgres.password')).toBe('600')
  expect(await modeOf('postgres.log')).toBe('600')
})

test('a first start that was killed half-way is begun anew', async () => {
  await mkdir(path.join(here.data, 'postgres.new-999999999-0/cluster'), { recursive: true })
  await writeFile(path.join(here.data, 'postgres.password'), '')
  const embedded = await start()
  expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(readdirSync(here.data).toSorted()).toEqual([
    'postgres',
    'postgres.log',
    'postgres.password',
    'socket',
  ])
})

test('a lost password is replaced', async () => {
  await seed()
  await rm(path.join(here.data, 'postgres.password'))
  const { url } = await start()
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('another version of PostgreSQL is refused', async () => {
  await seed()
  await writeFile(path.join(here.data, 'postgres/PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(
    `${here.data} holds a database of PostgreSQL 17, this Kontor runs 18`,
  )
})

test('a setting that PostgreSQL does not take is told in its own words', async () => {
  await seed()
  await writeFile(path.join(here.data, 'postgres/postgresql.conf'), 'no_such_setting = 1\n')
  await expect(start()).rejects.toThrow(/did not start in .*no_such_setting/)
})
