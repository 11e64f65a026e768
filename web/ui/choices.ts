// A choice marks its present option before the next key, whichever key opens it. The component library
// marks it by timers, which come after the keys of somebody who types on, or between two of them: they
// moved the mark, a timer moved it back, and Enter took another option than the marked one. An arrow
// marks it at once, so every key opens as an arrow does, and the keys behind it wait for the timers.
import { wait } from '../data/rest.ts'

const choice = 'input[role="combobox"][readonly]'
const openings = new Set(['Enter', ' ', 'ArrowDown', 'ArrowUp'])

type Key = Pick<KeyboardEvent, 'key' | 'code'>

/** The keys that have come since a choice began to open. */
let waiting: Key[] | undefined

/** Lets the choices of this page keep up with their keys. */
export function followChoices(): void {
  addEventListener('keydown', follow, { capture: true })
}

function follow(event: KeyboardEvent): void {
  const { key, code, target, isTrusted, ctrlKey, metaKey, altKey } = event
  if (!isTrusted || ctrlKey || metaKey || altKey || key === 'Tab') return
  if (!(target instanceof HTMLInputElement) || !target.matches(choice)) return
  const isClosed = target.matches('[aria-expanded="false"]')
  if (!waiting && !(isClosed && openings.has(key))) return
  event.preventDefault()
  event.stopImmediatePropagation()
  if (waiting) return void waiting.push({ key, code })
  const arrow = key === 'ArrowUp' ? key : 'ArrowDown'
  press(target, { key: arrow, code: arrow })
  const keys: Key[] = (waiting = [])
  const done = wait('a choice')
  // The library has set its timers of 0 ms before this one.
  setTimeout(() => {
    waiting = undefined
    for (const each of keys) press(target, each)
    done()
  })
}

function press(target: HTMLElement, key: Key): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }))
}
