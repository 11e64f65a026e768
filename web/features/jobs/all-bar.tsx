import { ComingField } from '../../ui/focus.ts'
import { part } from '../../data/rest.ts'
import { ActionIcon, Button } from '@mantine/core'
import {
  ArchiveRestore,
  ArrowRightLeft,
  ListTodo,
  SquarePen,
  Tag,
  Trash2,
  UserRound,
  X,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { BulkKind } from '../../../server/features/application/jobs/schema.ts'
import type { BulkVocabulary } from './bulk-dialog.tsx'
import type { JobTarget, JobType } from './jobs.ts'
import styles from './jobs.module.css'

const BulkDialog = lazy(
  part('bulk', async () => ({ default: (await import('./bulk-dialog.tsx')).BulkDialog })),
)

/** What can be done with many records. The keys are those of the board, as far as it has the act. */
const bulkActs: readonly {
  kind: BulkKind
  icon: LucideIcon
  key?: string
  isOfLeads?: true
  /** Of what is deleted; the others are of what is not. */
  isOfBin?: true
  isForAdmins?: true
}[] = [
  { kind: 'move', icon: ArrowRightLeft, key: 'm', isOfLeads: true },
  { kind: 'assign', icon: UserRound, key: 'a' },
  { kind: 'tag', icon: Tag, key: '#' },
  { kind: 'field', icon: SquarePen },
  { kind: 'task', icon: ListTodo, key: 't' },
  { kind: 'delete', icon: Trash2 },
  { kind: 'restore', icon: ArchiveRestore, key: 'r', isOfBin: true },
  { kind: 'purge', icon: Trash2, isOfBin: true, isForAdmins: true },
]

/** Those that a list of records offers, or its bin. */
export const offeredActs = (
  type: JobType,
  { me }: Pick<BulkVocabulary, 'me'>,
  isBin = false,
): typeof bulkActs =>
  bulkActs.filter(
    ({ isOfLeads, isForAdmins, isOfBin = false }) =>
      isOfBin === isBin && (!isOfLeads || type === 'leads') && (!isForAdmins || me.is_admin),
  )

/** How many records a filter finds; `isMore`: at least so many. */
export interface FoundCount {
  count: number
  isMore: boolean
}

/** Chosen records, or all that a filter finds, and what can be done with them. */
export function AllBar({
  target,
  isBin = false,
  found,
  filterWords,
  vocabulary,
  kind,
  onChoose,
  onClose,
  children,
}: {
  target: JobTarget
  /** The records are deleted. */
  isBin?: boolean
  /** Undefined while they are counted. */
  found: FoundCount | undefined
  /** The filter for people. */
  filterWords: string
  vocabulary: BulkVocabulary
  /** The act whose dialog is open. */
  kind: BulkKind | undefined
  onChoose: (kind: BulkKind | undefined) => void
  onClose: () => void
  /** Beside the number. */
  children?: ReactNode
}) {
  const words = useTranslations('jobs')
  const number = useNumberText(target, found)
  return (
    <div className={styles.all} role="toolbar" aria-label={words('allTitle')}>
      <div className={styles.what} role="status">
        <b>{number}</b>
        <span title={filterWords}>{filterWords}</span>
      </div>
      {children}
      {offeredActs(target.entity_type, vocabulary, isBin).map(({ kind: each, icon: Icon }) => (
        <Button
          key={each}
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Icon size={15} aria-hidden />}
          disabled={!found || found.count === 0}
          onClick={() => onChoose(each)}
        >
          {words(`acts.${each}`)}
        </Button>
      ))}
      <ActionIcon size={28} aria-label={words('leaveAll')} onClick={onClose}>
        <X size={16} />
      </ActionIcon>
      {kind && found && (
        <Suspense fallback={<ComingField />}>
          <BulkDialog
            kind={kind}
            number={number}
            target={target}
            filterWords={filterWords}
            vocabulary={vocabulary}
            onClose={(isBegun) => {
              onChoose(undefined)
              if (isBegun) onClose()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

/** "All 1,284 leads, except 2". */
function useNumberText(target: JobTarget, found: FoundCount | undefined): string {
  const words = useTranslations('jobs')
  const format = useFormatter()
  const { entity_type: type } = target
  if (!found) return words('counting')
  const { count, isMore } = found
  if ('ids' in target) return words(`chosen.${type}`, { count })
  const all = words(isMore ? `allMore.${type}` : `all.${type}`, {
    count,
    shown: format.number(count),
  })
  const { length } = target.except ?? []
  return length > 0 ? words('allBut', { all, count: length }) : all
}
