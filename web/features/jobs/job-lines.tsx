import { ActionIcon, Button, Progress } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Undo2, X } from 'lucide-react'
import { useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { BulkKind } from '../../../server/features/application/jobs/schema.ts'
import { useRefusalText } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import { useUndoKey } from '../../ui/undo.ts'
import { ListWords } from '../../words/words.tsx'
import styles from './jobs.module.css'
import { cancelJob, isRunning, jobsQuery, undoJob } from './jobs.ts'
import type { Job } from './jobs.ts'

export const JobLines = (props: { jobs: readonly Job[]; onClose: (job: Job) => void }) => (
  <ListWords>
    <Lines {...props} />
  </ListWords>
)

function Lines({ jobs, onClose }: { jobs: readonly Job[]; onClose: (job: Job) => void }) {
  const words = useTranslations('jobs')
  return (
    <section className={styles.strip} aria-label={words('title')}>
      {jobs.map((job) => (
        <JobLine key={job.id} job={job} onClose={() => onClose(job)} />
      ))}
    </section>
  )
}

/** What a job does, or has done. */
function useJobTitle(job: Job): string {
  const words = useTranslations('jobs')
  const { kind, done: count, definition } = job
  if (definition) {
    const { kind: deletion, name, into } = definition
    const isUndo = kind === 'undo'
    if (isRunning(job))
      return words(`definition.${deletion}.${isUndo ? 'undoing' : 'running'}`, { name })
    const isDone = job.state === 'done'
    return isUndo
      ? words(`definition.${deletion}.${isDone ? 'undone' : 'notUndone'}`, { name, count })
      : words(`definition.${deletion}.${isDone ? 'ended' : 'unfinished'}`, { name, into, count })
  }
  // Only jobs with a definition have the kind of one.
  const bulk = kind as BulkKind | 'undo'
  return isRunning(job) ? words(`running.${bulk}`) : words(`ended.${bulk}`, { count })
}

/** A job with its progress, and then with the way to take it back. */
function JobLine({ job, onClose }: { job: Job; onClose: () => void }) {
  const words = useTranslations('jobs')
  const ui = useTranslations('ui')
  const format = useFormatter()
  const client = useQueryClient()
  const refusalText = useRefusalText()
  const act = useMutation({
    mutationFn: (run: (id: number) => Promise<Job>) => run(job.id),
    onSettled: () => client.invalidateQueries({ queryKey: jobsQuery.queryKey }),
    onError: (error) => warn(words('failed'), refusalText(error)),
  })
  const undo = () => act.mutate(undoJob)
  const undoButton = useRef<HTMLButtonElement>(null)
  useUndoKey(undoButton, (job.finished_at ?? 0) * 1000, undo)
  const { state, total, done, skipped, faults, detail } = job
  const at = done + skipped
  const percent = total ? Math.round((at / total) * 100) : 0
  const what = useJobTitle(job)
  const title =
    state === 'failed'
      ? words('broken', { what })
      : state === 'cancelled'
        ? words('stopped', { what })
        : what
  return (
    <div className={styles.job} data-state={state}>
      {!isRunning(job) &&
        (state === 'done' ? (
          <CircleCheck size={16} className={styles.good} aria-hidden />
        ) : (
          <CircleAlert size={16} className={styles.bad} aria-hidden />
        ))}
      <div className={styles.body}>
        <div className={styles.text} role="status">
          <b>
            {!job.definition && `${words(`records.${job.entity_type}`)}. `}
            {title}
          </b>
          {isRunning(job) ? (
            <span className="numbers">
              {job.is_cancelling
                ? words('cancelling')
                : total === null
                  ? at > 0
                    ? words('soFar', { at: format.number(at) })
                    : words('finding')
                  : words('progress', { at: format.number(at), total: format.number(total) })}
            </span>
          ) : (
            skipped > 0 && <span>{words('skipped', { count: skipped })}</span>
          )}
          {state === 'failed' && detail && <span>{detail}</span>}
        </div>
        {isRunning(job) && (
          <Progress
            value={total === null ? 100 : percent}
            animated={total === null}
            className={styles.progress}
            aria-label={title}
          />
        )}
        {faults.length > 0 && !isRunning(job) && (
          <details className={styles.faults}>
            <summary>{words('why')}</summary>
            <ul>
              {faults.map(({ id, detail: text }) => (
                <li key={id}>
                  #{id}: {text}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <div className={styles.controls}>
        {isRunning(job) ? (
          <Button
            size="compact-sm"
            variant="default"
            disabled={job.is_cancelling}
            loading={act.isPending}
            onClick={() => act.mutate(cancelJob)}
          >
            {words('cancel')}
          </Button>
        ) : (
          <>
            {job.may_undo && (
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<Undo2 size={14} aria-hidden />}
                loading={act.isPending}
                ref={undoButton}
                onClick={undo}
              >
                {ui('undo')}
              </Button>
            )}
            <ActionIcon size={24} aria-label={words('close')} onClick={onClose}>
              <X size={14} />
            </ActionIcon>
          </>
        )}
      </div>
    </div>
  )
}
