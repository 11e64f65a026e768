import { createHmac } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { send } from '../../../outgoing/guarded.ts'
import type { Kontor } from '../../../kontor.ts'
import { writtenByAdministrators } from '../../../outgoing/door.ts'

/** An integration that must be notified that an account no longer uses it. */
export interface HookNotice {
  url: string
  /** The account that owns the integration, whose administrators wrote the address. */
  owner_id: number
  account_id: number
  client_id: string
  client_secret: string
}

/** Time limit for an answer (interface: Uninstall hook). */
const patienceMs = 3000

/** Notifies each integration once; failures change nothing. Call it after the commit. */
export async function callUninstallHooks(
  { door }: Pick<Kontor, 'door'>,
  notices: HookNotice[],
  log?: Pick<FastifyBaseLogger, 'warn'>,
): Promise<void> {
  for (const { client_id, account_id, owner_id, ...notice } of notices) {
    const parameters = {
      account_id,
      client_uuid: client_id,
      client_id,
      signature: signatureOf({ client_id, account_id, ...notice }),
    }
    try {
      const permit = await door.permit(writtenByAdministrators(owner_id))
      await send(withParameters(notice.url, parameters), { timeoutMs: patienceMs, permit })
    } catch (error) {
      log?.warn({ err: error, client_id, account_id }, 'an uninstall hook was not reached')
    }
  }
}

/**
 * Signs the call: only the integration and Kontor know the secret (interface: Uninstall hook).
 */
export function signatureOf({
  client_id,
  account_id,
  client_secret,
}: Omit<HookNotice, 'url' | 'owner_id'>): string {
  return createHmac('sha256', client_secret).update(`${client_id}|${account_id}`).digest('hex')
}

function withParameters(address: string, parameters: Record<string, string | number>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters))
    url.searchParams.append(name, String(value))
  return url.href
}
