// Where the focus goes when something appears or goes away: one rule for the whole application, and for
// the dialogs and menus of the component library, whose own timers come too late for somebody who types
// on. It acts right after the page has changed, before the next key (decision 87).
//
// - What appears as a dialog or a menu takes the focus, at `data-autofocus` where it has one.
// - An answer of the server that comes late takes no focus from a field in which somebody types.
// - When what has the focus goes, the focus returns to what had it before.
// - A focus that somebody asked for waits until its element is drawn.
// - Letters typed before a field that is on its way are kept for it.
// - A text that is opened has the cursor at its end.
import { useLayoutEffect } from 'react'
import { wait } from '../data/rest.ts'

interface Wish {
  find: () => HTMLElement | null | undefined
  onFocus: ((element: HTMLElement) => void) | undefined
  /** Where the user was; elsewhere nobody wants it any more. */
  path: string
  end: () => void
}

/** A focus that was asked for is given up after so many milliseconds. */
const patienceMs = 5000
/** A part that has come gives its field the focus within so many milliseconds. */
const arrivalMs = 200
const mostRemembered = 20

let wish: Wish | undefined
/** A list hides what it has not measured yet, and what is hidden takes no focus. */
const shown = new MutationObserver(() => resolve())
/** Fields that are on their way. */
let coming = 0
/** Ends of fields whose part has come: the field takes the focus next, or there is none. */
const arriving = new Set<() => void>()
/** The letters that were typed meanwhile. */
let typed = ''
/** What had the focus, the latest last, each with the address where it had it. */
let trail: { element: HTMLElement; path: string }[] = []
/** Text areas that have had the focus. */
const visited = new WeakSet<HTMLElement>()

/** The elements under which the application draws: extensions of the browser add dialogs to its page, too. */
const ours = '#root, [data-portal]'
const layers = '[role="dialog"], [role="menu"]'
const fields =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]'
const reachable = 'a[href], button, input, textarea, select, [tabindex]'

/** Follows the focus of this page, for as long as it lives. */
export function followFocus(): void {
  addEventListener('focusin', ({ target }) => remember(target as HTMLElement), { capture: true })
  addEventListener('keydown', keepLetters, { capture: true })
  // Who points somewhere has chosen another place.
  addEventListener('pointerdown', giveUp, { capture: true })
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof HTMLElement) welcome(node)
    resolve()
  }).observe(document.body, { childList: true, subtree: true })
}

/**
 * Puts the focus on the element that `find` finds, now or as soon as it is there and takes it. A later
 * wish, a click or another screen ends the waiting, and so do five seconds.
 */
export function focusWhenThere(
  find: () => HTMLElement | null | undefined,
  {
    isField = false,
    onFocus,
  }: { isField?: boolean; onFocus?: (element: HTMLElement) => void } = {},
): void {
  wish?.end()
  const ends = [wait('a focus'), ...(isField ? [expectField()] : [])]
  const timer = setTimeout(() => own.end(), patienceMs)
  const own: Wish = {
    find,
    onFocus,
    path: location.pathname,
    end() {
      clearTimeout(timer)
      for (const end of ends) end()
      if (wish !== own) return
      wish = undefined
      shown.disconnect()
    },
  }
  wish = own
  resolve()
  if (wish === own)
    shown.observe(document.body, { subtree: true, attributeFilter: ['style', 'class', 'disabled'] })
}

/**
 * Gives the focus of a part that closes to what `find` finds. Where the focus is elsewhere it stays: a part that an
 * answer closes late interrupts nobody.
 */
export function focusAfter(
  part: Element | null | undefined,
  find: () => HTMLElement | null | undefined,
): void {
  if (isFocusLost() || part?.contains(document.activeElement)) focusWhenThere(find)
}

/** Keeps letters for a field that is on its way, until the function that it answers is called. */
export function expectField(): () => void {
  let isOver = false
  coming++
  return () => {
    if (isOver) return
    isOver = true
    // A dialog is drawn in steps after its code has come: its field has the focus later than this.
    const hasCome = wait('the field of a part')
    const timer = setTimeout(() => end(), arrivalMs)
    const end = () => {
      arriving.delete(end)
      clearTimeout(timer)
      coming--
      hasCome()
      insertTyped()
    }
    arriving.add(end)
    queueMicrotask(insertTyped)
  }
}

/** Keeps letters for a field that is on its way while `isComing`. */
export function useComingField(isComing: boolean): void {
  useLayoutEffect(() => (isComing ? expectField() : undefined), [isComing])
}

/** Stands in for a part whose first field is on its way. */
export function ComingField(): undefined {
  useComingField(true)
  useLayoutEffect(() => wait('a part'), [])
}

/** A field has the focus: what comes by itself must not take it. */
export const isTyping = (): boolean => document.activeElement?.matches(fields) === true

/** Nothing has the focus: what had it is gone. */
export const isFocusLost = (): boolean =>
  document.activeElement === null || document.activeElement === document.body

function remember(element: HTMLElement): void {
  // Browsers put the cursor before the text; somebody who opens a text goes on behind it. A click moves it later.
  if (element instanceof HTMLTextAreaElement && !visited.has(element)) {
    visited.add(element)
    if (element.selectionEnd === 0)
      element.setSelectionRange(element.value.length, element.value.length)
  }
  trail = trail.filter((each) => each.element !== element && each.element.isConnected)
  // Of a dialog, the latest is enough: what had the focus before it must not be forgotten.
  const layer = element.closest(layers)
  if (layer && trail.at(-1)?.element.closest(layers) === layer) trail.pop()
  if (layer && layer !== element) bearFocus(layer, element)
  trail.push({ element, path: location.pathname })
  if (trail.length > mostRemembered) trail.shift()
  if (typed !== '' || arriving.size > 0) queueMicrotask(insertTyped)
}

/**
 * The library's trap puts the focus on `data-autofocus` by timers, also after a key has moved it: what has the focus
 * bears the mark.
 */
function bearFocus(layer: Element, element: HTMLElement): void {
  for (const each of layer.querySelectorAll('[data-autofocus]'))
    each.removeAttribute('data-autofocus')
  element.setAttribute('data-autofocus', 'true')
}

/** A dialog or a menu that appears takes the focus, and so does a part that asks for it. */
function welcome(node: HTMLElement): void {
  if (!node.isConnected || !node.closest(ours)) return
  const layer = node.matches(layers) ? node : node.querySelector<HTMLElement>(layers)
  const wanted = node.matches('[data-autofocus]')
    ? node
    : node.querySelector<HTMLElement>('[data-autofocus]')
  // The library's trap looks for the focus by timers of 0 ms, which it has set before this one.
  if (layer) setTimeout(wait('the focus of a layer'))
  const container = layer ?? wanted?.closest<HTMLElement>(layers)
  const { activeElement } = document
  if (layer?.contains(activeElement)) return
  // Who types in a field of the same dialog goes on there.
  if (!layer && container?.contains(activeElement) && activeElement?.matches(fields)) return
  const target = wanted ?? (layer && firstReachable(layer))
  target?.focus({ preventScroll: true })
}

function firstReachable(layer: HTMLElement): HTMLElement | undefined {
  const all = [...layer.querySelectorAll<HTMLElement>(reachable)].filter((each) => takesFocus(each))
  return all.find(({ tabIndex }) => tabIndex >= 0) ?? all[0]
}

const takesFocus = (element: HTMLElement): boolean =>
  element.isConnected && !element.matches(':disabled') && element.checkVisibility()

function resolve(): void {
  if (wish) {
    if (location.pathname !== wish.path) return wish.end()
    const target = wish.find()
    if (target?.isConnected) {
      target.focus({ preventScroll: true })
      if (document.activeElement !== target) return
      const { onFocus } = wish
      wish.end()
      onFocus?.(target)
    }
    return
  }
  const last = trail.at(-1)
  if (!last || last.element.isConnected || !isFocusLost()) return
  trail = trail.filter(({ element }) => element.isConnected)
  for (const { element, path } of trail.toReversed())
    if (path === location.pathname && takesFocus(element)) {
      element.focus({ preventScroll: true })
      if (document.activeElement === element) return
    }
}

function giveUp(): void {
  wish?.end()
  typed = ''
  for (const end of arriving) end()
}

function keepLetters(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey } = event
  if (key === 'Tab') {
    wish?.end()
    // The keys after it are meant for another place, unless a text waits for its field.
    if (typed === '') for (const end of arriving) end()
  }
  if (coming === 0 || ctrlKey || metaKey || altKey) return
  if (isTyping()) return
  if (key === 'Escape') return giveUp()
  if (key === 'Backspace') typed = typed.slice(0, -1)
  else if (key.length === 1) typed += key
  else return
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Types the letters that were kept into the field that has the focus now. */
function insertTyped(): void {
  const text = typed
  if (isTyping()) {
    typed = ''
    // It is undone like typing, and the field hears of it like typing.
    if (text !== '') document.execCommand('insertText', false, text)
    for (const end of arriving) end()
  } else if (coming === 0) typed = ''
}
