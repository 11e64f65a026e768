// The tags of records as JSON texts. Each process remembers them while `accounts.tags_version` stays
// the same: the number of the last transaction that changed or deleted tags (`tagsChanged`). Reads
// fetch it together with the records, so that no old name is shown after a new one. A new tag has an
// id that nobody remembers, so it needs no new number.
import sql from 'sql-template-tag'
import type { Reader, Tx } from '../../database/connect.ts'

/**
 * The number of the last transaction that changed or deleted tags of the account, as an expression
 * for statements that read its records.
 */
export const tagsVersion = (accountId: number) =>
  sql`(select tags_version from accounts where id = ${accountId})`

/** Marks the tags as changed. A verb that changes or deletes tags calls this before it locks them. */
export async function tagsChanged(tx: Tx, accountId: number): Promise<void> {
  await tx.rows(
    sql`update accounts set tags_version = pg_current_xact_id()::text::bigint where id = ${accountId}`,
  )
}

interface Remembered {
  version: number
  /** By id; a deleted tag has an empty text. */
  texts: ReadonlyMap<string, string>
}

/** By database and account; the account whose tags were read longest ago comes first. */
const remembered = new Map<string, Remembered>()
/** The most tags remembered in all, about 150 bytes each. */
const most = 20_000
let count = 0

/**
 * The texts of tags by id, empty for deleted ones. `version` is the number read together with the
 * records that have them.
 */
export async function tagTexts(
  reader: Reader,
  accountId: number,
  version: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const key = `${reader.source} ${accountId}`
  const known = remembered.get(key)
  const texts = known?.version === version ? known.texts : noTexts
  const missing = ids.filter((id) => !texts.has(id))
  if (missing.length === 0) return texts
  const found = await readTags(reader, accountId, missing)
  const all = new Map([...texts, ...missing.map((id) => [id, found.texts?.[id] ?? ''] as const)])
  // The reader's own transaction changed tags: it may change them again under the same number, or
  // roll back.
  if (found.version === version && !found.isOwn) remember(key, { version, texts: all })
  return all
}

const noTexts: ReadonlyMap<string, string> = new Map()

interface Found {
  version: number
  isOwn: boolean
  texts: Record<string, string> | null
}

async function readTags(reader: Reader, accountId: number, ids: string[]): Promise<Found> {
  const found = await reader.row<Found>(sql`
    select account.tags_version as version,
           coalesce(account.tags_version = pg_current_xact_id_if_assigned()::text::bigint, false) as "isOwn",
           (select json_object_agg(tag.id, row_to_json(tag)::text)
              from (select id, name, color from tags
                     where account_id = ${accountId} and id = any(${`{${ids.join(',')}}`}::bigint[])) tag) as texts
      from accounts account where account.id = ${accountId}`)
  return found!
}

function remember(key: string, tags: Remembered): void {
  forget(key)
  remembered.set(key, tags)
  count += tags.texts.size
  for (const oldest of remembered.keys()) {
    if (count <= most) break
    forget(oldest)
  }
}

function forget(key: string): void {
  count -= remembered.get(key)?.texts.size ?? 0
  remembered.delete(key)
}
