// Finds a page of links. Of a record with very many links, a user who views few of the others sees few:
// the list then begins with these. How many there are, PostgreSQL only guesses.
import sql, { join } from 'sql-template-tag'
import { limitedTypes } from '../../../access/record-rights.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Reader } from '../../../database/connect.ts'
import type { EntityType } from '../../../entity-types.ts'
import type { PagePosition, PageRow } from '../../../http/paging.ts'
import { few, viewsFew } from '../../../records/lists/few.ts'
import { linkList, linksTo } from './link-list.ts'
import type { LinkQuery } from './link-list.ts'

/** Answers a page of links, and one more where another page follows. */
export async function findLinks(
  reader: Reader,
  actor: Actor,
  query: LinkQuery,
  seek: PagePosition,
): Promise<PageRow[]> {
  return reader.list(linkList(actor, query, seek, await typesOfFew(reader, actor, query)))
}

/** The types of which the only main entity has very many links, and the actor views few records. */
async function typesOfFew(
  reader: Reader,
  actor: Actor,
  { type, ids, to = {} }: LinkQuery,
): Promise<Set<EntityType>> {
  const found = new Set<EntityType>()
  const [id, ...others] = ids
  const limited = limitedTypes(actor).filter((each) => each !== type && (to.type ?? each) === each)
  if (id === undefined || others.length > 0 || to.ids || limited.length === 0) return found
  const counts = limited.map(
    (kind) =>
      sql`(select count(*) > ${few.records} from (select from ${linksTo(actor, type, sql`${id}::bigint`, kind)} limit ${few.records + 1}) link)`,
  )
  const [row] = await reader.list<{ many: boolean[] }>(sql`select array[${join(counts)}] as many`)
  for (const [index, kind] of limited.entries())
    if (row!.many[index] && (await viewsFew(reader, actor, kind))) found.add(kind)
  return found
}
