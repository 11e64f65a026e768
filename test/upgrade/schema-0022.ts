// An account in use, as the twenty-second schema (0022_notifications.sql) knew it, written in SQL: what
// the sixteenth one had, and on top of it keys of events, a task type, and webhooks with what was sent
// to them, what could not be built, and what administrators were told. Each change of a field is one
// event by then.
import sql from 'sql-template-tag'
import type { Database } from '../../server/database/connect.ts'
import type { FilledWithCustomers } from './schema-0010.ts'
import { schema0016 } from './schema-0016.ts'
import type { Fixture } from './upgraded.ts'

const now = Math.floor(Date.now() / 1000)

export interface FilledWithWebhooks extends FilledWithCustomers {
  /** One that sends, and one that was switched off. */
  webhooks: { active: number; disabled: number }
  /** A delivery that has failed, with its body. */
  delivery: number
  body: string
  taskType: number
  unbuilt: number
}

export const schema0022: Fixture<FilledWithWebhooks> = {
  last: '0022_notifications.sql',
  tables: [
    ...schema0016.tables,
    'deliveries',
    'delivery_attempts',
    'delivery_bodies',
    'event_keys',
    'notification_reads',
    'notifications',
    'task_types',
    'unbuilt_notices',
    'webhooks',
  ],
  events: schema0016.events,
  fill,
}

async function fill(database: Database, account: number): Promise<FilledWithWebhooks> {
  const filled = await schema0016.fill(database, account)
  const admin = account * 100 + 1
  const webhooks = { active: account * 10 + 1, disabled: account * 10 + 2 }
  const [delivery, waiting, body] = [account * 10 + 3, account * 10 + 4, `account[id]=${account}`]
  const [taskType, unbuilt, notification] = [account * 10 + 5, account * 10 + 6, account * 10 + 7]
  await database.transaction(async (tx) => {
    await tx.list(sql`
      delete from events where account_id = ${account} and type ~ '^custom_field_\\d+_value_changed$'`)
    await tx.list(sql`
      insert into event_keys (account_id, key, event_id)
      select account_id, 'after sale ' || (item #>> '{sale_field_value,sale}'), id
        from events, lateral jsonb_array_elements(value_after) item
       where account_id = ${account} and type = 'sale_field_changed'`)
    await tx.list(sql`
      update leads set has_tasks = true where account_id = ${account} and id = ${filled.ids.lead}`)
    await tx.list(sql`
      insert into task_types (account_id, id, name, color, icon_id, is_deleted)
      values (${account}, ${taskType}, 'Visit', '10599d', 1, false)`)
    await tx.list(sql`
      insert into webhooks (account_id, id, destination, settings, sort, is_disabled, disabled_at, format, deletion_form, after_journal_id,
                            client_id, created_by, created_at, updated_at, enabled_at, warned, warned_at)
      values (${account}, ${webhooks.active}, 'https://receiver.example/hook', '{add_lead,status_lead}', 1, false, null, 'form', 'id', 0,
              null, ${admin}, ${now}, ${now}, ${now}, 50, ${now * 1000}),
             (${account}, ${webhooks.disabled}, 'https://receiver.example/other', '{add_task}', 2, true, ${now}, 'json', 'list', 0,
              (select client_id from integrations where account_id = ${account} limit 1), ${admin}, ${now}, ${now}, 0, 0, 0)`)
    await tx.list(sql`
      insert into delivery_bodies (account_id, id, format, body, created_at)
      values (${account}, ${delivery}, 'form', ${body}, ${now * 1000})`)
    await tx.list(sql`
      insert into deliveries (account_id, id, webhook_id, body_id, event, records, created_at, attempts, due_at, replayed_after, state)
      values (${account}, ${delivery}, ${webhooks.active}, ${delivery}, 'add_lead', array['leads ' || ${filled.ids.lead}::bigint],
              ${now * 1000}, 2, null, 1, 'failed'),
             (${account}, ${waiting}, ${webhooks.active}, ${delivery}, 'add_lead', array['leads ' || ${filled.ids.lead}::bigint],
              ${now * 1000}, 0, 0, null, 'waiting')`)
    await tx.list(sql`
      insert into delivery_attempts (account_id, delivery_id, number, webhook_id, status, error, milliseconds, ended_at, is_counted)
      values (${account}, ${delivery}, 1, ${webhooks.active}, 404, null, 5, ${now * 1000}, true),
             (${account}, ${delivery}, 2, ${webhooks.active}, 0, 'reset', 5, ${now * 1000}, false)`)
    const change = JSON.stringify({
      id: unbuilt,
      account_id: account,
      entity_type: 'tasks',
      entity_id: account * 10 + 4,
      actions: ['add'],
      before: null,
      after: {},
      note: null,
      created_by: admin,
      created_at: now,
      request_id: null,
      surface: null,
    })
    await tx.list(sql`
      insert into unbuilt_notices (account_id, journal_id, change, error, created_at)
      values (${account}, ${unbuilt}, ${change}, 'Error: no notice', ${now * 1000})`)
    await tx.list(sql`
      insert into notifications (account_id, id, user_id, kind, values, created_at)
      values (${account}, ${notification}, 0, 'webhook_failing',
              ${JSON.stringify({ webhook_id: webhooks.active, destination: 'https://receiver.example/hook', invalid_answers: 50 })}, ${now})`)
    await tx.list(sql`
      insert into notification_reads (account_id, user_id, notification_id) values (${account}, ${admin}, ${notification})`)
  })
  return { ...filled, webhooks, delivery, body, taskType, unbuilt }
}
