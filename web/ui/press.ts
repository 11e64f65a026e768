// A press counts for the control on which it began. The page moves by itself: an answer comes, a colleague changes a
// card, a field that loses the focus closes. A browser gives a click only to what is under the pointer at the beginning
// and at the end of a press, so a control that moves in between would miss it (decision 97).

const controls =
  'button, a[href], summary, [role="button"], [role="menuitem"], [role="option"], [role="tab"]'
/** A pointer that goes further has dragged, or has left on purpose. */
const farPixels = 4

interface Press {
  control: HTMLElement
  /** Where the control stood. */
  box: DOMRect
  x: number
  y: number
}

let press: Press | undefined

/** Follows the presses on this page, for as long as it lives. A finger never misses: its click comes at its end. */
export function followPresses(): void {
  addEventListener('mousedown', begin, { capture: true })
  addEventListener('mouseup', end, { capture: true })
  addEventListener('dragstart', () => (press = undefined), { capture: true })
}

function begin({ button, target, clientX: x, clientY: y }: MouseEvent): void {
  const control = button === 0 && (target as Element).closest<HTMLElement>(controls)
  press = control ? { control, box: control.getBoundingClientRect(), x, y } : undefined
}

function end(event: MouseEvent): void {
  const own = press
  press = undefined
  if (!own || event.button !== 0 || own.control.contains(event.target as Node)) return
  if (Math.hypot(event.clientX - own.x, event.clientY - own.y) > farPixels) return
  if (!hasMoved(own)) return
  const { ctrlKey, metaKey, shiftKey, altKey } = event
  own.control.dispatchEvent(
    new MouseEvent('click', {
      bubbles: true,
      cancelable: true,
      view: window,
      ctrlKey,
      metaKey,
      shiftKey,
      altKey,
    }),
  )
}

/** Whether the control can still be pressed, elsewhere. Where it stayed, something that covers it took the press. */
function hasMoved({ control, box }: Press): boolean {
  if (control.matches(':disabled, [inert] *') || !control.checkVisibility()) return false
  const { x, y, width, height } = control.getBoundingClientRect()
  return x !== box.x || y !== box.y || width !== box.width || height !== box.height
}
