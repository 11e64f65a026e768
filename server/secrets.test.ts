import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  hash,
  hashPassword,
  openSecrets,
  randomText,
  sameSecret,
  verifyPassword,
} from './secrets.ts'
import type { Secrets } from './secrets.ts'

let data: string
beforeEach(async () => {
  data = await mkdtemp(path.join(tmpdir(), 'kontor-test-'))
})
afterEach(() => rm(data, { recursive: true }))

const withKey = (secretKey: string) => openSecrets({ secretKey, data })
const fromFile = () => openSecrets({ secretKey: undefined, data })
function opens(secrets: Secrets, sealed: Buffer): boolean {
  try {
    secrets.decrypt(sealed)
    return true
  } catch {
    return false
  }
}

const anyText = fc.string({ unit: 'binary', maxLength: 200 })

test('what is encrypted comes back, never twice the same, and shows nothing of the text', async () => {
  const secrets = await withKey('one')
  fc.assert(
    fc.property(anyText, (text) => {
      const [first, second] = [secrets.encrypt(text), secrets.encrypt(text)]
      expect([secrets.decrypt(first), secrets.decrypt(second)]).toEqual([text, text])
      expect(first.equals(second)).toBe(false)
      if (text.length > 8) expect(first.includes(Buffer.from(text))).toBe(false)
    }),
  )
})

test('another key opens nothing', async () => {
  const [one, other] = [await withKey('one'), await withKey('other')]
  fc.assert(fc.property(anyText, (text) => !opens(other, one.encrypt(text))))
})

test('a changed or shortened buffer opens nothing', async () => {
  const secrets = await withKey('one')
  fc.assert(
    fc.property(anyText, fc.nat(), fc.integer({ min: 1, max: 255 }), (text, index, flip) => {
      const sealed = secrets.encrypt(text)
      expect(() => secrets.decrypt(sealed.subarray(0, index % sealed.length))).toThrow()
      const changed = Buffer.from(sealed)
      changed[index % sealed.length]! ^= flip
      expect(() => secrets.decrypt(changed)).toThrow()
    }),
  )
})

test('a passphrase needs no key file', async () => {
  await withKey('a passphrase')
  expect(await readdir(data)).toEqual([])
})

test('the key file is made once, for its owner only, and kept', async () => {
  const sealed = (await fromFile()).encrypt('text')
  const before = await readFile(path.join(data, 'secret.key'), 'utf8')
  expect(before).toMatch(/^[\da-f]{64}\n$/)
  expect((await stat(path.join(data, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect((await fromFile()).decrypt(sealed)).toBe('text')
  expect(await readFile(path.join(data, 'secret.key'), 'utf8')).toBe(before)
})

test('of many that open a new data folder at once all get the same key', async () => {
  const folder = path.join(data, 'not/yet/there')
  const all = await Promise.all(
    Array.from({ length: 20 }, () => openSecrets({ secretKey: undefined, data: folder })),
  )
  for (const secrets of all) expect(all[0]!.decrypt(secrets.encrypt('text'))).toBe('text')
  expect(await readdir(folder)).toEqual(['secret.key'])
})

test.each(['', 'nonsense', 'ab'.repeat(31), 'zz'.repeat(32)])(
  'a key file that holds "%s" is not overwritten',
  async (text) => {
    await writeFile(path.join(data, 'secret.key'), text)
    await expect(fromFile()).rejects.toThrow(
      /secret\.key does not hold a key of 64 hexadecimal digits; restore it/,
    )
    expect(await readFile(path.join(data, 'secret.key'), 'utf8')).toBe(text)
  },
)

test('a password belongs to its hash and to no other', async () => {
  const [first, second] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
  expect(first).toMatch(/^argon2id\$19456\$2\$[\w-]{22}\$[\w-]{43}$/)
  expect(first).not.toBe(second)
  expect(await verifyPassword('correct horse', first)).toBe(true)
  expect(await verifyPassword('correct horse', second)).toBe(true)
  for (const wrong of ['', 'correct hors', 'Correct horse', 'correct horse ', 'correct horse\0'])
    expect(await verifyPassword(wrong, first)).toBe(false)
  expect(await verifyPassword('correct horse', 'plain$correct horse')).toBe(false)
})

test('a password is the same however the keyboard composes its letters', async () => {
  const [composed, parted] = ['пароль Ёж é', 'пароль Ёж é'.normalize('NFD')] as const
  expect(composed).not.toBe(parted)
  expect(await verifyPassword(parted, await hashPassword(composed))).toBe(true)
  expect(await verifyPassword(composed, await hashPassword(parted))).toBe(true)
})

test('secrets are compared whole, random texts are letters and digits', () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => sameSecret(one, other) === (one === other)),
  )
  fc.assert(
    fc.property(fc.nat(300), (length) =>
      new RegExp(`^[A-Za-z\\d]{${length}}$`).test(randomText(length)),
    ),
  )
  expect(hash('text')).toHaveLength(32)
})
