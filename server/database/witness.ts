// A witness sees what transactions do and may refuse it. Tests set one (test/witness.ts): verbs are sequences written by hand, and the
// witness notices a forgotten step. In production there is none, and asking whether there is costs nothing.

/** What is seen of one transaction. Each of these may throw: the transaction then rolls back and its caller hears the error. */
export interface Watch {
  /** Before a statement is sent. */
  statement(text: string): void
  /** After its rows have come. */
  answered(text: string, rows: readonly object[]): void
  /** Before the commit. */
  commit(): void
}

export interface Witness {
  /** Runs the work of a transaction with a watch of its own. */
  transaction<Result>(work: (watch: Watch) => Promise<Result>): Promise<Result>
  /** The rights of an actor to a table of records were asked for. */
  rightAsked(table: string): void
}

export let witness: Witness | undefined

export function setWitness(next: Witness | undefined): void {
  witness = next
}
