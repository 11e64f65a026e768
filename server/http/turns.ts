// Large bodies take turns with everything else that the process does. Node.js does one thing at a
// time, and a body of some megabytes takes it 0.1 s. So a large body is read in steps, and in each
// round of the event loop all large bodies together get a millisecond: a request of somebody else
// needs five rounds or so, and waits for that many milliseconds at most.

/** Work that may pause wherever it yields. Between two yields it takes a millisecond at most. */
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

/** Does the work in turns. `spending` is called around each turn, and counts its time. */
export function inTurns<T>(
  steps: Steps<T>,
  spending: (turn: () => void) => void = (turn) => turn(),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const turn = (): boolean => {
      let isDone = false
      try {
        spending(() => {
          const end = performance.now() + turnMs
          do {
            const { done, value } = steps.next()
            isDone = done === true
            if (done) resolve(value)
          } while (!isDone && performance.now() < end)
        })
      } catch (error) {
        reject(error)
        return true
      }
      return isDone
    }
    waiting.push(turn)
    if (waiting.length === 1) setImmediate(nextTurn)
  })
}

/** Milliseconds. Two are felt by others twice as much; half of one makes large bodies slower. */
const turnMs = 1

/** The works that go on, the next one first. Each answers whether it is done. */
const waiting: (() => boolean)[] = []

function nextTurn(): void {
  const turn = waiting[0]!
  const isDone = turn()
  waiting.shift()
  if (!isDone) waiting.push(turn)
  if (waiting.length > 0) setImmediate(nextTurn)
}
