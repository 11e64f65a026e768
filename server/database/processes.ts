// Reads facts of other processes by id. An id in a file proves little: its process may have ended,
// and another may have got the number.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * Whether the process runs. A zombie, which its parent has not collected (a container without
 * init), does not.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(statusOf(pid))
}

/** The command line of a process, arguments separated by spaces; '' if it cannot be read. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
      .replaceAll('\0', ' ')
      .trim()
  }
  const listed =
    process.platform === 'win32'
      ? execute('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
      : execute('ps', ['-o', 'command=', '-p', String(pid)])
  return await listed.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
}

/**
 * The working directory of a process. Known on Linux, without CAP_SYS_PTRACE only for own
 * processes.
 */
export async function folderOf(pid: number): Promise<string | undefined> {
  return await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
}

/** The ids of all processes whose command line begins with `start`. */
export async function processesNamed(start: string): Promise<number[]> {
  if (process.platform === 'win32') return []
  if (process.platform === 'linux') {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
    const commands = await Promise.all(ids.map(commandOf))
    return ids.filter((_, index) => commands[index]!.startsWith(start))
  }
  const { stdout } = await execute('ps', ['-axo', 'pid=,command='])
  const lines = stdout.split('\n').map((line) => /^\s*(\d+) (.*)$/.exec(line))
  return lines.filter((match) => match?.[2]!.startsWith(start)).map((match) => Number(match![1]))
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return 'State: X'
  }
}
