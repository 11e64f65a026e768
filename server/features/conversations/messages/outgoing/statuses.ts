// The states of an outgoing message that its channel tells (interface: Delivery statuses); pure. The
// ladder is sending, sent, delivered, read, and nothing steps down it. An error is no step of it: a
// channel that was slow to answer, and delivers the message after all, takes the error away.
import type { MessageStatus } from '../schema.ts'
import type { MessageError } from './schedule.ts'

/** The state that a channel tells: 1 delivered, 2 read, -1 error. */
export type ReportedStatus = 1 | 2 | -1

const ladder: readonly MessageStatus[] = ['sending', 'sent', 'delivered', 'read']

/** The state that a message takes; undefined: it keeps its own. */
export function statusAfter(
  status: MessageStatus,
  reported: ReportedStatus,
): MessageStatus | undefined {
  if (reported === -1) return status === 'sending' || status === 'sent' ? 'error' : undefined
  const next = reported === 1 ? 'delivered' : 'read'
  return ladder.indexOf(status) < ladder.indexOf(next) ? next : undefined
}

/** The texts of the codes that a channel may send without one. */
const texts: Record<number, string> = {
  901: 'The user has deleted the conversation',
  902: 'The integration is disabled on the side of the channel',
  903: 'The channel had an internal error',
  904: 'The conversation cannot be created',
}

/** The error of a message with the code that a channel sent, and its text where it sent one. */
export function reportedError(error_code: number, error = ''): MessageError {
  return { error_code, error: error.trim() === '' ? (texts[error_code] ?? '') : error }
}
