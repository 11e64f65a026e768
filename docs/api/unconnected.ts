import { readConfig } from '../../server/config.ts'
import { connect } from '../../server/database/connect.ts'
import type { Database } from '../../server/database/connect.ts'
import type { Kontor } from '../../server/kontor.ts'

/**
 * A Kontor to build the application with where nobody asks the database, which need not exist: a pool connects only
 * when it is used. Its signals are deaf, and it has no keys.
 */
export function unconnectedKontor(
  database: Database = connect('postgres://nowhere.invalid/kontor', 1),
): Kontor {
  const signals = {
    on: () => () => undefined,
    notify: () => undefined,
    connected: () => false,
    close: () => Promise.resolve(),
  }
  const url = 'http://127.0.0.1:8080'
  return {
    config: readConfig({}),
    database,
    signals,
    now: () => 0,
    elapsedMs: () => 0,
    url,
  } as unknown as Kontor
}
