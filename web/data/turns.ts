// Writes that follow each other: one begins when the one before it has been answered, and at once where none is under
// way. Those that still wait when the page is left are sent then, in their order, in requests that outlive it (api.ts).

export interface Turns {
  /** Makes a write in its turn, and answers as it does. */
  take<Answer>(write: () => Promise<Answer>): Promise<Answer>
}

export function makeTurns(page: Pick<EventTarget, 'addEventListener'> = globalThis): Turns {
  const waiting: (() => void)[] = []
  let isBusy = false
  const hurry = () => {
    for (const start of waiting.splice(0)) start()
  }
  const next = () => {
    const start = waiting.shift()
    isBusy = start !== undefined
    start?.()
  }
  return {
    take: (write) =>
      new Promise((resolve) => {
        const start = async () => {
          const answer = write()
          await answer.catch(() => undefined)
          next()
          resolve(answer)
        }
        if (isBusy) {
          waiting.push(() => void start())
          if (waiting.length === 1) page.addEventListener('pagehide', hurry, { once: true })
          return
        }
        isBusy = true
        void start()
      }),
  }
}
