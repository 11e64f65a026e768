import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { ArrowLeftRight, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { focusAfter } from '../../ui/focus.ts'
import { AllDialog } from './all-dialog.tsx'
import styles from './links.module.css'
import type { LinkTarget } from './links.ts'

/** Finds the parts of a section that take the focus when a row is gone. */
const focusable = { adding: '[data-adding]', row: '[data-row-actions]' }

/**
 * Moves the focus to a neighbour of a row that is about to go, or to the button that adds another.
 */
export function leaveRow(inside: Element | null): void {
  const row = inside?.closest('li')
  const section = inside?.closest('section')
  const next = row?.nextElementSibling ?? row?.previousElementSibling
  const target =
    next?.querySelector<HTMLElement>(focusable.row) ??
    section?.querySelector<HTMLElement>(focusable.adding) ??
    section
  target?.focus()
}

/** A heading, the rows, what stands there without any, and the way to add one. */
export function LinkSection({
  name,
  addLabel,
  emptyText,
  count,
  isMore,
  all,
  isSingle = false,
  isOpen = false,
  adder,
  footer,
  children,
}: {
  name: string
  addLabel: string
  emptyText: string
  count: number
  isMore: boolean
  /** The type of the records in the list of all. */
  all: LinkTarget['to_entity_type']
  /** A new one takes the place of the present one. */
  isSingle?: boolean
  /** Begins with the adder, where a draft of it was left. */
  isOpen?: boolean
  /** Finds and makes another one; undefined where the user may not. */
  adder?: ((close: () => void) => ReactNode) | undefined
  footer?: ReactNode
  children: ReactNode
}) {
  const words = useTranslations('links')
  const [isAdding, setAdding] = useState(isOpen)
  const [isAllOpen, setAllOpen] = useState(false)
  const replaces = isSingle && count > 0
  const button = useRef<HTMLButtonElement>(null)
  const part = useRef<HTMLDivElement>(null)
  const close = () => {
    focusAfter(part.current, () => button.current)
    setAdding(false)
  }
  return (
    <section className={styles.section} aria-label={name} tabIndex={-1}>
      <div className={styles.head}>
        <h3>{name}</h3>
        {count > 0 && !isSingle && (
          <span className={styles.count}>
            {count}
            {isMore && '+'}
          </span>
        )}
        {adder && (
          <Tooltip label={addLabel}>
            <ActionIcon
              ref={button}
              size={24}
              className={styles.adding}
              data-adding
              aria-label={addLabel}
              aria-expanded={isAdding}
              onClick={() => setAdding(!isAdding)}
            >
              {replaces ? <ArrowLeftRight size={14} /> : <Plus size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {isAdding && (
        <div ref={part} className={styles.adder}>
          {adder?.(close)}
        </div>
      )}
      {count === 0 && !isAdding && <p className={styles.empty}>{emptyText}</p>}
      {children}
      {isMore && (
        <Button variant="subtle" size="compact-sm" onClick={() => setAllOpen(true)}>
          {words('all')}
        </Button>
      )}
      {footer}
      <AllDialog
        opened={isAllOpen}
        onClose={() => setAllOpen(false)}
        to={all}
        title={words('allOf', { section: name })}
      />
    </section>
  )
}
