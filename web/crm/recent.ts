// The records that the user looked at last, for the command menu.
import type { RecordType } from '../../server/records/description.ts'
import { keptCollection } from '../data/kept-entries.ts'

export interface RecentRecord {
  type: RecordType
  id: number
  name: string
}

const recent = keptCollection<RecentRecord>('recent', { most: 10 }, (former) =>
  (former as RecentRecord[]).toReversed().map((record) => [keyOf(record), record] as const),
)

/** The latest first. */
export const useRecentRecords = (): RecentRecord[] =>
  recent
    .use()
    .map(([, record]) => record)
    .toReversed()

export const rememberRecord = (record: RecentRecord): void => void recent.put(keyOf(record), record)

/** A record that is gone, or closed to the user. */
export const forgetRecord = (record: Pick<RecentRecord, 'type' | 'id'>): void =>
  recent.remove(keyOf(record))

const keyOf = ({ type, id }: Pick<RecentRecord, 'type' | 'id'>): string => `${type} ${id}`
