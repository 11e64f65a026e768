import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Database } from '../../../../database/connect.ts'
import { waitingCallbacks } from './queries.ts'
import type { CallbackOutcome } from './schedule.ts'

/** Adds the metrics of callbacks, and answers the function that counts an attempt. */
export function measureCallbacks(
  metrics: Registry,
  database: Database,
  nowMs: () => number,
): (result: CallbackOutcome['result']) => void {
  const registers = [metrics]
  const ends = new Counter({
    name: 'kontor_chat_callbacks_total',
    help: 'Attempts of this process to send callbacks to chat channels, by outcome: sent, repeated, failed, own failure',
    labelNames: ['outcome'],
    registers,
  })
  const waiting: Gauge = new Gauge({
    name: 'kontor_chat_callbacks_waiting',
    help: 'Callbacks to chat channels that have not ended, scheduled repeats included, of all processes; counted up to 10,000',
    registers,
    async collect() {
      const found = await database.row<WaitingCallbacks>(waitingCallbacks).catch(() => undefined)
      waiting.set(found?.count ?? NaN)
      age.set(found ? Math.max(0, nowMs() - (found.since ?? nowMs())) / 1000 : NaN)
    },
  })
  const age: Gauge = new Gauge({
    name: 'kontor_chat_callbacks_age_seconds',
    help: 'For how long the oldest of them has waited',
    registers,
  })
  return (outcome) => ends.inc({ outcome })
}

interface WaitingCallbacks {
  count: number
  /** Milliseconds since 1970. */
  since: number | null
}
