// The keys of the application: one registry, which the shortcut sheet and the command menu read.
// Keys without a modifier act only outside of fields, and a user may switch them off. A letter is
// the key at its place on the keyboard, so that they work on a Russian layout too.
import { useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { openDialogs } from '../ui/theme.ts'

export interface Shortcut {
  /** Keys pressed one after the other: `['mod+k']`, `['g', 's']`, `['?']`. */
  keys: string[]
  /** In the user's language. */
  text: string
  /** Missing for keys that the browser gives a meaning; the sheet shows them. */
  run?: () => void
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
/** Dialogs that are open or about to be. */
let holders = 0

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
  useLayoutEffect(() => {
    const own: Registered = {
      area,
      shortcuts: latest.current.map((shortcut, index) => ({
        ...shortcut,
        ...(shortcut.run && { run: () => latest.current[index]?.run?.() }),
      })),
    }
    // The last one counts. The shell may be drawn for the first time after its screen.
    change(isUsual ? [own, ...registered] : [...registered, own])
    return () => change(registered.filter((each) => each !== own))
  }, [area, named, isUsual])
}

/**
 * Keeps all shortcuts still while `isBlocked`. A dialog that keys open takes frames to appear, and what
 * is typed meanwhile must not act on the page under it; open dialogs are known by themselves.
 */
export function useBlockedKeys(isBlocked: boolean): void {
  useLayoutEffect(() => {
    if (!isBlocked) return undefined
    holders++
    return () => void holders--
  }, [isBlocked])
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

/** Listens to the keys of the whole page, from the moment that it is seen. */
export function useKeyboard(): void {
  useLayoutEffect(() => {
    addEventListener('keydown', notePopup, { capture: true })
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', notePopup, { capture: true })
      removeEventListener('keydown', press)
    }
  }, [])
}

/** Keys whose work in a field is known to everybody. */
const editingKeys = new Set(['mod+a', 'mod+z', 'mod+shift+z'])

/** The shortcuts that the application runs, the one that counts first. */
const all = () =>
  registered
    .toReversed()
    .flatMap(({ shortcuts }) => shortcuts.flatMap(({ keys, run }) => (run ? [{ keys, run }] : [])))

/** Does what a sequence of keys does on this screen. */
export function runKeys(keys: string[]): void {
  all()
    .find((each) => each.keys.join(' ') === keys.join(' '))
    ?.run()
}

/** Begins anew: the next key is the first of a sequence. */
export function endSequence(): void {
  pressed = []
}

/** Whether a key was pressed in a menu or a list: it may have closed that before the page hears of it. */
let isOfPopup = false

function notePopup({ target }: KeyboardEvent): void {
  isOfPopup = isInPopup(target)
}

function press(event: KeyboardEvent): void {
  const key = keyOf(event)
  if (key === undefined || event.defaultPrevented) return
  if (holders > 0 || document.querySelector(openDialogs)) {
    pressed = []
    return
  }
  const hasModifier = /^(?:mod|alt)\+/.test(key)
  // Escape closes a menu or a list before it closes the page under it.
  if (key === 'Escape' && isOfPopup) return
  if (isInField(event.target) && (!hasModifier || editingKeys.has(key))) {
    // A field that does nothing else with Escape is left by it; the next press acts on the page.
    if (key === 'Escape') (event.target as HTMLElement).blur()
    return
  }
  if (!hasModifier && !areSingleKeysOn && key !== 'Escape') return
  const now = event.timeStamp
  pressed = now - pressedAt > sequenceMs ? [key] : [...pressed, key]
  pressedAt = now
  const known = all()
  // The longest sequence that ends with this key: `g` `s` rather than `s`.
  for (let from = 0; from < pressed.length; from++) {
    const wanted = pressed.slice(from)
    const found = known.find(({ keys }) => keys.join(' ') === wanted.join(' '))
    const isBegun = known.some(({ keys }) => keys.join(' ').startsWith(`${wanted.join(' ')} `))
    if (!found && !isBegun) continue
    // `c` opens a menu, and `c` `l` is an entry of it.
    pressed = isBegun ? wanted : []
    if (!found) return
    event.preventDefault()
    return found.run()
  }
  pressed = []
}

let lastLetterWasLatin = true

/** The letter at the place of the pressed key, in lower case; undefined for other keys. */
export function letterOf({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string | undefined {
  const isLatin = /^[a-z]$/i.test(key)
  return isLatin ? key.toLowerCase() : /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase()
}

/** Signs by their place on a US keyboard, without and with Shift. */
const signs: Record<string, [string, string]> = {
  Slash: ['/', '?'],
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Digit3: ['3', '#'],
}

/** The name of the pressed key; undefined for a modifier alone and for most keys with Alt. */
function keyOf(event: KeyboardEvent): string | undefined {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event
  const [, digit] = /^Digit([1-9])$/.exec(code) ?? []
  if (altKey && !ctrlKey && !metaKey && digit) return `alt+${digit}`
  // Many keyboards have brackets under AltGr, which is Ctrl and Alt on some systems.
  if (event.getModifierState('AltGraph') && ['[', ']', '#'].includes(key)) return key
  if (altKey || ['Control', 'Meta', 'Shift', 'Alt'].includes(key)) return undefined
  const letter = letterOf(event)
  if (/^\p{L}$/u.test(key)) lastLetterWasLatin = /^[a-z]$/i.test(key)
  // Punctuation is where the typed sign is; on another alphabet, where a US keyboard has it.
  const typed = (!lastLetterWasLatin && signs[code]?.[shiftKey ? 1 : 0]) || key
  // A Russian keyboard has it where a US one has `#`.
  const sign = typed === '№' ? '#' : typed
  const name = letter ?? (sign.length === 1 ? sign : key)
  const shift = shiftKey && (letter || name.length > 1) ? 'shift+' : ''
  return ctrlKey || metaKey ? `mod+${shift}${name}` : `${shift}${name}`
}

const isInPopup = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.closest('[role="menu"], [role="listbox"], [role="dialog"]') !== null ||
    target.getAttribute('aria-expanded') === 'true')

const isInField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  // Nobody types into a box that is ticked.
  !(target instanceof HTMLInputElement && ['checkbox', 'radio'].includes(target.type)) &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
