// The settings of the embedded server. They are given on the command line, which overrides anything
// in the data folder.
import { createHash } from 'node:crypto'
import net from 'node:net'
import type { DataFolder } from './data-folder.ts'

/** PostgreSQL's settings by name. `host` is the socket's folder or an address. */
export function settingsOf(folder: DataFolder, host: string, port: number): Record<string, string> {
  const isSocket = host.startsWith('/')
  return {
    listen_addresses: isSocket ? '' : host,
    // The setting is a list, and a folder may have commas and spaces: hence the quotes.
    unix_socket_directories: isSocket ? `"${host.replaceAll('"', '""')}"` : '',
    unix_socket_permissions: '0700',
    port: String(port),
    cluster_name: clusterName(folder),
    // The pool of the server (`DATABASE_POOL`), the commands beside it, and room to look around.
    max_connections: '300',
    shared_buffers: '256MB',
    wal_level: 'replica',
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    // Every minute is the usual: of an account that has just been filled, the rows are then invisible
    // to scans of an index alone for a minute, and the old versions of rows stay as long. How much has
    // to change first is a setting of each table (0053_autovacuum.sql).
    autovacuum_naptime: '10s',
    // Compiling a plan costs more than the short statements of a CRM.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // wal_compression stays off: the bundled build has neither lz4 nor zstd, only pglz, which takes
    // much CPU.
  }
}

/**
 * Follows `postgres:` in the process list. It tells the remaining processes of a dead server from
 * others.
 */
export function clusterName(folder: Pick<DataFolder, 'cluster'>): string {
  return `kontor-${createHash('sha256').update(folder.cluster).digest('hex').slice(0, 12)}`
}

/** A TCP port of the loopback address that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as net.AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
