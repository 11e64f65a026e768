import { useDayAndTime } from '../../ui/day.ts'
import { ComingField } from '../../ui/focus.ts'
import { part } from '../../data/rest.ts'
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CopyCheck, Users } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { Problem } from '../../data/api.ts'
import styles from './merges.module.css'
import { duplicatesQuery, openMergesQuery } from './merges.ts'
import type { Duplicates, MergedType } from './merges.ts'
import { useUndoMerge } from './undo.ts'

const CompareDialog = lazy(
  part('comparison', async () => ({
    default: (await import('./compare-dialog.tsx')).CompareDialog,
  })),
)

/**
 * Says that others share a phone or an e-mail with a contact or a company, and offers the comparison;
 * for a day after a merge, its undo. Nothing else is shown while it loads, or to a user without rights.
 */
export function DuplicatesBanner({
  type,
  id,
  mayEdit,
  merged,
}: {
  type: MergedType
  id: number
  mayEdit: boolean
  /** Called with the id of the record that stays, also after an undo. */
  merged: (intoId: number) => void
}) {
  const words = useTranslations('merges')
  const duplicates = useQuery(duplicatesQuery(type, id))
  const merges = useQuery({ ...openMergesQuery(type, id), enabled: mayEdit })
  const [isOpen, setOpen] = useState(false)
  const { data, error } = duplicates
  const hasFailed = isFailure(error)
  const close = () => setOpen(false)
  return (
    <>
      {merges.data?.map((merge) => (
        <Undoable key={merge.id} merge={merge} id={id} merged={merged} />
      ))}
      {isFailure(merges.error) && (
        <Line icon={<CopyCheck size={16} />} text={words('undoUnasked')} isQuiet>
          <Retry run={() => void merges.refetch()} />
        </Line>
      )}
      {hasFailed && (
        <Line icon={<Users size={16} />} text={words('unasked')} isQuiet>
          <Retry run={() => void duplicates.refetch()} />
        </Line>
      )}
      {data && data.duplicates.length > 0 && (
        <Line icon={<Users size={16} />} text={<Shared type={type} data={data} />}>
          {mayEdit && (
            <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
              {words('compare')}
            </Button>
          )}
        </Line>
      )}
      {isOpen && data && (
        <Suspense fallback={<ComingField />}>
          <CompareDialog type={type} id={id} duplicates={data} close={close} merged={merged} />
        </Suspense>
      )}
    </>
  )
}

/** A user without rights misses nothing. */
const isFailure = (error: unknown) =>
  error !== null && !(error instanceof Problem && [403, 404].includes(error.status))

function Shared({ type, data: { duplicates, is_more } }: { type: MergedType; data: Duplicates }) {
  const words = useTranslations('merges')
  const count = duplicates.length
  if (is_more) return words('most', { count })
  const codes = new Set(duplicates.flatMap(({ shared }) => shared.map((each) => each.field_code)))
  const what = codes.size > 1 ? 'both' : codes.has('PHONE') ? 'phone' : 'email'
  return words(`shares.${type}.${what}`, { count })
}

function Undoable({
  merge,
  id,
  merged,
}: {
  merge: {
    id: number
    into: number
    into_name: string
    from: number
    from_name: string
    undo_until: number
  }
  id: number
  merged: (intoId: number) => void
}) {
  const words = useTranslations('merges')
  const ui = useTranslations('ui')
  const undo = useUndoMerge()
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: () => undo(merge.id),
    onSuccess: () => merged(merge.into),
    onSettled: () => client.invalidateQueries({ queryKey: ['merges'] }),
  })
  const isSurvivor = merge.into === id
  const [name, number] = isSurvivor ? [merge.from_name, merge.from] : [merge.into_name, merge.into]
  const shown = name || words('untitled', { id: number })
  const time = useDayAndTime()(merge.undo_until)
  return (
    <Line
      icon={<CopyCheck size={16} />}
      text={words(isSurvivor ? 'mergedWith' : 'mergedInto', { name: shown })}
      hint={words('until', { time })}
      isQuiet
    >
      <Button
        size="compact-sm"
        variant="default"
        loading={act.isPending}
        onClick={() => act.mutate()}
      >
        {ui('undo')}
      </Button>
    </Line>
  )
}

function Retry({ run }: { run: () => void }) {
  const words = useTranslations('ui')
  return (
    <Button size="compact-sm" variant="default" onClick={run}>
      {words('retry')}
    </Button>
  )
}

const Line = ({
  icon,
  text,
  hint,
  isQuiet = false,
  children,
}: {
  icon: ReactNode
  text: ReactNode
  hint?: string
  isQuiet?: boolean
  children: ReactNode
}) => (
  <div className={styles.banner} data-quiet={isQuiet || undefined} role="status">
    <span className={styles.icon} aria-hidden>
      {icon}
    </span>
    <span className={styles.text}>
      <span dir="auto">{text}</span>
      {hint && <span className={styles.hint}>{hint}</span>}
    </span>
    {children}
  </div>
)
