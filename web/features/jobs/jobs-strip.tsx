import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, lazy, useEffect, useRef, useState } from 'react'
import { useNow } from 'use-intl'
import { part } from '../../data/rest.ts'
import { closedJobs, isRunning, jobsQuery, shownJobs } from './jobs.ts'

/** Most pages show no job. */
const JobLines = lazy(
  part('jobs', async () => ({ default: (await import('./job-lines.tsx')).JobLines })),
)

/** The running jobs of the user with their progress, and those that ended a moment ago. */
export function JobsStrip({
  onEnd,
}: {
  /** A job has ended. Purges are told by nothing else. */
  onEnd?: () => void
} = {}) {
  const client = useQueryClient()
  const { data = [] } = useQuery(jobsQuery)
  const [closed, setClosed] = useState(closedJobs.read)
  const now = useNow({ updateInterval: 60_000 }).getTime() / 1000
  const shown = shownJobs(data, closed, now)
  const ended = data.filter((job) => !isRunning(job)).length
  const known = useRef<number>(undefined)
  const latest = useRef(onEnd)
  latest.current = onEnd
  useEffect(() => {
    // Records that a job has changed are asked for anew once it has ended.
    if (known.current !== undefined && ended > known.current) {
      latest.current?.()
      for (const key of ['leads', 'rows', 'fields', 'loss-reasons', 'task-types', 'tags'])
        void client.invalidateQueries({ queryKey: [key] })
    }
    known.current = ended
  }, [ended, client])
  if (shown.length === 0) return undefined
  return (
    <Suspense>
      <JobLines
        jobs={shown.slice(0, 3)}
        onClose={({ id }) => {
          closedJobs.add(id)
          setClosed(closedJobs.read())
        }}
      />
    </Suspense>
  )
}
