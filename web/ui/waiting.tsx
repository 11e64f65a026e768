import { useDebouncedValue } from '@mantine/hooks'
import { startTransition, useLayoutEffect, useState } from 'react'
import { clear, releaseBy, wait } from '../data/rest.ts'

/** The page waits for `what` while `isComing` (rest.ts). */
export function useWait(what: string, isComing = true): void {
  useLayoutEffect(() => (isComing ? wait(what) : undefined), [what, isComing])
}

/** Answers the text that somebody types, so many milliseconds after the last letter. The page waits meanwhile. */
export function useTyped(text: string, ms: number): string {
  const [typed] = useDebouncedValue(text, ms)
  useWait('what is typed', typed !== text)
  return typed
}

/** Stands in for a part that is on its way and needs no sign of it. */
export function Waiting(): undefined {
  useWait('a part')
}

const started = wait('start')

/** Stands beside the first screen, and is shown with it. */
export function Started(): undefined {
  useLayoutEffect(started, [])
}

/** Takes the mark of what the page waits for away when all that has come is drawn. */
export function RestMark(): undefined {
  const [times, setTimes] = useState(0)
  useLayoutEffect(
    () => releaseBy(() => startTransition(() => setTimes((before) => before + 1))),
    [],
  )
  useLayoutEffect(clear, [times])
}
