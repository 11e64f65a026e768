import { SegmentedControl } from '@mantine/core'
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useNow, useTranslations } from 'use-intl'
import styles from './calls.module.css'
import { Empty } from './states.tsx'

export interface Call {
  id: number
  method: string
  path: string
  /** 0: no answer. */
  status: number
  /** Why it was refused, or had no answer. */
  fault: string | null
  milliseconds: number
  /** Unix seconds. */
  called_at: number
  /** Only where calls go both ways. */
  is_incoming?: boolean
  /** More about it, in a few words. */
  about?: string
}

const dayMs = 86_400_000
/** Ids take the room of the part of a path that tells paths apart. */
const uuid = /([\da-f]{4})[\da-f]{4}(?:-[\da-f]{4}){3}-[\da-f]{12}/g

const isWell = ({ status }: Call) => status >= 100 && status < 400

/** The latest calls of a program with what became of each, the newest first. */
export function Calls({
  label,
  calls,
  empty,
  emptyText,
}: {
  label: string
  calls: Call[]
  empty: string
  emptyText: string
}) {
  const words = useTranslations('ui.calls')
  const [shown, setShown] = useState<'all' | 'refused'>('all')
  if (calls.length === 0) return <Empty title={empty} text={emptyText} />
  const these = shown === 'all' ? calls : calls.filter((call) => !isWell(call))
  return (
    <>
      <SegmentedControl
        mb="md"
        aria-label={words('filter')}
        value={shown}
        onChange={setShown}
        data={(['all', 'refused'] as const).map((value) => ({ value, label: words(value) }))}
      />
      {these.length === 0 ? (
        <Empty title={words('noneRefused')} />
      ) : (
        <ul className={styles.list} aria-label={label}>
          {these.map((call) => (
            <Row key={call.id} call={call} />
          ))}
        </ul>
      )}
    </>
  )
}

function Row({ call }: { call: Call }) {
  const words = useTranslations('ui.calls')
  const format = useFormatter()
  const now = useNow({ updateInterval: 60_000 })
  const { method, path, status, fault, milliseconds, called_at, is_incoming, about } = call
  const date = new Date(called_at * 1000)
  return (
    <li className={styles.row}>
      <time
        className={styles.time}
        dateTime={date.toISOString()}
        title={format.dateTime(date, { dateStyle: 'full', timeStyle: 'medium' })}
      >
        {format.dateTime(date, {
          // The day of a call that is a day old matters more than its second.
          ...(now.getTime() - date.getTime() > dayMs && { day: 'numeric', month: 'short' }),
          hour: 'numeric',
          minute: '2-digit',
          second: '2-digit',
        })}
      </time>
      {is_incoming !== undefined && (
        <span className={styles.direction}>
          {is_incoming ? <ArrowDownLeft size={14} /> : <ArrowUpRight size={14} />}
          {words(is_incoming ? 'incoming' : 'outgoing')}
        </span>
      )}
      <span className={styles.method}>{method}</span>
      <span className={styles.path} title={path}>
        {path.replaceAll(uuid, '$1…')}
      </span>
      {about !== undefined && <span className={styles.about}>{about}</span>}
      <span className={isWell(call) ? styles.well : styles.ill}>
        {status === 0 ? words('silence') : status}
      </span>
      <span className={styles.ms}>{words('milliseconds', { number: milliseconds })}</span>
      {fault !== null && <span className={styles.fault}>{fault}</span>}
    </li>
  )
}
