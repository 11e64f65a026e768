/**
 * Waits for statements that travel together, in the order in which they were sent. Where one fails,
 * the database refuses the rest of its transaction (25P02): the cause is thrown, not what follows.
 */
export async function together<Sent extends readonly unknown[]>(
  sent: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  const results = await Promise.allSettled(sent)
  const reasons = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  if (reasons.length > 0) throw reasons.find((reason) => !isConsequence(reason)) ?? reasons[0]
  return results.map((each) => (each as PromiseFulfilledResult<unknown>).value) as never
}

const isConsequence = (reason: unknown): boolean =>
  (reason as { code?: unknown } | undefined)?.code === '25P02'
