/** A latch that signals open and one reader waits for. */
export function newLatch() {
  let isOpen = false
  let release = (): void => undefined
  return {
    open: (): void => {
      isOpen = true
      release()
    },
    /**
     * Resolves once the latch opens, at once if it opened since the last wait, after `ms`
     * milliseconds at the latest.
     */
    opened: async (ms: number): Promise<void> => {
      if (!isOpen) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, ms)
        release = resolve
        await promise
        clearTimeout(timer)
      }
      isOpen = false
    },
  }
}
