// A record as a bare line: the columns that answers are made of, and the line that they become.
import sql, { join, raw } from 'sql-template-tag'
import type { Sql } from 'sql-template-tag'
import type { Actor } from '../../access/actor.ts'
import { may } from '../../access/record-rights.ts'
import type { Cells } from '../../database/connect.ts'
import { tableOf } from '../../entity-types.ts'
import type { RecordDescription } from '../description.ts'
import { fieldsVersion } from '../fields/definitions.ts'
import type { LinkEnd } from '../link-rules.ts'
import { linkColumn } from './links.ts'
import { constant, memberColumns, membersRead, number } from './members.ts'
import type { Member } from './members.ts'
import { tagsVersion } from './tag-texts.ts'

/** A record without its link and its embedded parts. */
export interface BareRecord {
  id: number
  /** The value of the column that orders the list. */
  key: number
  /** The beginning of its JSON: the members before its link, each followed by a comma. */
  opened: string
  /** The ids of its tags, separated by commas. */
  tagIds: string
  /** The stored values of custom fields as JSON, null for none. */
  values: string | null
  /** The ids of the member that a column lists, in the form of `tagIds`. */
  listed: string
  /** Further embedded members of this entity type, as JSON text: `,"source":{…}`. */
  extras: string
  /** The links to each type of `embeddedTypes`, as `linkColumn` answers them. */
  links: Cells
  /** Of the definitions of fields, and of tags, that were in force when the record was read. */
  fieldsVersion: number
  tagsVersion: number
}

/** One record as a bare line. Its first cell says whether the actor may view it. */
export function oneRecord(
  description: RecordDescription,
  actor: Actor,
  base: string,
  id: number,
  wanted: ReadonlySet<string> = new Set(),
): Sql {
  const { type } = description
  return sql`
    select ${may(actor, type, 'view')}, ${lineColumns(description, actor, base, wanted)}
      from ${tableOf(type)} record
     where record.account_id = ${actor.accountId} and record.id = ${id} and not record.is_deleted`
}

/** These records as bare lines, for the user who has just written them. */
export function writtenRecords(
  description: RecordDescription,
  actor: Actor,
  base: string,
  ids: number[],
): Sql {
  return sql`
    select ${lineColumns(description, actor, base, new Set())}
      from ${tableOf(description.type)} record
     where record.account_id = ${actor.accountId} and record.id = any(${ids}::bigint[])`
}

/** The columns of a row named `record` that `linesOf` takes; `order` is the column of the cursor. */
export function lineColumns(
  description: RecordDescription,
  actor: Actor,
  base: string,
  wanted: ReadonlySet<string>,
  order = 'id',
): Sql {
  const { listed, type } = description
  const { accountId } = actor
  return join([
    ...memberColumns(description.members(actor, wanted), [
      ...cursorOf(order),
      fieldsVersion(accountId),
      tagsVersion(accountId),
    ]),
    sql`record.tag_ids, record.custom_fields_values`,
    listed ? sql`record.${raw(listed.column)}` : sql`null`,
    extrasOf(description, actor, base, wanted),
    ...embeddedTypes(description, wanted).map((to) => linkColumn(actor, base, type, to)),
  ])
}

/** The bare lines of rows of `lineColumns`. */
export function linesOf(
  description: RecordDescription,
  actor: Actor,
  wanted: ReadonlySet<string>,
  rows: Cells[],
): BareRecord[] {
  const members = description.members(actor, wanted)
  const read = membersRead(members, 4)
  const afterMembers = memberColumns(members, []).length
  return rows.map((cells) => {
    const { numbers, opened } = read(cells)
    const [tagIds, values, listed, extras, ...links] = cells.slice(afterMembers)
    return {
      id: Number(numbers[0]),
      key: Number(numbers[1]),
      opened,
      tagIds: idsIn(tagIds),
      values: values ?? null,
      listed: idsIn(listed),
      extras: extras ?? '',
      links,
      fieldsVersion: Number(numbers[2]),
      tagsVersion: Number(numbers[3]),
    }
  })
}

/** The ids of an array as PostgreSQL writes it, separated by commas: `{1,2}` is `1,2`. */
const idsIn = (array: string | null | undefined): string => array?.slice(1, -1) ?? ''

const cursorOf = (order: string): Sql[] => [sql`record.id`, sql`record.${raw(order)}`]

/** The columns of records in the bin that `binnedLinesOf` takes. */
export const binnedColumns = (description: RecordDescription, order: string): Sql =>
  join(memberColumns(binnedMembers(description), cursorOf(order)))

/** Records in the bin without their link; they have no embedded parts. */
export function binnedLinesOf(
  description: RecordDescription,
  rows: Cells[],
): Pick<BareRecord, 'id' | 'key' | 'opened'>[] {
  const read = membersRead(binnedMembers(description), 2)
  return rows.map((cells) => {
    const { numbers, opened } = read(cells)
    return { id: Number(numbers[0]), key: Number(numbers[1]), opened }
  })
}

/**
 * A record in the bin shows every key, but only the values of five are filled: those that identify
 * the record and say when it was deleted, and by whom (interface: The bin).
 */
const binnedMembers = ({ keys }: RecordDescription): Member[] =>
  keys
    .filter((key) => key !== '_links')
    .map((key) =>
      key === 'is_deleted'
        ? constant(key, true)
        : ['id', 'updated_by', 'updated_at', 'account_id'].includes(key)
          ? number(key)
          : constant(key, null),
    )

/** The types of linked records and elements that records embed, in the order of their members. */
export const embeddedTypes = (
  { embeds }: RecordDescription,
  wanted: ReadonlySet<string>,
): LinkEnd[] => [...embeds.always, ...embeds.wanted.filter((type) => wanted.has(type))]

/** Values of `with` that are accepted but always embed an empty list. */
export function nothingYet(...names: string[]): NonNullable<RecordDescription['extras']> {
  return Object.fromEntries(names.map((name) => [name, () => sql`'[]'`]))
}

/** The members that `with` adds, as JSON text: `,"source":{…}`. */
function extrasOf(
  { extras = {} }: RecordDescription,
  actor: Actor,
  base: string,
  wanted: ReadonlySet<string>,
): Sql {
  const names = Object.keys(extras).filter((name) => wanted.has(name))
  if (names.length === 0) return sql`null`
  return join(
    names.map((name) => sql`${raw(`',"${name}":'`)} || ${extras[name]!(actor, base)}`),
    ' || ',
  )
}

/**
 * The group of the responsible user, correct from the moment the user moves. The user's row is read
 * only while a user of the account is moving (docs/decisions/0014-moving-between-groups.md).
 */
export function groupShown({ accountId }: Actor): Sql {
  return sql`
    case when exists (select from users moving where moving.account_id = ${accountId} and moving.group_move is not null)
         then coalesce((select person.group_id from users person
                         where person.account_id = record.account_id and person.id = record.responsible_user_id), record.group_id)
         else record.group_id end`
}
