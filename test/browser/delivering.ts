// An account of a server that delivers webhooks, on a database of its own, and their receiver.
import { pino } from 'pino'
import { entities } from '../../server/app.ts'
import { startDeliveries } from '../../server/features/webhooks/deliveries/deliveries.ts'
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { atEndOfFile } from '../endings.ts'
import { openReceiver } from '../receiver.ts'
import type { Receiver } from '../receiver.ts'
import { scratchDatabase } from '../scratch.ts'

export interface Delivering {
  account: TestAccount
  receiver: Receiver
  close(): Promise<void>
}

/** `settings` of the deliveries, such as the clock of the account. */
export async function openDelivering(
  settings: (account: TestAccount) => Parameters<typeof startDeliveries>[3] = () => ({}),
): Promise<Delivering> {
  const scratch = await scratchDatabase()
  const receiver = await openReceiver()
  const account = await newAccount({ databaseUrl: scratch.url, privateHooks: 'loopback' })
  const log = pino({ level: 'error' })
  const deliveries = startDeliveries(account.kontor, entities, log, settings(account))
  await deliveries.ready
  return {
    account,
    receiver,
    async close() {
      await deliveries.stop()
      await receiver.close()
      atEndOfFile(() => scratch.drop())
    },
  }
}
