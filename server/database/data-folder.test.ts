import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import {
  chmod,
  chown,
  mkdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  borrow,
  here,
  hold,
  isRoot,
  move,
  query,
  seed,
  start,
  useFolders,
} from '../../test/folders.ts'
import { bundledBinaries, completeLinks, copyBinaries } from './binaries.ts'
import { stageOf } from './data-folder.ts'
import { openSecrets } from '../secrets.ts'

const nobody = 65_534
const nobodyReaches =
  isRoot &&
  spawnSync('/bin/sh', ['-c', `test -x "$0"`, process.execPath], {
    uid: nobody,
    gid: nobody,
    cwd: '/',
  }).status === 0

useFolders()

test('a folder may have any name', async () => {
  // Short enough for a socket below any temporary folder.
  await move('Юг, "А" 100% & $HOME')
  const { url } = await start()
  expect(decodeURIComponent(url)).toContain(path.join(here.data, 'socket'))
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('where the path is too long for a socket, it lies elsewhere as long as it is needed', async () => {
  await move('п'.repeat(60))
  const embedded = await start()
  expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  const socket = new URL(embedded.url.replace('@/', '@x/')).searchParams.get('host')!
  expect(path.basename(socket)).toMatch(/^kontor-/)
  expect((await stat(socket)).mode & 0o777).toBe(0o700)
  const command = await borrow()
  expect(command.url).toBe(embedded.url)
  await command.stop()
  await embedded.stop()
  expect(existsSync(socket)).toBe(false)
})

test('a file is no data folder', async () => {
  await writeFile(here.data, '')
  await expect(start()).rejects.toThrow(`${here.data} is not a folder`)
})

test('a link to a folder that is gone is no reason to begin with an empty database', async () => {
  await symlink(path.join(here.folder, 'gone'), here.data)
  await expect(start()).rejects.toThrow('which does not exist')
  expect(existsSync(path.join(here.folder, 'gone'))).toBe(false)
})

test.runIf(isRoot)(
  'below a closed here.folder, root keeps the data where its user reaches it',
  async () => {
    await chmod(here.folder, 0o700)
    await mkdir(here.data)
    await writeFile(path.join(here.data, 'secret.key'), 'secret', { mode: 0o600 })
    const said: string[] = []
    const first = await start((line) => said.push(line))
    const kept = path.join(stageOf(here.data), 'data')
    expect(said[0]).toContain(`the data is kept in ${kept}`)
    expect(await readlink(here.data)).toBe(kept)
    expect(await readFile(path.join(here.data, 'secret.key'), 'utf8')).toBe('secret')
    expect((await stat(path.join(here.data, 'secret.key'))).mode & 0o777).toBe(0o600)
    expect((await stat(here.folder)).mode & 0o777).toBe(0o700)
    await query(first.url, 'create table survivors (id int)')
    await first.stop()

    // The state after a kill between the move and the link.
    await rm(here.data)
    const second = await start()
    expect(await query(second.url, 'select * from survivors')).toEqual([])
  },
)

test.runIf(isRoot)(
  'data that root copied back from a backup is given to the database again',
  async () => {
    await seed()
    spawnSync('chown', ['-R', '0:0', here.data])
    await chmod(path.join(here.data, 'postgres'), 0o755)
    const embedded = await start()
    expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  },
)

test.runIf(nobodyReaches)('an ordinary user needs no other', async () => {
  await chown(here.folder, nobody, nobody)
  const holder = hold('kontor start', { uid: nobody, gid: nobody })
  const { url } = await holder.ready
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await stat(path.join(here.data, 'postgres'))).uid).toBe(nobody)
  holder.child.stdin.end()
  await holder.ended
  // Root takes over that user's files.
  const embedded = await start()
  expect(await query(embedded.url, 'select 1 as one')).toEqual([{ one: 1 }])
  expect((await stat(path.join(here.data, 'postgres'))).uid).toBe(nobody)
})

test('a copy of the programs runs, and replaces the one before it', async () => {
  const stage = path.join(here.folder, 'stage')
  await mkdir(path.join(stage, 'postgresql-17.1.0-beta.2'), { recursive: true })
  const copy = await copyBinaries(await bundledBinaries(), stage)
  expect(readdirSync(stage)).toEqual([path.basename(copy.home)])
  const account = isRoot ? { uid: nobody, gid: nobody } : {}
  expect(
    spawnSync(copy.postgres, ['--version'], { ...account, cwd: '/', encoding: 'utf8' }).stdout,
  ).toContain('PostgreSQL) 18')
})

test('links that an install script should have made are made', async () => {
  const home = path.join(here.folder, 'package/native')
  await mkdir(path.join(home, 'lib'), { recursive: true })
  await writeFile(path.join(home, 'lib/libpq.so.5.18'), 'library')
  const pair = { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }
  await writeFile(path.join(home, 'pg-symlinks.json'), JSON.stringify([pair]))
  for (const _ of ['once', 'again']) await completeLinks(home)
  expect(await readFile(path.join(home, 'lib/libpq.so.5'), 'utf8')).toBe('library')
  expect(await readlink(path.join(home, 'lib/libpq.so.5'))).toBe('libpq.so.5.18')
})

const modeOf = async (...parts: string[]) =>
  ((await stat(path.join(here.data, ...parts))).mode & 0o777).toString(8)

test('every file and folder of the data is closed to other users', async () => {
  const embedded = await start()
  await embedded.stop()
  await openSecrets({ data: here.data, secretKey: undefined })
  const data = isRoot ? '711' : '700'
  const expected: Record<string, string> = {
    '.': data,
    postgres: '700',
    'secret.key': '600',
    'postgres.password': '600',
    'postgres.log': '600',
  }
  for (const name of readdirSync(here.data)) expected[name] ??= 'unknown'
  const found: Record<string, string> = {}
  for (const name of Object.keys(expected)) found[name] = await modeOf(name)
  const open = Object.entries(found).filter(([name, mode]) => name !== '.' && !mode.endsWith('00'))
  expect([found['.'], open]).toEqual([data, []])
  for (const name of ['postgres', 'secret.key', 'postgres.log'])
    expect([name, found[name]]).toEqual([name, expected[name]])
})

test.each([
  ['755', isRoot ? '711' : '700'],
  ['711', '711'],
  ['710', isRoot ? '711' : '710'],
  ['700', isRoot ? '711' : '700'],
  ['751', '751'],
])('a data folder with the mode %s has %s after a start', async (before, after) => {
  await seed()
  await chmod(here.data, parseInt(before, 8))
  await (await start()).stop()
  expect(await modeOf()).toBe(after)
})
