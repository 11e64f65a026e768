// Drafts of fields that were left unsaved, and changes that others overtook while nobody looked: kept in
// this browser until sign-out, and offered again when their record is opened.
import { keptCollection } from './kept-entries.ts'

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

const edits = keptCollection<KeptEdit>(
  'edits',
  { most: 50, mostCharacters: 500_000, longestMs: 30 * 86_400_000 },
  (former) =>
    Object.entries(former as Record<string, KeptEdit>).map(
      ([key, edit]) => [key, edit, edit.at] as const,
    ),
)

/** The edit of a member that was left; `record` is `leads 12`. */
export const readEdit = (record: string, member: string): KeptEdit | undefined =>
  edits.read(`${record} ${member}`)

/** The members of a record with edits that were left. */
export const membersWithEdits = (record: string): string[] =>
  edits
    .entries()
    .flatMap(([key]) => (key.startsWith(`${record} `) ? key.slice(record.length + 1) : []))

export function keepEdit(record: string, member: string, edit: KeptEdit): void {
  edits.put(`${record} ${member}`, edit, edit.at)
}

export const forgetEdit = (record: string, member: string): void =>
  edits.remove(`${record} ${member}`)
