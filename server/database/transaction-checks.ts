// Checks see the statements of transactions and may refuse them. Tests set them
// (test/transaction-checks.ts): verbs are sequences written by hand, and the checks notice a forgotten step.
// In production there is none, and the check costs nothing.

/**
 * The hooks of one transaction. Each may throw: the transaction then rolls back and its caller gets
 * the error.
 */
export interface Watch {
  /** Called before a statement is sent. */
  statement(text: string): void
  /** Called with the rows of a statement. */
  answered(text: string, rows: readonly object[]): void
  /** Called when a verb asks for the time of its change. */
  timeRead(): void
  /** Called before the commit. */
  commit(): void
}

export interface TransactionChecks {
  /** Runs the work of a transaction with a watch of its own. */
  transaction<Result>(work: (watch: Watch) => Promise<Result>): Promise<Result>
  /** Called when a verb asks for the actor's rights to a table of records. */
  rightChecked(table: string): void
}

export let transactionChecks: TransactionChecks | undefined

export function setTransactionChecks(next: TransactionChecks | undefined): void {
  transactionChecks = next
}
