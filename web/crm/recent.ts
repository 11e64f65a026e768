// The records that the user looked at last, for the command menu.
import type { RecordType } from '../../server/records/description.ts'
import { keep, readKept, useKept } from '../data/kept.ts'

export interface RecentRecord {
  type: RecordType
  id: number
  name: string
}

const most = 10
const none: RecentRecord[] = []

/** The latest first. */
export const useRecentRecords = (): RecentRecord[] =>
  (useKept('recent') as RecentRecord[] | undefined) ?? none

export const rememberRecord = (record: RecentRecord): void =>
  keep('recent', [record, ...without(record)].slice(0, most))

/** A record that is gone, or closed to the user. */
export const forgetRecord = (record: Pick<RecentRecord, 'type' | 'id'>): void =>
  keep('recent', without(record))

const without = ({ type, id }: Pick<RecentRecord, 'type' | 'id'>): RecentRecord[] =>
  ((readKept('recent') as RecentRecord[] | undefined) ?? none).filter(
    (each) => each.type !== type || each.id !== id,
  )
