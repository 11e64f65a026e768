// An account in use, as the fourth schema (0004_journal_requests.sql) knew it, written in SQL: what
// the third one had, and a change that names its request and its surface.
import sql from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'
import { schema0003 } from './schema-0003.ts'
import type { FilledWithFields } from './schema-0003.ts'
import type { Fixture } from './upgraded.ts'

const now = Math.floor(Date.now() / 1000)

export interface FilledWithRequests extends FilledWithFields {
  /** The id of the request that made the last change. */
  request: string
}

export const schema0004: Fixture<FilledWithRequests> = {
  last: '0004_journal_requests.sql',
  tables: schema0003.tables,
  events: schema0003.events,
  fill,
}

async function fill(database: Database, account: number): Promise<FilledWithRequests> {
  const filled = await schema0003.fill(database, account)
  const request = `00000000-0000-4000-8000-${String(account).padStart(12, '0')}`
  await database.transaction((tx) =>
    tx.list(sql`
      insert into journal (account_id, entity_type, entity_id, actions, before, after, created_by, created_at, request_id, surface)
      select account_id, 'contacts', id, '{update}', '{"name":"Before"}', row_to_json(contacts), ${account * 100 + 1}::bigint, ${now}::bigint,
             ${request}::uuid, 'api'
        from contacts where account_id = ${account} and id = ${filled.ids.contact}`),
  )
  return { ...filled, request }
}
