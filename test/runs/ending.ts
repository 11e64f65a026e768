// How a run that is stopped ends all that it began.
import type { ChildProcess } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'

/** Does something before Ctrl-C or another process ends this one. */
export function beforeSignals(work: () => void): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(signal, () => {
      work()
      process.exit(code)
    })
}

/** Ends a process that was started with a group of its own (`detached`), and all of the group. */
export function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

/** A database that was just told to end may still write; where it removes a file itself, `rmSync` stops without a word. */
export function removeFolder(folder: string): void {
  for (let tries = 0; existsSync(folder) && tries < 20; tries++)
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
