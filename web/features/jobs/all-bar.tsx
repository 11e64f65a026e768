import { ComingField } from '../../ui/focus.ts'
import { part } from '../../data/rest.ts'
import { ActionIcon, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArrowRightLeft, ListTodo, Tag, Trash2, UserRound, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { BulkKind } from '../../../server/features/application/jobs/schema.ts'
import type { BulkVocabulary } from './bulk-dialog.tsx'
import { aggregateQuery } from './jobs.ts'
import styles from './jobs.module.css'

const BulkDialog = lazy(
  part('bulk', async () => ({ default: (await import('./bulk-dialog.tsx')).BulkDialog })),
)

const acts = [
  ['move', ArrowRightLeft],
  ['assign', UserRound],
  ['tag', Tag],
  ['task', ListTodo],
  ['delete', Trash2],
] as const

/** All leads that a filter finds, or those of `ids`, and what can be done with them. */
export function AllBar({
  filter,
  ids,
  filterWords,
  vocabulary,
  onClose,
  children,
}: {
  /** A query string of `GET /api/v4/leads`. */
  filter: string
  ids?: readonly number[]
  /** The same for people. */
  filterWords: string
  vocabulary: BulkVocabulary
  onClose: () => void
  /** Beside the number. */
  children?: ReactNode
}) {
  const words = useTranslations('jobs')
  const format = useFormatter()
  const counted = useQuery({ ...aggregateQuery(filter), enabled: ids === undefined })
  const data = ids ? { count: ids.length, is_more: false } : counted.data
  const [kind, setKind] = useState<BulkKind>()
  const number = data
    ? words(data.is_more ? 'allMore' : 'all', {
        count: data.count,
        shown: format.number(data.count),
      })
    : words('counting')
  return (
    <div className={styles.all} role="toolbar" aria-label={words('allTitle')}>
      <div className={styles.what} role="status">
        <b>{number}</b>
        <span title={filterWords}>{filterWords}</span>
      </div>
      {children}
      {acts.map(([each, Icon]) => (
        <Button
          key={each}
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Icon size={15} aria-hidden />}
          disabled={!data || data.count === 0}
          onClick={() => setKind(each)}
        >
          {words(`acts.${each}`)}
        </Button>
      ))}
      <ActionIcon size={28} aria-label={words('leaveAll')} onClick={onClose}>
        <X size={16} />
      </ActionIcon>
      {kind && (
        <Suspense fallback={<ComingField />}>
          <BulkDialog
            kind={kind}
            number={number}
            target={ids ? { ids } : { filter }}
            filterWords={filterWords}
            vocabulary={vocabulary}
            onClose={(isBegun) => {
              setKind(undefined)
              if (isBegun) onClose()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
