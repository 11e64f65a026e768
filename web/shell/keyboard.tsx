// The keys of the application: one registry, which the shortcut sheet and the command menu read.
// Keys without a modifier act only outside of fields, and a user may switch them off. A letter is
// the key at its place on the keyboard, so that they work on a Russian layout too.
import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface Shortcut {
  /** Keys pressed one after the other: `['mod+k']`, `['g', 's']`, `['?']`. */
  keys: string[]
  /** In the user's language. */
  text: string
  run: () => void
}

interface Registered {
  area: string
  shortcuts: Shortcut[]
}

let registered: Registered[] = []
const watchers = new Set<() => void>()
/** Milliseconds within which the next key of a sequence is pressed. */
const sequenceMs = 1200
let pressed: string[] = []
let pressedAt = 0
let areSingleKeysOn = true

function change(next: Registered[]): void {
  registered = next
  for (const watcher of watchers) watcher()
}

/** Keys without a modifier may be switched off (WCAG 2.1.4). */
export function switchSingleKeys(isOn: boolean): void {
  areSingleKeysOn = isOn
}

/**
 * Registers shortcuts while the component is shown; `area` is their heading on the sheet. A screen may
 * give a key of the shell (`isUsual`) a meaning of its own.
 */
export function useShortcuts(area: string, shortcuts: Shortcut[], isUsual = false): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const named = shortcuts.map(({ keys, text }) => `${keys.join(' ')} ${text}`).join('\n')
  useEffect(() => {
    const own: Registered = {
      area,
      shortcuts: latest.current.map((shortcut, place) => ({
        ...shortcut,
        run: () => latest.current[place]?.run(),
      })),
    }
    // The last one counts. The shell may be drawn for the first time after its screen.
    change(isUsual ? [own, ...registered] : [...registered, own])
    return () => change(registered.filter((each) => each !== own))
  }, [area, named, isUsual])
}

/** All shortcuts that work now, by area. */
export const useRegistered = (): readonly Registered[] =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => registered,
  )

/** Listens to the keys of the whole page. */
export function useKeyboard(): void {
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** What these keys do in a field is known to everybody. */
const editingKeys = new Set(['mod+a', 'mod+z', 'mod+shift+z'])

function press(event: KeyboardEvent): void {
  const key = keyOf(event)
  if (key === undefined || event.defaultPrevented) return
  const hasModifier = key.startsWith('mod+')
  if (isInField(event.target) && (!hasModifier || editingKeys.has(key))) return
  if (!hasModifier && !areSingleKeysOn) return
  const now = event.timeStamp
  pressed = now - pressedAt > sequenceMs ? [key] : [...pressed, key]
  pressedAt = now
  const all = registered.toReversed().flatMap(({ shortcuts }) => shortcuts)
  // The longest sequence that ends with this key: `g` `s` rather than `s`.
  for (let from = 0; from < pressed.length; from++) {
    const wanted = pressed.slice(from)
    const found = all.find(({ keys }) => keys.join(' ') === wanted.join(' '))
    if (found) {
      event.preventDefault()
      pressed = []
      return found.run()
    }
    if (all.some(({ keys }) => keys.join(' ').startsWith(`${wanted.join(' ')} `))) {
      pressed = wanted
      return
    }
  }
  pressed = []
}

let lastLetterWasLatin = true

/** The name of the pressed key; undefined for a modifier alone and for keys with Alt. */
function keyOf(event: KeyboardEvent): string | undefined {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
  if (altKey || ['Control', 'Meta', 'Shift', 'Alt'].includes(key)) return undefined
  const letter = /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase()
  if (letter) lastLetterWasLatin = /^[a-z]$/i.test(key)
  const isLatin = /^[a-z]$/i.test(key)
  // Punctuation is where the typed sign is; on another alphabet, where a US keyboard has it.
  const sign = !lastLetterWasLatin && code === 'Slash' ? (shiftKey ? '?' : '/') : key
  const name = letter ? (isLatin ? key.toLowerCase() : letter) : sign.length === 1 ? sign : key
  const shift = shiftKey && (letter || name.length > 1) ? 'shift+' : ''
  return ctrlKey || metaKey ? `mod+${shift}${name}` : `${shift}${name}`
}

const isInField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

const isApple = /mac|iphone|ipad/i.test(navigator.platform)

/** A key as people read it: `mod+k` is Ctrl K, on a Mac ⌘ K. */
export const shownKey = (key: string): string =>
  key
    .split('+')
    .map((part) =>
      part === 'mod'
        ? isApple
          ? '⌘'
          : 'Ctrl'
        : part === 'shift'
          ? '⇧'
          : part.length === 1
            ? part.toUpperCase()
            : part,
    )
    .join(' ')
