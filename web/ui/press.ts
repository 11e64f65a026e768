// A press counts for the control on which it began. The page moves by itself: an answer comes, a colleague changes a
// card, a field that loses the focus closes. A browser gives a click only to what is under the pointer at the beginning
// and at the end of a press, so a control that moves in between would miss it (decision 97).

const controls = `button, a[href], summary, label, input:is([type="checkbox"], [type="radio"]),
  [role="button"], [role="checkbox"], [role="menuitem"], [role="menuitemcheckbox"], [role="menuitemradio"],
  [role="option"], [role="radio"], [role="switch"], [role="tab"]`
/** A pointer that goes further has dragged, or has left on purpose. */
const farPixels = 4

interface Press {
  control: HTMLElement
  x: number
  y: number
}

let press: Press | undefined

/** Follows the presses on this page, for as long as it lives. A finger never misses: its click comes at its end. */
export function followPresses(): void {
  addEventListener('mousedown', begin, { capture: true })
  // Who scrolls moves the page on purpose.
  addEventListener('wheel', () => (press = undefined), { capture: true, passive: true })
  // Everybody else hears of the end first, as before a click of the browser.
  addEventListener('mouseup', end)
}

function begin({ button, target, clientX: x, clientY: y }: MouseEvent): void {
  const control = button === 0 && target instanceof Element && target.closest<HTMLElement>(controls)
  press = control ? { control, x, y } : undefined
}

function end(event: MouseEvent): void {
  const own = press
  press = undefined
  if (!own || event.button !== 0 || own.control.contains(event.target as Node)) return
  const { clientX, clientY, ctrlKey, metaKey, shiftKey, altKey } = event
  if (Math.hypot(clientX - own.x, clientY - own.y) > farPixels) return
  if (!hasMoved(own.control, clientX, clientY)) return
  own.control.dispatchEvent(
    new MouseEvent('click', {
      bubbles: true,
      cancelable: true,
      view: window,
      detail: 1,
      clientX,
      clientY,
      ctrlKey,
      metaKey,
      shiftKey,
      altKey,
    }),
  )
  // The browser gives its own click to an element that holds the control, which must not act on it too.
  addEventListener('click', swallow, { capture: true })
  setTimeout(() => removeEventListener('click', swallow, { capture: true }))
}

function swallow(click: MouseEvent): void {
  if (!click.isTrusted) return
  click.stopImmediatePropagation()
  click.preventDefault()
}

/** Whether a control lies in sight, away from the pointer. One that is still there is covered by what took the press. */
function hasMoved(control: HTMLElement, pointerX: number, pointerY: number): boolean {
  if (control.matches(':disabled')) return false
  const { left, right, top, bottom } = control.getBoundingClientRect()
  if (pointerX >= left && pointerX <= right && pointerY >= top && pointerY <= bottom) return false
  return control.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
}
