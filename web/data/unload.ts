// A page that holds something the server has not got yet is not left without a question.

/** Has the browser ask before it leaves the page while `isWaiting` answers true; for modules only. */
export function askBeforeLeaving(isWaiting: () => boolean): void {
  addEventListener('beforeunload', (event) => {
    if (isWaiting()) event.preventDefault()
  })
}
