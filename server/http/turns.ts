// Large bodies take turns with everything else that the process does. Node.js does one thing at a
// time, and a body of some megabytes takes it 0.1 s. So a large body is read in steps, and in each
// round of the event loop all large bodies together get a millisecond: a request of somebody else
// needs five rounds or so, and waits for that many milliseconds. Callers have their turns one after
// the other, however many bodies each of them sends.

/** Work that may pause wherever it yields: after a millisecond, as a rule. */
export type Steps<T> = Generator<void, T, void>

/** Work that never pauses, as steps. */
export function* inOneStep<T>(work: () => T): Steps<T> {
  yield
  return work()
}

/** Does the work without a pause. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

export interface TurnTaker {
  /** Its works share the turns of one caller. */
  caller: string
  /** Called around each turn; counts its time. */
  spending(turn: () => void): void
  /** Whether nobody waits for the work any more. It ends then. */
  isGone(): boolean
}

/** Does the work in turns. Rejects with `Gone` where nobody waits for it any more. */
export function inTurns<T>(steps: Steps<T>, taker: TurnTaker): Promise<T> {
  return new Promise((resolve, reject) => {
    const work = (): boolean => {
      let isDone = false
      const end = performance.now() + turnMs
      do {
        const { done, value } = steps.next()
        isDone = done === true
        if (done) resolve(value)
      } while (!isDone && performance.now() < end)
      return isDone
    }
    const turn = (): boolean => {
      let isDone = true
      try {
        if (taker.isGone()) throw new Gone()
        taker.spending(() => (isDone = work()))
      } catch (error) {
        reject(error)
        return true
      }
      return isDone
    }
    const works = waiting.get(taker.caller)
    if (works) works.push(turn)
    else waiting.set(taker.caller, [turn])
    if (waiting.size === 1 && !works) setImmediate(nextTurn)
  })
}

/** The request has ended before its work was done. */
export class Gone extends Error {}

/** Milliseconds. Two are felt by others twice as much; half of one makes large bodies slower. */
const turnMs = 1

/** The works of each caller that go on, and each begins with the next one. A turn answers whether its work is done. */
const waiting = new Map<string, (() => boolean)[]>()

function nextTurn(): void {
  const [caller, works] = waiting.entries().next().value!
  const turn = works.shift()!
  const isDone = turn()
  if (!isDone) works.push(turn)
  waiting.delete(caller)
  if (works.length > 0) waiting.set(caller, works)
  if (waiting.size > 0) setImmediate(nextTurn)
}
