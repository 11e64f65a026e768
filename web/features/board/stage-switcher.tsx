import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import styles from './board.module.css'
import { useBoard } from './context.ts'
import type { Stage } from './context.ts'

/** The stages of a board on a phone, which shows one of them. */
export function StageSwitcher({
  stage,
  before,
}: {
  /** undefined: the column before the stages. */
  stage: Stage | undefined
  before: string | undefined
}) {
  const words = useTranslations('board')
  const { vocabulary, selection } = useBoard()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current
      ?.querySelector('[aria-pressed="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [stage])
  return (
    <div ref={list} className={styles.switcher} role="group" aria-label={words('stages')}>
      {before !== undefined && (
        <button
          type="button"
          aria-pressed={stage === undefined}
          onClick={() => selection.set({ stage: 0 })}
        >
          {before}
        </button>
      )}
      {vocabulary.columns.map((each) => (
        <Choice
          key={each.id}
          stage={each}
          isChosen={each === stage}
          onChoose={() => selection.set({ stage: each.id })}
        />
      ))}
    </div>
  )
}

function Choice({
  stage,
  isChosen,
  onChoose,
}: {
  stage: Stage
  isChosen: boolean
  onChoose: () => void
}) {
  const format = useFormatter()
  const { store } = useBoard()
  const totals = useSyncExternalStore(
    (watcher) => store.watchTotals(stage.id, watcher),
    () => store.totals(stage.id),
  )
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      style={{ '--stage': stage.color } as React.CSSProperties}
      onClick={onChoose}
    >
      {stage.name}
      <span>
        {totals.isKnown && format.number(totals.count)}
        {totals.isMore && '+'}
      </span>
    </button>
  )
}
