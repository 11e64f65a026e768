// A full disk. PostgreSQL refuses statements that would grow its files and goes on; it ends when its
// write-ahead log cannot grow. Its own log lies on the same disk and may lack the reason, so the
// free space is asked too.
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { shorten } from './data-folder.ts'

/** Bytes of one file of the write-ahead log. */
const logFileSize = 16 * 1024 ** 2

/**
 * Bytes that are free for a folder, which need not exist yet. Undefined if the system does not say.
 */
export async function freeSpace(folder: string): Promise<number | undefined> {
  const space = await statfs(folder).catch(() => undefined)
  if (space) return space.bavail * space.bsize
  const parent = path.dirname(folder)
  return parent === folder ? undefined : freeSpace(parent)
}

/**
 * Whether the embedded database in a data folder cannot write on. The last words of a program that
 * ended count too: quotas and a lack of inodes leave space that nobody can use.
 */
export async function isDiskFull(data: string, words = ''): Promise<boolean> {
  const free = await freeSpace(data)
  return noSpace.test(words) || (free !== undefined && free < logFileSize)
}

/** Whether the system, or PostgreSQL, failed for lack of space. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof pg.DatabaseError)
    // Shared memory can be full too, and has the same code.
    return error.code === '53100' && !error.message.includes('shared memory')
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' || noSpace.test(error.message)
}

const noSpace = /No space left on device|Disk quota exceeded/

/** The error of one line for a start or a command that needs space for the data folder. */
export function diskFull(data: string, cause?: unknown): Error {
  return new Error(
    `The disk of the server is full. Make room for ${shorten(data)} and start Kontor again`,
    { cause },
  )
}
