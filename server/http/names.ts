// Looks up names for connections to addresses that users typed in. Node.js looks up names on four
// threads by default, so five names whose servers do not answer would hold up all others. These
// look-ups use sockets: any number at once, each cancellable. Decision 46.
import { Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'

export interface LookUp {
  addresses: Promise<LookupAddress[]>
  /** Says that the addresses are no longer needed; a look-up that nobody waits for is cancelled. */
  leave: () => void
}

export interface NameLookUps {
  lookUp(name: string): LookUp
  close(): void
}

/** Addresses may be used again for so long: a receiver that closes each connection costs no query each. */
const keptMs = 5000

/** How long the addresses of one family wait for those of the other (RFC 8305, section 3). */
const otherFamilyMs = 50

/** Opens look-ups that take `timeoutMs` at most. Tests pass name servers of their own. */
export function openNames({
  timeoutMs,
  servers,
}: {
  timeoutMs: number
  servers?: string[] | undefined
}): NameLookUps {
  interface Lookup {
    addresses: Promise<LookupAddress[]>
    waiting: number
    leave: () => void
  }
  const lookups = new Map<string, Lookup>()
  const resolvers = new Set<Resolver>()

  function ask(name: string): Lookup {
    // The second request goes out while the attempt still has time for its answer.
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 4), tries: 3 })
    if (servers) resolver.setServers(servers)
    resolvers.add(resolver)
    const forget = () => {
      if (lookups.get(name) === entry) lookups.delete(name)
    }
    const entry: Lookup = {
      addresses: resolve(resolver, name).finally(() => {
        resolvers.delete(resolver)
        resolver.cancel()
      }),
      waiting: 0,
      leave() {
        if (--entry.waiting > 0 || !resolvers.has(resolver)) return
        forget()
        resolver.cancel()
      },
    }
    entry.addresses.then(() => setTimeout(forget, keptMs).unref(), forget)
    lookups.set(name, entry)
    return entry
  }

  return {
    lookUp(typed) {
      const name = typed.toLowerCase().replace(/\.$/, '')
      const local = hosts().get(name) ?? (/(^|\.)localhost$/.test(name) ? loopbacks : undefined)
      if (local) return { addresses: Promise.resolve(local), leave: () => {} }
      const entry = lookups.get(name) ?? ask(name)
      entry.waiting++
      let isWaiting = true
      const leave = () => {
        if (isWaiting) entry.leave()
        isWaiting = false
      }
      return { addresses: entry.addresses, leave }
    },
    close() {
      for (const resolver of resolvers) resolver.cancel()
    },
  }
}

const loopbacks: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Asks for both families; the error is that of the family which says more than "no such record". */
async function resolve(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const found: LookupAddress[] = []
  const ask = async (answer: Promise<string[]>, family: 4 | 6) => {
    for (const address of await answer) found.push({ address, family })
  }
  const families = [ask(resolver.resolve4(name), 4), ask(resolver.resolve6(name), 6)]
  const both = Promise.allSettled(families)
  await Promise.any(families).catch(() => {})
  let timer: NodeJS.Timeout | undefined
  await Promise.race([both, new Promise((go) => (timer = setTimeout(go, otherFamilyMs)))])
  clearTimeout(timer)
  if (found.length > 0) return found.toSorted((a, b) => a.family - b.family)
  const errors = (await both).flatMap((end) =>
    end.status === 'rejected' ? [end.reason as NodeJS.ErrnoException] : [],
  )
  throw errors.find(({ code }) => code !== 'ENODATA') ?? errors[0]!
}

const hostsFile =
  process.platform === 'win32' ? String.raw`C:\Windows\System32\drivers\etc\hosts` : '/etc/hosts'

const hostsCheckedMs = 1000

const known = { names: new Map<string, LookupAddress[]>(), changedAt: -1, lookedAt: -Infinity }

/** The names of the machine's own file. A change of the file counts after a second at most. */
function hosts(): Map<string, LookupAddress[]> {
  if (performance.now() - known.lookedAt < hostsCheckedMs) return known.names
  known.lookedAt = performance.now()
  try {
    const changedAt = statSync(hostsFile).mtimeMs
    if (changedAt === known.changedAt) return known.names
    known.names = parseHosts(readFileSync(hostsFile, 'utf8'))
    known.changedAt = changedAt
  } catch {
    // A file that cannot be read has no names.
    known.names = new Map()
    known.changedAt = -1
  }
  return known.names
}

/** Reads lines of an address and its names. */
export function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (!family) continue
    for (const alias of aliases) {
      const name = alias.toLowerCase()
      names.set(name, [...(names.get(name) ?? []), { address, family }])
    }
  }
  return names
}
