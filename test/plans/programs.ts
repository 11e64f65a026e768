// The rows that webhooks, their deliveries and API keys read.
import { apiKeyAccess } from '../../server/access/api-keys.ts'
import { authors } from '../../server/features/activity/notes/webhook.ts'
import { notificationPage } from '../../server/features/activity/notifications/queries.ts'
import {
  apiKeyPage,
  countApiKeys,
  removeApiKey,
} from '../../server/features/programs/api-keys/queries.ts'
import {
  deliveryPage,
  health,
  oneDelivery,
  replayable,
} from '../../server/features/programs/webhooks/deliveries/log-queries.ts'
import type { FinishedAttempt } from '../../server/features/programs/webhooks/deliveries/queries.ts'
import {
  countInvalid,
  dueDeliveries,
  endDeliveriesOfDisabled,
  keepAttempts,
  keepWarnings,
  lockSubscriptions,
  overdue,
  sendingSubscriptions,
  signingOf,
  subscriptionsOf,
  switchOff,
} from '../../server/features/programs/webhooks/deliveries/queries.ts'
import {
  dropBodies,
  dropDeliveries,
  nextAccount,
  nextWebhook,
} from '../../server/features/programs/webhooks/deliveries/retention.ts'
import {
  nextUnbuilt,
  unbuiltPage,
} from '../../server/features/programs/webhooks/deliveries/unbuilt.ts'
import { signatureStates } from '../../server/features/programs/webhooks/signatures.ts'
import { companiesOfContacts } from '../../server/features/records/contacts/webhook.ts'
import { leadsLinkedWith, tagNames } from '../../server/records/webhook.ts'
import { admin } from '../actor.ts'
import { read } from '../plans.ts'
import { plans, scratch } from './fixture.ts'
import type { Sql } from 'sql-template-tag'
import { default as sql } from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'

/** The tests of these plans. */
export function programsPlans(): void {
  // A batch of the follower has up to 500 changes.
  test('what the notices of webhooks lack is looked up by keys, also by named statements', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => index + 1)
    const rows: [Sql, RegExp, most: number][] = [
      [leadsLinkedWith(2, 'companies', ids), /links/, 500 * 500],
      [leadsLinkedWith(1, 'contacts', ids), /links/, 500 * 5],
      [companiesOfContacts(1, ids), /links/, 2 * 500],
      [tagNames(1, ids), /tags/, 500],
      [authors(1, ids), /users/, 500],
    ]
    for (const [statement, tables, most] of rows) {
      const steps = await plans.explain(statement)
      expect(read(steps, tables)).toBeLessThanOrEqual(most)
      const named = await plans.explainNamed(statement)
      const scanned = named.filter((step) => step['Node Type'] === 'Seq Scan')
      expect(scanned.map((step) => step['Relation Name'])).toEqual([])
    }
    const [first] = await scratch.database.list<{ leads: number[] }>(
      leadsLinkedWith(2, 'companies', [12]),
    )
    expect(first!.leads).toHaveLength(490)
  })

  describe('deliveries', () => {
    const each = 20_000
    const [hook, other] = [5001, 5002]
    const page = { after: undefined, offset: 0, limit: 51 }
    const at = 1_000_000
    const asking = { ...admin, at }

    // Of two webhooks; every hundredth delivery failed, and the oldest wait.
    beforeAll(async () => {
      const { database } = scratch
      await database.list(sql`
      insert into webhooks (account_id, id, destination, settings, sort, after_journal_id, created_by, created_at, updated_at)
      select 1, id, 'https://deliveries.example/' || id, '{add_lead}', 1, 0, 1, 1, 1 from unnest(${[hook, other]}::bigint[]) id`)
      await database.list(sql`
      insert into webhooks (account_id, id, destination, settings, sort, after_journal_id, created_by, created_at, updated_at)
      select 3, n, 'https://deliveries.example/' || n, '{add_lead}', 1, 0, 1, 1, 1 from generate_series(6001, 8000) n`)
      await database.list(sql`
      insert into deliveries (account_id, id, webhook_id, body_id, event, records, created_at, attempts, due_at, state)
      select 1, n, case n % 2 when 0 then ${hook}::bigint else ${other}::bigint end, n, 'add_lead', '{leads 1}', n * 50, 1,
             case when n <= 20 then n * 50 + 300000 end,
             case when n <= 20 then 'waiting' when n % 200 = 0 then 'failed' else 'delivered' end
        from generate_series(1, ${each}::int) n`)
      await database.list(sql`
      insert into delivery_bodies (account_id, id, format, body, created_at)
      select 1, n, 'form', 'a=1', n * 50 from generate_series(1, ${each}::int) n`)
      await database.list(sql`
      insert into delivery_attempts (account_id, delivery_id, number, webhook_id, status, milliseconds, ended_at, is_counted)
      select account_id, id, 1, webhook_id, case state when 'failed' then 500 else 200 end, 1, ${at}::bigint * 1000 - 1, true from deliveries`)
      await database.list(sql`
      insert into notifications (account_id, user_id, kind, values, created_at)
      select 1, n % 100, 'webhook_failing', '{}', 1 from generate_series(1, ${each}::int) n`)
      await database.list(sql`
      insert into unbuilt_notices (account_id, journal_id, change, error, created_at)
      select 1 + n % 2, n, '{"entity_type": "leads", "entity_id": 1}', 'Error', n from generate_series(1, ${each}::int) n`)
      await database.list(sql`
      insert into webhook_secrets (account_id, webhook_id, secret, created_at, ends_at)
      select account_id, id, '', 1, ends_at from webhooks, unnest(array[null, ${at * 2}]::bigint[]) ends_at
       where id = ${hook} or id between 6001 and 8000`)
      await database.list(
        sql`analyze deliveries, unbuilt_notices, webhook_secrets, delivery_bodies, delivery_attempts, notifications, webhooks`,
      )
    })

    const searchCases: [
      name: string,
      statement: Sql,
      matching: number,
      reads: RegExp,
      most: number,
    ][] = [
      ['a page', deliveryPage(admin, hook, {}, page), 51, /deliveries|attempts/, 102],
      [
        'a later page',
        deliveryPage(admin, hook, {}, { ...page, after: { key: 9000, id: 9000 } }),
        51,
        /deliveries|attempts/,
        102,
      ],
      [
        'failed ones',
        deliveryPage(admin, hook, { state: ['failed'] }, page),
        51,
        /deliveries|attempts/,
        102,
      ],
      [
        'waiting ones',
        deliveryPage(admin, hook, { state: ['waiting'] }, page),
        10,
        /deliveries|attempts/,
        20,
      ],
      ['one', oneDelivery(admin, hook, 4000), 1, /deliver/, 3],
      [
        'what can be replayed',
        replayable(admin, hook, ['failed', 'held'], {}, 0, 5000),
        100,
        /deliveries/,
        100,
      ],
      ['the health of one', health(asking, { id: hook }), 101, /attempts/, 102],
      ['the notifications', notificationPage(admin, undefined, page), 51, /notifications/, 5000],
      ['what could not be built', unbuiltPage(admin, page), 51, /unbuilt/, 51],
      ['what could not be built, to be built', nextUnbuilt(admin, 9000, 500), 500, /unbuilt/, 500],
      ['how one signs', signingOf(1, hook), 1, /secrets/, 2],
      ['the signatures of one', signatureStates(asking, { id: hook }), 1, /secrets/, 2],
    ]
    test.for(searchCases)('%s', async ([name, statement, matching, reads, most]) => {
      const prepared = name.endsWith(' page') ? [await plans.explainPrepared(statement)] : []
      for (const steps of [await plans.explain(statement), ...prepared]) {
        plans.judge(steps, matching)
        expect(read(steps, reads)).toBeLessThanOrEqual(most)
      }
    })

    // The sender and the clean-up serve all accounts: they walk the indexes from account to account.
    const now = at * 1000
    const lane = (webhook_id: number) => ({ account_id: 1, webhook_id, known: [4, 6], room: 64 })
    const shards = Array.from({ length: 16 }, (_, shard) => shard)
    const webhook = { account_id: 1, id: hook }
    const finished: FinishedAttempt[] = [2, 3].map((delivery_id) => ({
      account_id: 1,
      webhook_id: hook,
      delivery_id,
      number: 2,
      status: 200,
      error: null,
      answer: null,
      milliseconds: 1,
      ended_at: now,
      is_counted: true,
      due_at: null,
      state: 'delivered',
    }))
    const served: [name: string, statement: Sql, reads: RegExp, most: number][] = [
      [
        'who has something to send',
        sendingSubscriptions(shards, 16, [webhook], now),
        /deliveries/,
        3,
      ],
      ['who may still send', sendingSubscriptions(shards, 16, [webhook], now), /webhooks/, 2],
      ['who may send in one shard', sendingSubscriptions([2], 16, [], now), /webhooks/, 1],
      ['what lanes lack', dueDeliveries([lane(hook), lane(other)], now), /deliver/, 60],
      ['what ended', keepAttempts(finished), /deliver/, 8],
      ['invalid answers', countInvalid([webhook], now), /attempts|webhooks/, 103],
      ['a warning', keepWarnings([{ ...webhook, warned: 50 }], now), /webhooks/, 1],
      ['switching off', switchOff([webhook], now), /webhooks/, 1],
      ['what is held for one that is off', lockSubscriptions([webhook]), /webhooks/, 1],
      ['what waits for those that are off', endDeliveriesOfDisabled(shards, 16), /deliver/, 33],
      ['what is late', overdue(now), /deliver|webhooks/, 112],
      ['the subscriptions of accounts', subscriptionsOf([1]), /webhooks/, 102],
      [
        'the next webhook with deliveries',
        nextWebhook({ account_id: 1, webhook_id: 0 }),
        /deliveries/,
        1,
      ],
      [
        'old deliveries',
        dropDeliveries({ account_id: 1, webhook_id: hook, is_removed: false }, 0, 500_000),
        /deliver/,
        4000,
      ],
      ['the next account with bodies', nextAccount(0), /bodies/, 1],
      ['old bodies', dropBodies(1, 0, 500_000), /deliver/, 4000],
    ]
    test.for(served)('%s', async ([, statement, reads, most]) => {
      const [steps, named] = [await plans.explain(statement), await plans.explainNamed(statement)]
      // The few accounts of the test are read as a whole.
      for (const { 'Node Type': type, 'Relation Name': table } of [...steps, ...named])
        if (table !== 'accounts') expect([type, table]).not.toEqual(['Seq Scan', table])
      for (const { 'Node Type': type, Plans: [below] = [] } of steps)
        if (type.endsWith('Sort')) expect(below!['Actual Rows']).toBeLessThanOrEqual(most)
      expect(read(steps, reads)).toBeLessThanOrEqual(most)
    })
  })

  describe('API keys', () => {
    const table = /api_keys/
    const asking = { ...admin, accountId: 8 }
    const page = { after: undefined, offset: 0, limit: 51 }
    const later = { ...page, after: { key: 9000, id: 9000 } }
    const sent = { key: '7', login: '8@keys.example', subdomain: undefined }

    // Accounts of their own, with 5,000 users and four keys of each.
    beforeAll(async () => {
      const { database } = scratch
      await database.list(sql`
      insert into accounts (id, subdomain, name, created_at, updated_at)
      values (8, 'keys', 'Keys', 0, 0), (9, 'more-keys', 'More keys', 0, 0)`)
      await database.list(sql`
      insert into groups (account_id, id, name) values (8, 0, 'All'), (9, 0, 'All') on conflict do nothing`)
      await database.list(sql`
      insert into users (account_id, id, name, email, language, rights, created_at, updated_at)
      select account, n, 'A user', n || '@keys.example', 'en', '{}', 1, 1
        from generate_series(8, 9) account, generate_series(1, 5000) n`)
      await database.list(sql`
      insert into api_keys (account_id, id, user_id, name, hash, created_at)
      select account, n, 1 + n % 5000, 'A program', sha256(n::text::bytea), 1
        from generate_series(8, 9) account, generate_series(1, 20000) n`)
      await database.list(sql`analyze api_keys, users`)
    })

    test.each([
      ['those of a user', apiKeyPage(asking, 8, page), 4],
      ['a page of all', apiKeyPage(asking, undefined, page), 51],
      ['a later page of all', apiKeyPage(asking, undefined, later), 51],
      ['the number of a user', countApiKeys(asking, 8), 4],
      ['the one that a caller sends', apiKeyAccess(8, sent), 1],
      ['one of a user to delete', removeApiKey(asking, 7, 8), 1],
    ])('%s', async (_what, statement, matching) => {
      const steps = await plans.explain(statement)
      plans.judge(steps, matching)
      expect(read(steps, table)).toBe(matching)
    })
  })
}
