/** Something that rings, and someone who waits for it. */
export function bell() {
  let rung = false
  let answer = (): void => undefined
  return {
    ring: (): void => {
      rung = true
      answer()
    },
    /** Resolves when it rings, at once if it rang since the last wait, after `ms` at the latest. */
    rings: async (ms: number): Promise<void> => {
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
