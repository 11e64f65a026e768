import { useNetwork } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { countersQuery } from '../crm/bootstrap.ts'
import { useLiveState } from '../data/live.ts'
import styles from './shell.module.css'

/** Seconds of a cut that nobody needs to hear of: a server restarts in as many. */
const graceMs = 3000

/** Says that the network or the live stream is cut, and since when the data may be old. */
export function ConnectionStrip() {
  const words = useTranslations('shell')
  const format = useFormatter()
  const state = useLiveState()
  const { online } = useNetwork()
  const [offlineSince, setOfflineSince] = useState<number>()
  useEffect(() => setOfflineSince(online ? undefined : Date.now()), [online])
  // A stream may end because the session has: the answer to any request says so at once.
  const client = useQueryClient()
  const isLost = state.kind === 'lost'
  useEffect(() => {
    if (isLost) void client.refetchQueries({ queryKey: countersQuery.queryKey })
  }, [isLost, client])
  const since = state.kind === 'lost' ? state.since : offlineSince
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    setShown(false)
    if (since === undefined) return undefined
    const timer = setTimeout(() => setShown(true), graceMs)
    return () => clearTimeout(timer)
  }, [since])
  return (
    <div role="status">
      {isShown && since !== undefined && (
        <div className={styles.strip}>
          <CloudOff size={16} aria-hidden />
          {words('lost', { time: format.dateTime(new Date(since), { timeStyle: 'short' }) })}
        </div>
      )}
    </div>
  )
}
