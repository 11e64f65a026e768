import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import path from 'node:path'

/** Starts processes that keep a core busy each, until they are killed or this process ends. */
export function startBusy(count: number): ChildProcess[] {
  return Array.from({ length: count }, () =>
    fork(path.join(import.meta.dirname, 'burn.ts'), { stdio: 'ignore', execArgv: [] }),
  )
}
