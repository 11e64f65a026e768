// An account of a server that delivers webhooks, on a database of its own, and their receiver.
import { pino } from 'pino'
import { entities } from '../server/entities.ts'
import { startDeliveries } from '../server/features/programs/webhooks/deliveries/deliveries.ts'
import type { Sending } from '../server/outgoing/sender.ts'
import { newAccount } from './account.ts'
import type { TestAccount } from './account.ts'
import { atEndOfFile } from './endings.ts'
import { openReceiver } from './receiver.ts'
import type { Receiver } from './receiver.ts'
import { scratchDatabase } from './scratch.ts'
import type { Scratch } from './scratch.ts'

export interface Delivering {
  account: TestAccount
  receiver: Receiver
  deliveries: Sending
  scratch: Scratch
  close(): Promise<void>
}

/**
 * The deliveries follow the clock of the account, and an attempt may take ten seconds, for slow machines.
 * `level` says from where on they write to the log of the test.
 */
export async function openDelivering({
  level = 'error',
}: { level?: 'error' | 'silent' } = {}): Promise<Delivering> {
  const scratch = await scratchDatabase()
  const receiver = await openReceiver()
  const account = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
  const deliveries = startDeliveries(account.kontor, entities, pino({ level }), {
    nowMs: () => Date.now() + account.clock.ahead * 1000,
    timeoutMs: 10_000,
  })
  await deliveries.ready
  return {
    account,
    receiver,
    deliveries,
    scratch,
    async close() {
      await deliveries.stop()
      await receiver.close()
      atEndOfFile(() => scratch.drop())
    },
  }
}
