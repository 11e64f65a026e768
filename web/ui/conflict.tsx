// The notice that others have changed what the user is changing, and the question whose value stays
// (web/data/conflicts.ts). Fields, files, links and stages show the same.
import { Button } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { isOvertaken } from '../data/conflicts.ts'
import { isTyping } from './focus.ts'
import styles from './conflict.module.css'

/** Says what others did. `focusRequests`: each greater number moves the focus to the first answer. */
export function ConflictNotice({
  text,
  keepMine,
  takeTheirs,
  focusRequests = 0,
  isAbove = false,
}: {
  text: string
  /** Saves at once. */
  keepMine: () => void
  takeTheirs: () => void
  focusRequests?: number
  /** Above its line of a card: a list of choices would cover it below. */
  isAbove?: boolean
}) {
  const words = useTranslations('ui')
  const first = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (focusRequests > 0) first.current?.focus()
  }, [focusRequests])
  return (
    <div className={styles.conflict} role="alert" data-notice data-above={isAbove || undefined}>
      <span>{text}</span>
      <div className={styles.answers}>
        <Button ref={first} size="compact-sm" variant="default" onClick={keepMine}>
          {words('keepMine')}
        </Button>
        <Button size="compact-sm" variant="light" onClick={takeTheirs}>
          {words('takeTheirs')}
        </Button>
      </div>
    </div>
  )
}

/** A change that is made in one go, from a menu, a dialog or a form. */
export interface DirectChange {
  /** The value that the user saw when the change was begun. */
  base: unknown
  /** The value of the server now. */
  present: unknown
  wanted: unknown
  /** Says what others did. */
  text: string
  /** Sends the change. */
  run: () => void
  /** After the answer that the value of others stays. */
  dropped?: () => void
}

/** Runs orders: at once, or where others have changed the same meanwhile once the notice is answered. */
export function useOrders(): {
  give: (order: DirectChange) => void
  /** Whether a change goes on: at once, or as the notice is answered. */
  decide: (order: Omit<DirectChange, 'run' | 'dropped'>) => Promise<boolean>
  /** Shows the notice for an order that was overtaken on its way; who types elsewhere goes on. */
  ask: (order: Pick<DirectChange, 'text' | 'run' | 'dropped'>) => void
  notice: ReactNode
} {
  const [waiting, setWaiting] = useState<Pick<DirectChange, 'text' | 'run' | 'dropped'>>()
  const [focusRequests, setFocusRequests] = useState(1)
  /** Who waits for an answer gets one where the page is left without any. */
  const undecided = useRef<(() => void) | undefined>(undefined)
  useEffect(() => () => undecided.current?.(), [])
  const answer = (then: (() => void) | undefined) => {
    setWaiting(undefined)
    then?.()
  }
  function give(order: DirectChange): void {
    const isLate = isOvertaken(order.base, order.present, order.wanted)
    setFocusRequests(1)
    setWaiting(isLate ? order : undefined)
    if (!isLate) order.run()
  }
  return {
    give,
    decide: (order) =>
      new Promise((resolve) => {
        undecided.current = () => resolve(false)
        give({ ...order, run: () => resolve(true), dropped: () => resolve(false) })
      }),
    ask(order) {
      setFocusRequests(isTyping() ? 0 : 1)
      setWaiting(order)
    },
    notice: waiting && (
      <ConflictNotice
        key={waiting.text}
        text={waiting.text}
        focusRequests={focusRequests}
        keepMine={() => answer(waiting.run)}
        takeTheirs={() => answer(waiting.dropped)}
      />
    ),
  }
}
