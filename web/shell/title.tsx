// The place at the left of the top bar: a screen puts its title there, else it names the account.
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import styles from './shell.module.css'

let slot: HTMLElement | null = null
let titles = 0
const watchers = new Set<() => void>()
const announce = () => {
  for (const watcher of watchers) watcher()
}
const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function take(element: HTMLElement | null): void {
  slot = element
  announce()
}

/** `children` stand there while no screen has a title of its own. */
export function TitleSlot({ children }: { children: ReactNode }) {
  const hasTitle = useSyncExternalStore(watch, () => titles > 0)
  return (
    <>
      <div ref={take} className={styles.title} />
      {!hasTitle && <span className={styles.account}>{children}</span>}
    </>
  )
}

/** Puts the title of a screen into the top bar. */
export function Title({ children }: { children: ReactNode }) {
  const [target, setTarget] = useState(slot)
  useEffect(() => {
    titles++
    setTarget(slot)
    announce()
    const stop = watch(() => setTarget(slot))
    return () => {
      stop()
      titles--
      announce()
    }
  }, [])
  return target && createPortal(children, target)
}
