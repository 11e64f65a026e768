// PostgreSQL writes its log to `postgres.log` in the data folder, through a handle that Kontor opens, so it needs no rights there.
import { copyFile, open, rename, stat, truncate, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { DataFolder } from './data-folder.ts'

export interface Log {
  handle: FileHandle
  /** What a server that ended at once had to say, in one line without times. Others may have written at the same moment. */
  lastWords(pid: number): Promise<string>
}

/** One file and one before it, bytes each. */
const bound = 10 * 1024 * 1024

/** Opens the log for a server that is about to start; a long one is put aside as `postgres.log.1`. */
export async function openLog(place: Pick<DataFolder, 'data'>): Promise<Log> {
  const file = logFile(place)
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
      const isTelling = (text: string) =>
        !/^LOG: +(starting|listening|database system is shut down)/.test(text)
      const said = lines.filter(([, by, text]) => Number(by) === pid && isTelling(text!))
      // A program that cannot even be loaded writes no number.
      const told = said.length > 0 ? said : lines.filter(([, by]) => !by)
      return told
        .slice(-3)
        .map(([, , text]) => text!.replace(/\s+/g, ' '))
        .join(' ')
    },
  }
}

/** Keeps the log of a running server short; to be called now and then. PostgreSQL appends, so cutting the file is safe. */
export async function trimLog(place: Pick<DataFolder, 'data'>): Promise<void> {
  const file = logFile(place)
  if ((await sizeOf(file)) <= bound) return
  await copyFile(file, `${file}.1`)
  await truncate(file)
}

function logFile({ data }: Pick<DataFolder, 'data'>): string {
  return path.join(data, 'postgres.log')
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
