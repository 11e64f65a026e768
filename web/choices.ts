// A choice that Enter or the space bar opens marks its present option before the next key, as one that
// an arrow opens. The component library marks it by a timer, which comes after the keys of somebody
// who types on: they chose from an unmarked list, and Enter took another option than the marked one.

const closedChoice = 'input[role="combobox"][readonly][aria-expanded="false"]'

/** Opens the choices of this page by an arrow, whichever key opens them. */
export function openChoicesByArrow(): void {
  addEventListener(
    'keydown',
    (event) => {
      const { key, target, ctrlKey, metaKey, altKey } = event
      if ((key !== 'Enter' && key !== ' ') || ctrlKey || metaKey || altKey) return
      if (!(target instanceof HTMLInputElement) || !target.matches(closedChoice)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      const arrow = { key: 'ArrowDown', code: 'ArrowDown', bubbles: true, cancelable: true }
      target.dispatchEvent(new KeyboardEvent('keydown', arrow))
    },
    { capture: true },
  )
}
