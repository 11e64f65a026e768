/** Something that rings, and someone who waits for it. */
export function newLatch() {
  let rung = false
  let answer = (): void => undefined
  return {
    open: (): void => {
      rung = true
      answer()
    },
    /** Resolves when it rings, at once if it rang since the last wait, after `ms` at the latest. */
    opened: async (ms: number): Promise<void> => {
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, ms)
        answer = resolve
        await promise
        clearTimeout(timer)
      }
      rung = false
    },
  }
}
