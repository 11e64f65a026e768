// An input method that composes a word uses Enter, Escape and the arrows for itself. Nothing of the application
// hears them: a word that is chosen with Enter would send the note, and one that is dropped with Escape close the card.

/** The code of keys that an input method has taken; Safari says only this of the Enter that ends a word. */
const taken = 229

/** Leaves the keys of a composing input method alone. Called before anything else listens to keys. */
export function leaveComposing(): void {
  const leave = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === taken) event.stopImmediatePropagation()
  }
  addEventListener('keydown', leave, { capture: true })
}
