// PostgreSQL writes its log to `postgres.log` in the data folder. Kontor opens the file, so
// PostgreSQL's user needs no rights there.
import { copyFile, open, rename, rm, stat, truncate, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { DataFolder } from './data-folder.ts'

export interface Log {
  handle: FileHandle
  /**
   * The last log lines of a server that ended at once, in one line without times. Lines of other
   * processes are left out.
   */
  lastWords(pid: number): Promise<string>
}

/** Bytes of the log file; one older file is kept. */
const bound = 10 * 1024 * 1024

/** Opens the log for a server that is about to start. A long one becomes `postgres.log.1`. */
export async function openLog(folder: Pick<DataFolder, 'data'>): Promise<Log> {
  const file = logFile(folder)
  if ((await sizeOf(file)) > bound) await rename(file, `${file}.1`)
  const handle = await open(file, 'a', 0o600)
  const start = await sizeOf(file)
  return {
    handle,
    async lastWords(pid) {
      const reader = await open(file, 'r')
      const { buffer, bytesRead } = await reader
        .read({ buffer: Buffer.alloc(64 * 1024), position: start })
        .finally(() => reader.close())
      const lines = buffer
        .subarray(0, bytesRead)
        .toString('utf8')
        .split('\n')
        .flatMap((line) =>
          line.trim() ? [/^(?:\d{4}-\S+ \S+ \S+ \[(\d+)\] )?(.*)$/.exec(line)!] : [],
        )
      const isRelevant = (text: string) =>
        !/^LOG: +(starting|listening|database system is shut down)/.test(text)
      const said = lines.filter(([, by, text]) => Number(by) === pid && isRelevant(text!))
      // A program that could not be loaded writes lines without a process id.
      const words = said.length > 0 ? said : lines.filter(([, by]) => !by)
      return words
        .slice(-3)
        .map(([, , text]) => text!.replace(/\s+/g, ' '))
        .join(' ')
    },
  }
}

/**
 * Keeps the log of a running server short; called from time to time. PostgreSQL appends, so
 * truncating the file is safe.
 */
export async function trimLog(folder: Pick<DataFolder, 'data'>): Promise<void> {
  const file = logFile(folder)
  if ((await sizeOf(file)) <= bound) return
  // A full disk has no room for the older file. Making room is then worth more than its lines.
  await copyFile(file, `${file}.1`).catch(() => rm(`${file}.1`, { force: true }))
  await truncate(file)
}

function logFile({ data }: Pick<DataFolder, 'data'>): string {
  return path.join(data, 'postgres.log')
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
