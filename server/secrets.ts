// Secrets. Those that are only compared (passwords, codes, refresh tokens) are hashed. Those that
// must be shown again or that key a signature (client secrets, signing keys) are encrypted with a
// key that is not in the database.
import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { access, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Config } from './config.ts'

export interface Secrets {
  /** AES-256-GCM. The buffer holds nonce, tag and ciphertext. */
  encrypt(text: string): Buffer
  /** Throws if the buffer was changed or encrypted with another key. */
  decrypt(sealed: Buffer): string
  /** A key of 32 bytes for a purpose, to sign with. The same in every process and after a start. */
  keyFor(purpose: string): Buffer
}

/**
 * Opens the key: derived from `KONTOR_SECRET_KEY`, else read from `secret.key` in the data folder.
 * Makes that file on first use.
 */
export async function openSecrets(config: Pick<Config, 'secretKey' | 'data'>): Promise<Secrets> {
  const material = config.secretKey ? Buffer.from(config.secretKey) : await keyFile(config.data)
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', material, '', purpose, 32))
  const key = derived('kontor secrets at rest')
  return {
    encrypt(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    decrypt(sealed) {
      // Without this length Node.js accepts a tag cut down to four bytes.
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), {
        authTagLength: 16,
      })
      decipher.setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString(
        'utf8',
      )
    },
    keyFor: (purpose) => derived(`kontor ${purpose}`),
  }
}

async function keyFile(data: string): Promise<Buffer> {
  const file = path.join(data, 'secret.key')
  await mkdir(data, { recursive: true, mode: 0o700 })
  if (!(await readable(file))) {
    // Written to a draft and then linked, so that no process reads half a key or replaces an
    // existing one.
    const draft = `${file}.${randomText(8)}`
    try {
      await writeFile(draft, randomBytes(32).toString('hex') + '\n', { mode: 0o600, flush: true })
      await link(draft, file).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    } finally {
      // A draft must not stay on a full disk, or each attempt would leave one.
      await rm(draft, { force: true })
    }
    await syncFolder(data)
  }
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'hex')
  if (key.length === 32) return key
  throw new Error(
    `${file} does not hold a key of 64 hexadecimal digits; restore it from your backup`,
  )
}

/**
 * Without the key, everything encrypted with it is lost: its file name must survive a power cut
 * too. Windows has no such call.
 */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

function readable(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** SHA-256, for random secrets that are only recognised. */
export function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/**
 * The bytes of a text in base64url, of which each has one: undefined for padding, bits that are left
 * over, and other letters, which decoders pass over.
 */
export function fromBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/** Compares in constant time. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash(one), hash(other))
}

/** A random text of `length` letters and digits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    text += randomBytes(length).toString('base64').replaceAll(/[+/=]/g, '')
  return text.slice(0, length)
}

const derive = promisify(argon2)

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 }

/**
 * Hashes a password: `argon2id$<memory>$<passes>$<salt>$<tag>`, so that costs can rise later. `memory` is in
 * KiB; tests, whose passwords protect nothing, take less of both.
 */
export async function hashPassword(
  password: string,
  { memory, passes }: Pick<typeof cost, 'memory' | 'passes'> = cost,
): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', {
    ...cost,
    message: Buffer.from(password.normalize('NFC')),
    nonce,
    memory,
    passes,
  })
  return ['argon2id', memory, passes, nonce.toString('base64url'), tag.toString('base64url')].join(
    '$',
  )
}

/** Whether the password belongs to the hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [kind, memory, passes, nonce = '', tag = ''] = stored.split('$')
  if (kind !== 'argon2id') return false
  const message = Buffer.from(password.normalize('NFC'))
  const again = await derive('argon2id', {
    ...cost,
    message,
    nonce: Buffer.from(nonce, 'base64url'),
    memory: Number(memory),
    passes: Number(passes),
  })
  return timingSafeEqual(again, Buffer.from(tag, 'base64url'))
}
