import { ActionIcon, Button } from '@mantine/core'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { onBar } from './acts.ts'
import styles from './board.module.css'
import { useSelection, useBoard } from './context.ts'

/** The acts on the selected cards; `children` are acts on all that a filter finds. */
export function SelectionBar({ children }: { children?: ReactNode }) {
  const words = useTranslations('board')
  const board = useBoard()
  const selected = useSelection((state) => state.selected)
  const isDragging = useSelection(({ drag }) => drag?.by === 'pointer')
  if (selected.size === 0 || isDragging) return undefined
  const ids = [...selected]
  return (
    <div className={styles.selection} role="toolbar" aria-label={words('selection')}>
      <b>{words('selected', { count: ids.length })}</b>
      {children}
      {onBar.map(({ name, icon: Icon, run }) => (
        <Button
          key={name}
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<Icon size={15} aria-hidden />}
          onClick={() => run(board, ids)}
        >
          {words(name)}
        </Button>
      ))}
      <ActionIcon
        size={28}
        aria-label={words('clearSelection')}
        onClick={() => board.selection.set({ selected: new Set() })}
      >
        <X size={16} />
      </ActionIcon>
    </div>
  )
}
