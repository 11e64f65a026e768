// Drafts of fields that were left unsaved, and changes that others overtook while nobody looked: kept in
// this browser until sign-out, and offered again when their record is opened.
import { keep, readKept } from './kept.ts'
import { isLeaving } from './tabs.ts'

/** A draft of a member of a record. */
export interface KeptEdit {
  /** As it was typed; missing for a change that was sent. */
  draft?: unknown
  /** The member as a change that was sent makes it. */
  after?: unknown
  /** The value that it began from. */
  base: unknown
  /** In milliseconds since 1970. */
  at: number
}

const name = 'edits'
const mostEdits = 50
/** The characters of all of them together. */
const mostCharacters = 500_000
const longestMs = 30 * 86_400_000

type Entries = Record<string, KeptEdit>

/** The newest entries within the bounds of number, size and age. */
export function boundedEdits(entries: Entries, now: number): Entries {
  let room = mostCharacters
  const kept = Object.entries(entries)
    .toSorted(([, one], [, other]) => other.at - one.at)
    .filter(([, entry]) => !isTooOld(entry, now))
    .slice(0, mostEdits)
    .filter(([, entry]) => (room -= JSON.stringify(entry).length) >= 0)
  return Object.fromEntries(kept)
}

const all = (): Entries => (readKept(name) as Entries | undefined) ?? {}

const isTooOld = ({ at }: KeptEdit, now: number) => at <= now - longestMs

/** The edit of a member that was left; `record` is `leads 12`. */
export function readEdit(record: string, member: string): KeptEdit | undefined {
  const edit = all()[`${record} ${member}`]
  return edit && !isTooOld(edit, Date.now()) ? edit : undefined
}

/** The members of a record with edits that were left. */
export function membersWithEdits(record: string): string[] {
  const now = Date.now()
  return Object.entries(all())
    .filter(([key, entry]) => key.startsWith(`${record} `) && !isTooOld(entry, now))
    .map(([key]) => key.slice(record.length + 1))
}

export function keepEdit(record: string, member: string, edit: KeptEdit): void {
  // After sign-out this browser keeps nothing.
  if (isLeaving()) return
  keep(name, boundedEdits({ ...all(), [`${record} ${member}`]: edit }, Date.now()))
}

export function forgetEdit(record: string, member: string): void {
  const { [`${record} ${member}`]: own, ...others } = all()
  if (own) keep(name, others)
}
