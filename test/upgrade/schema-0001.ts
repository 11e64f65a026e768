// An account in use, as the first schema (0001_foundation.sql) knew it, written in SQL: the code of that version is gone.
import sql from 'sql-template-tag'
import { readConfig } from '../../server/config.ts'
import type { Database } from '../../server/database/connect.ts'
import { hash, hashPassword, openSecrets, randomText } from '../../server/secrets.ts'
import { openSigning } from '../../server/signing.ts'
import type { Fixture } from './upgraded.ts'

export const secretKey = 'the key before and after'
/** Of the administrator. */
export const password = 'a password of before'
const now = Math.floor(Date.now() / 1000)

/** Programs hold this of the account: its pair of tokens, and the name of its integration. */
export interface Filled {
  client_id: string
  client_secret: string
  refresh_token: string
  access_token: string
  /** Of a user who may view own leads only. */
  limited_token: string
}

export const schema0001: Fixture<Filled> = {
  last: '0001_foundation.sql',
  tables: ['accounts', 'events', 'followers', 'journal', 'leads', 'notes'],
  events: [
    ['sale_field_changed', 'First'],
    ['lead_added', 'Second'],
    ['lead_added', 'First'],
  ],
  fill,
}

/** An account as the first version leaves one that is in use; every table gets rows. */
async function fill(database: Database, account: number): Promise<Filled> {
  const secrets = await openSecrets({ ...readConfig({}), secretKey })
  const signing = await openSigning(database, secrets, now)
  const [admin, limited, pipeline, status, tag, lead] = [1, 2, 3, 4, 5, 6].map(
    (index) => account * 100 + index,
  ) as [...[number, number, number, number, number, number]]
  const all = { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' }
  const none = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' }
  const rights = (leads: object, others: object) =>
    JSON.stringify({
      leads,
      contacts: others,
      companies: others,
      tasks: { edit: 'A', delete: 'A' },
      mail_access: true,
      catalog_access: true,
    })
  const own = { ...none, view: 'M', edit: 'M' }
  const client_secret = randomText(64)
  const refresh_token = `def50201-${account}-${randomText(128)}`
  const [crm, month] = [['crm', 'notifications'], 30 * 86_400]
  const client_id = await database.transaction(async (tx) => {
    await tx.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at) overriding system value
      values (${account}, ${`account-${account}`}, ${`Account ${account}`}, ${now}, ${now})`)
    await tx.list(
      sql`insert into groups (account_id, id, name) values (${account}, 0, 'Sales'), (${account}, ${account}, 'North')`,
    )
    await tx.list(sql`
      insert into users (account_id, id, name, email, password_hash, language, is_admin, rights, created_at, updated_at)
      values (${account}, ${admin}, 'Admin', ${`admin@${account}.example`}, ${await hashPassword(password)}, 'en', true,
              ${rights(all, all)}::jsonb, ${now}, ${now}),
             (${account}, ${limited}, 'Seller', ${`seller@${account}.example`}, null, 'en', false,
              ${rights(own, none)}::jsonb, ${now}, ${now})`)
    const made = (
      await tx.list<{ client_id: string }>(sql`
      insert into integrations (account_id, name, redirect_uri, secret, scopes, created_by, created_at, updated_at)
      values (${account}, 'Shop', 'https://example.com/', ${secrets.encrypt(client_secret)}, ${crm}, ${admin}, ${now}, ${now})
      returning client_id`)
    )[0]!.client_id
    await tx.list(sql`
      insert into installations (account_id, client_id, created_by, created_at) values (${account}, ${made}, ${admin}, ${now})`)
    await tx.list(sql`
      insert into grants (account_id, id, user_id, client_id, scopes, created_at, expires_at)
      values (${account}, 1, ${admin}, ${made}, ${crm}, ${now}, null), (${account}, 2, ${limited}, null, ${crm}, ${now}, ${now + month})`)
    await tx.list(sql`
      insert into authorization_codes (account_id, hash, client_id, user_id, created_at, used_at, grant_id)
      values (${account}, ${hash(`a code of ${account}`)}, ${made}, ${admin}, ${now - 60}, ${now - 50}, 1)`)
    await tx.list(sql`
      insert into refresh_tokens (account_id, hash, grant_id, created_at, expires_at)
      values (${account}, ${hash(refresh_token)}, 1, ${now}, ${now + month})`)
    await tx.list(
      sql`insert into pipelines (account_id, id, name, sort, is_main) values (${account}, ${pipeline}, 'Main', 1, true)`,
    )
    await tx.list(sql`
      insert into statuses (account_id, id, pipeline_id, name, sort, color, type)
      values (${account}, ${status + 90}, ${pipeline}, 'Incoming', 10, '#c1c1c1', 1), (${account}, ${status}, ${pipeline}, 'New', 20, '#99ccff', 0),
             (${account}, 142, ${pipeline}, 'Won', 10000, '#ccff66', 0), (${account}, 143, ${pipeline}, 'Lost', 11000, '#d5d8db', 0)`)
    await tx.list(
      sql`insert into tags (account_id, id, entity_type, name) values (${account}, ${tag}, 'leads', ${`tag of ${account}`})`,
    )
    await tx.list(sql`
      insert into leads (account_id, id, name, price, responsible_user_id, group_id, pipeline_id, status_id, created_by, updated_by,
                         created_at, updated_at, tag_ids)
      values (${account}, ${lead}, ${`First of ${account}`}, 10, ${admin}, 0, ${pipeline}, ${status}, ${admin}, ${admin}, ${now}, ${now}, array[${tag}]::bigint[]),
             (${account}, ${lead + 1}, ${`Second of ${account}`}, 20, ${limited}, 0, ${pipeline}, 142, ${admin}, ${admin}, ${now}, ${now}, '{}')`)
    await tx.list(sql`
      insert into notes (account_id, entity_type, entity_id, note_type, params, responsible_user_id, group_id, created_by, updated_by, created_at, updated_at)
      select account_id, 'leads', id, 'entity_added', '{}', responsible_user_id, 0, created_by, created_by, ${now}, ${now} from leads where account_id = ${account}`)
    await tx.list(sql`
      insert into events (account_id, id, type, entity_type, entity_id, created_by, created_at, value_before, value_after)
      select ${account}, ulid_time(${now}::bigint * 1000 + place) || lpad(to_hex(nextval('events_number')), 16, '0'), type, 'lead', id, ${admin}, ${now},
             value_before::json, value_after::json
        from (select entity_id - ${lead} + 1, 'lead_added', entity_id, '[]', '[{"note":{"id":' || id || '}}]' from notes where account_id = ${account}
              union all
              values (3, 'sale_field_changed', ${lead}::bigint, '[{"sale_field_value":{"sale":5}}]', '[{"sale_field_value":{"sale":10}}]'))
          as event(place, type, id, value_before, value_after)`)
    await tx.list(sql`
      insert into journal (account_id, entity_type, entity_id, actions, after, created_by, created_at)
      select account_id, 'leads', id, '{add}', row_to_json(leads), created_by, created_at from leads where account_id = ${account}`)
    await tx.list(sql`
      insert into followers (name, low_water, system_identifier, updated_at) values (${`follower ${account}`}, 1, 'x', ${now})`)
    return made
  })
  const claims = (grant_id: number, user_id: number, client: string | null) =>
    signing.sign(
      { account_id: account, grant_id, user_id, client_id: client, scopes: crm, exp: now + month },
      now,
      'localhost',
    )
  return {
    client_id,
    client_secret,
    refresh_token,
    access_token: await claims(1, admin, client_id),
    limited_token: await claims(2, limited, null),
  }
}
