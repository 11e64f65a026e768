import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Tx } from '../database/connect.ts'
import { createAccount } from '../features/accounts/accounts.ts'
import { createIntegration } from '../features/integrations/integrations.ts'
import type { Credentials } from '../features/integrations/integrations.ts'
import { fullRights } from '../access/rights.ts'
import { createLeads } from '../features/leads/leads.ts'
import { issueCode } from '../features/oauth/oauth.ts'
import { createPipeline } from '../features/pipelines/pipelines.ts'
import { createUser } from '../features/users/users.ts'
import type { Actor } from '../access/actor.ts'
import { newFaults } from '../http/batch.ts'
import type { Kontor } from '../kontor.ts'
import { randomText } from '../secrets.ts'

export interface Demo extends Credentials {
  subdomain: string
  email: string
  password: string
  code: string
}

/** Whether the server has no account yet. */
export async function isEmpty(kontor: Kontor): Promise<boolean> {
  return (await kontor.database.row(sql`select from accounts limit 1`)) === undefined
}

/**
 * Creates a demo account in one transaction: an administrator, two pipelines, forty leads with
 * tags, an integration and an authorization code. On a server that has a demo account it becomes
 * demo-2, demo-3 …
 */
export async function createDemo(kontor: Kontor): Promise<Demo> {
  const { database, secrets } = kontor
  const at = kontor.now()
  const password = randomText(16)
  return database.transaction(async (tx) => {
    const subdomain = await freeSubdomain(tx)
    const email = `admin@${subdomain}.example`
    const accountId = await createAccount(tx, at, { subdomain, name: 'Demo' })
    const userId = await createUser(tx, accountId, at, {
      name: 'Administrator',
      email,
      password,
      is_admin: true,
    })
    const actor: Actor = {
      accountId,
      subdomain,
      userId,
      at,
      groupId: 0,
      isAdmin: true,
      rights: fullRights,
      isUnpaid: false,
      requestId: randomUUID(),
      surface: 'server',
      clientId: null,
      scopes: ['crm'],
      emptyList: 200,
    }
    await createPipeline(tx, accountId, partnerPipeline)
    await addLeads(tx, actor)
    const redirect_uri = 'https://example.com/oauth'
    const integration = await createIntegration(tx, secrets, actor, {
      name: 'First integration',
      redirect_uri,
    })
    const code = await issueCode(tx, { accountId, clientId: integration.client_id, userId, at })
    return { ...integration, subdomain, email, password, code }
  })
}

async function freeSubdomain(tx: Tx): Promise<string> {
  const taken = await tx.rows<{ subdomain: string }>(
    sql`select subdomain from accounts where subdomain like 'demo%'`,
  )
  const names = taken.map(({ subdomain }) => subdomain)
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'demo' : `demo-${number}`
    if (!names.includes(name)) return name
  }
}

const partnerPipeline = {
  name: 'Partners',
  is_main: false,
  sort: 2,
  statuses: [
    { name: 'First talk', color: '#99ccff' },
    { name: 'Agreement', color: '#ffff99' },
    { name: 'Launch', color: '#ffcc66' },
  ],
}

const subjects = [
  'Website',
  'Annual service',
  'Office furniture',
  'Delivery of parts',
  'Training',
  'Warehouse lighting',
  'Roof repair',
  'Translation',
]
const occasions = ['first order', 'renewal', 'extension', 'trial', 'tender']
const tagNames = ['web', 'phone', 'fair', 'recommended', 'big', 'urgent']

/** Forty leads, spread over the statuses, prices and the last four weeks. */
async function addLeads(tx: Tx, actor: Actor): Promise<void> {
  const stages = await tx.rows<{ pipeline_id: number; status_id: number }>(sql`
    select pipeline_id, id as status_id from statuses where account_id = ${actor.accountId} and type = 0 order by pipeline_id, sort`)
  const items = Array.from({ length: 40 }, (_, index) => ({
    index,
    request_id: String(index),
    value: {
      name: `${subjects[index % subjects.length]}, ${occasions[index % occasions.length]}`,
      price: 1500 + ((index * 7919) % 97) * 500,
      ...stages[(index * 5) % stages.length]!,
      created_at: actor.at - (40 - index) * 60_000,
      _embedded: {
        tags: [
          { name: tagNames[index % 6]! },
          ...(index % 3 === 0 ? [{ name: tagNames[(index + 2) % 6]! }] : []),
        ],
      },
    },
  }))
  await createLeads(tx, actor, { items, faults: newFaults() })
}
