import { SegmentedControl } from '@mantine/core'
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import styles from './calls.module.css'
import { useDay } from './day.ts'
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
  const day = useDay()
  const { method, path, status, fault, milliseconds, called_at, is_incoming, about } = call
  const date = new Date(called_at * 1000)
  return (
    <li className={styles.row}>
      <time className={styles.time} dateTime={date.toISOString()}>
        {day(called_at)}, {format.dateTime(date, { timeStyle: 'medium' })}
      </time>
      {is_incoming !== undefined && (
        <span className={styles.direction}>
          {is_incoming ? <ArrowDownLeft size={14} /> : <ArrowUpRight size={14} />}
          {words(is_incoming ? 'incoming' : 'outgoing')}
        </span>
      )}
      <span className={styles.method}>{method}</span>
      <span className={styles.path} title={path}>
        {path}
      </span>
      <span className={styles.about}>{about}</span>
      <span className={isWell(call) ? styles.well : styles.ill}>
        {status === 0 ? words('silence') : status}
      </span>
      <span className={styles.ms}>{words('milliseconds', { number: milliseconds })}</span>
      {fault !== null && <span className={styles.fault}>{fault}</span>}
    </li>
  )
}
