import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Database } from '../../../../database/connect.ts'
import { countUnbuilt, overdue } from './queries.ts'

/** How an attempt ended: with a valid answer, an invalid one, none, or by a failure of this machine. */
export type Outcome = 'valid' | 'invalid' | 'none' | 'own failure'

/** The counts of this process. */
export interface DeliveryCounts {
  attempt(outcome: Outcome): void
  /** Changes whose notices could not be built, and that were set aside. */
  unbuilt(count: number): void
}

/** Adds the metrics of deliveries, and answers the functions that count. */
export function measureDeliveries(
  metrics: Registry,
  database: Database,
  nowMs: () => number,
): DeliveryCounts {
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
  const setAside = new Counter({
    name: 'kontor_webhook_unbuilt_notices_total',
    help: 'Changes that this process has set aside because their notices could not be built',
    registers,
  })
  const unbuilt: Gauge = new Gauge({
    name: 'kontor_webhook_unbuilt_notices',
    help: 'Changes that are set aside now because their notices could not be built, of all processes; counted up to 10,000',
    registers,
    async collect() {
      const found = await database.row<{ count: number }>(countUnbuilt).catch(() => undefined)
      unbuilt.set(found?.count ?? NaN)
    },
  })
  return {
    attempt: (outcome) => attempts.inc({ outcome }),
    unbuilt: (count) => setAside.inc(count),
  }
}

interface Overdue {
  count: number
  /** Milliseconds. */
  age: number
}
