// An account in use, as the twenty-sixth schema (0026_channels.sql) knew it, written in SQL: what the
// twenty-second one had, and on top of it a webhook whose secret was renewed, API keys, unsorted items
// that wait and that were decided, and channels with their connections.
import { createHash, randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { readConfig } from '../../server/config.ts'
import type { Database } from '../../server/database/connect.ts'
import { hash, openSecrets, randomText } from '../../server/secrets.ts'
import { secretKey } from './schema-0001.ts'
import { schema0022 } from './schema-0022.ts'
import type { FilledWithWebhooks } from './schema-0022.ts'
import type { Fixture } from './upgraded.ts'

const now = Math.floor(Date.now() / 1000)

export interface FilledWithChannels extends FilledWithWebhooks {
  /** The key of the administrator. */
  apiKey: { id: number; api_key: string }
  /** The uid of an item that waits, its lead, and the id that is fixed for its contact. */
  item: { uid: string; lead: number; contact: number }
  /** A channel that the account owns and is connected to. */
  channel: { id: string; secret: string; code: string; scopeId: string }
  /** A channel that was deleted, and its code. */
  deleted: { id: string; code: string }
}

export const schema0026: Fixture<FilledWithChannels> = {
  last: '0026_channels.sql',
  tables: [
    ...schema0022.tables,
    'api_keys',
    'channel_connections',
    'channels',
    'unsorted_items',
    'webhook_secrets',
  ],
  events: schema0022.events,
  fill,
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

async function fill(database: Database, account: number): Promise<FilledWithChannels> {
  const filled = await schema0022.fill(database, account)
  const secrets = await openSecrets({ ...readConfig({}), secretKey })
  const [admin, pipeline, status] = [1, 3, 94].map((index) => account * 100 + index) as [
    number,
    number,
    number,
  ]
  const [waiting, accepted, declined] = [1, 2, 3].map((index) => account * 10 + index) as [
    number,
    number,
    number,
  ]
  const [lead, contact] = [account * 100 + 50, account * 100 + 51]
  const apiKey = { id: account * 10, api_key: `kontor-${account}-${randomText(40)}` }
  const item = { uid: sha256(`item of ${account}`).toString('hex').slice(0, 60), lead, contact }
  const secret = `the secret of the channel of ${account}`
  const metadata = { form_id: 'cb', form_name: 'Call back', ip: '192.0.2.9' }
  const data = {
    leads: [{ name: `Waiting of ${account}`, price: 5 }],
    contacts: [{ name: 'Ann' }],
    companies: [],
    notes: [],
  }
  const signing = () => secrets.encrypt(`whsec_${randomBytes(32).toString('base64')}`)
  const numbers = [account * 10, account * 10 + 1] as const
  const { channel, deleted } = await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into webhook_secrets (account_id, webhook_id, secret, created_at, ends_at)
      values (${account}, ${filled.webhooks.active}, ${signing()}, ${now - 86_400}, ${now + 86_400}),
             (${account}, ${filled.webhooks.active}, ${signing()}, ${now}, null)`)
    await tx.list(sql`
      insert into api_keys (account_id, id, user_id, name, hash, created_at, last_used_at)
      values (${account}, ${apiKey.id}, ${admin}, 'The old site', ${hash(apiKey.api_key)}, ${now - 86_400}, ${now - 7200}),
             (${account}, ${apiKey.id + 1}, ${admin + 1}, 'Never used', ${hash(randomText(40))}, ${now}, null)`)
    await tx.list(sql`
      insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, tag_ids, unsorted_id)
      values (${account}, ${lead}, ${`Waiting of ${account}`}, 5, ${admin}, 0, ${pipeline}, ${status}, ${admin}, ${admin}, ${now}, ${now},
              '{}', ${waiting})`)
    await tx.list(sql`
      insert into unsorted_items (account_id, id, uid, category, source_uid, source_name, pipeline_id, status_id, lead_ids, contact_ids,
                                  company_ids, content, metadata, data, client_id, result, created_by, updated_by, created_at, updated_at,
                                  decided_at)
      values (${account}, ${waiting}, ${item.uid}, 'forms', 'request-1', 'The site', ${pipeline}, ${status}, array[${lead}]::bigint[],
              array[${contact}]::bigint[], '{}', ${sha256('request-1')}, ${JSON.stringify(metadata)}, ${JSON.stringify(data)},
              ${filled.client_id}, null, ${admin}, ${admin}, ${now - 60}, ${now - 60}, null),
             (${account}, ${accepted}, ${sha256(`accepted of ${account}`).toString('hex').slice(0, 60)}, 'sip', 'request-2', 'The exchange',
              ${pipeline}, ${status}, array[${filled.ids.lead}]::bigint[], '{}', '{}', null, null, null, null, 'accepted', ${admin}, ${admin},
              ${now - 90}, ${now - 30}, ${now - 30}),
             (${account}, ${declined}, ${sha256(`declined of ${account}`).toString('hex').slice(0, 60)}, 'forms', 'request-1', 'The site',
              ${pipeline}, ${status}, array[${lead + 9}]::bigint[], '{}', array[${lead + 8}]::bigint[], null, null, null, null, 'declined',
              ${admin}, ${admin}, ${now - 90}, ${now - 80}, ${now - 80})`)
    const [amojo] = await tx.list<{ amojo_id: string }>(
      sql`select amojo_id from accounts where id = ${account}`,
    )
    const made = await tx.list<{ id: string; code: string }>(sql`
      insert into channels (account_id, number, name, bot_name, hook_v1, hook_v2, secret, client_id, allowed_accounts,
                            is_avatar_required, created_by, created_at, updated_at, deleted_at)
      values (${account}, ${numbers[0]}, 'Line', 'Line bot', null, 'https://line.example/hook/:scope_id', ${secrets.encrypt(secret)},
              ${filled.client_id}, array[gen_random_uuid()], false, ${admin}, ${now}, ${now}, null),
             (${account}, ${numbers[1]}, 'Gone', 'Gone bot', null, null, '', null, '{}', true, ${admin}, ${now}, ${now}, ${now})
      returning id, code`)
    const [channel, deleted] = [made[0]!, made[1]!]
    await tx.list(sql`
      insert into channel_connections (account_id, channel_id, title, hook_api_version, is_time_window_disabled, connected_at,
                                       disconnected_at, last_error, last_error_at, updated_at)
      values (${account}, ${channel.id}, 'Our line', 'v2', true, ${now}, null, 'It answered 500', ${now}, ${now}),
             (${account}, ${deleted.id}, 'Gone', 'v1', false, ${now}, ${now}, null, null, ${now})`)
    const scopeId = `${channel.id}_${amojo!.amojo_id}`
    return { channel: { ...channel, secret, scopeId }, deleted }
  })
  return { ...filled, apiKey, item, channel, deleted }
}
