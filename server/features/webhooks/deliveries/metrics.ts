import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Database } from '../../../database/connect.ts'
import { overdue } from './queries.ts'

/** How an attempt ended: with a valid answer, an invalid one, none, or by a failure of this machine. */
export type Outcome = 'valid' | 'invalid' | 'none' | 'own failure'

/** Adds the metrics of deliveries. Answers the function that counts an attempt of this process. */
export function measureDeliveries(
  metrics: Registry,
  database: Database,
  nowMs: () => number,
): (outcome: Outcome) => void {
  const registers = [metrics]
  const attempts = new Counter({
    name: 'kontor_webhook_attempts_total',
    help: 'Attempts of this process to deliver to webhooks, by outcome: valid, invalid, none (no answer), own failure',
    labelNames: ['outcome'],
    registers,
  })
  const waiting: Gauge = new Gauge({
    name: 'kontor_webhook_deliveries_due',
    help: 'Deliveries to webhooks that are due, of all processes; scheduled retries do not count',
    registers,
    async collect() {
      const late = await database.row<Overdue>(overdue(nowMs())).catch(() => undefined)
      waiting.set(late?.count ?? NaN)
      age.set(late ? late.age / 1000 : NaN)
    },
  })
  const age: Gauge = new Gauge({
    name: 'kontor_webhook_deliveries_age_seconds',
    help: 'For how long the delivery that is due longest has waited',
    registers,
  })
  return (outcome) => attempts.inc({ outcome })
}

interface Overdue {
  count: number
  /** Milliseconds. */
  age: number
}
