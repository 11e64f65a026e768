// The rows that rights and stored answers read.
import type { Actor } from '../../server/access/actor.ts'
import { countKeys, dropExpired, storedAnswer } from '../../server/access/idempotency-store.ts'
import type { RightsDraft } from '../../server/access/rights.ts'
import { normalise } from '../../server/access/rights.ts'
import { eventList } from '../../server/features/activity/events/queries.ts'
import { findRecords } from '../../server/records/lists/find.ts'
import { admin } from '../actor.ts'
import { all, first, read } from '../plans.ts'
import { rareStatus, users } from './accounts.ts'
import type { LeadQuery, PlanCase, Row } from './fixture.ts'
import { anyEvent, base, inAccount, lateEvents, listOf, of, plans, showing } from './fixture.ts'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'

/** Lists under limited rights: the first half of account 2, with 25 users in five groups. */
export function rightsCases(): Row[] {
  const actorWith = (rights: RightsDraft, who: Partial<Actor> = {}): Actor => ({
    ...admin,
    accountId: 2,
    isAdmin: false,
    userId: users[3]!,
    groupId: 2,
    rights: normalise(rights),
    ...who,
  })
  const status = (letter: 'A' | 'D', which = rareStatus) => [
    {
      entity_type: 'leads' as const,
      ...which,
      rights: { view: letter, edit: letter, delete: letter },
    },
  ]
  /** Rights for the rare status and for one in each of forty other pipelines. */
  const many = (letter: 'A' | 'D') => [
    ...status(letter),
    ...Array.from({ length: 40 }, (_, n) =>
      status(letter, { pipeline_id: 1000 + n, status_id: 5000 + n }),
    ).flat(),
  ]
  const common = { pipeline_id: 7, status_id: 103 }
  // Each row shown may cost a few look-ups besides, and each table counts.
  const page = 51 * 5
  const some = 50_000 / 25 + page * 4
  const shown = (
    actor: Actor,
    most: number,
    index: Pick<PlanCase, 'along' | 'by'> = {},
    query: LeadQuery = {},
  ): PlanCase => ({
    ask: () => listOf('leads', actor, query, first),
    // Nothing is sorted where an index is walked along.
    matching: index.along ? 0 : () => listOf('leads', actor, query, all),
    reads: [[/^/, most]],
    ...index,
  })
  /** Of few, which are counted before they are looked up. */
  const found = (actor: Actor): PlanCase => ({
    find: (reader) => findRecords(reader, actor, base, of.leads, {}, first),
    matching: () => listOf('leads', actor, {}, all),
    reads: [[/./, page]],
  })
  const own = { leads: { view: 'M' } } as const
  const everything = { leads: { view: 'A' } } as const
  const none = { leads: { view: 'D' } } as const
  const byId = { along: 'leads_listed' }
  const byUser = { along: 'leads_by_responsible' }
  const rows: Row[] = [
    ['an administrator', shown(inAccount(2), page, byId)],
    ['own leads only', shown(actorWith(own), page, byUser)],
    [
      'own leads only, of which there are none',
      shown(actorWith(own, { userId: 10_005 }), 10, byUser),
    ],
    [
      'leads of the group',
      shown(actorWith({ leads: { view: 'G' } }), page, { along: 'leads_by_group' }),
    ],
    [
      'all leads but a rare status',
      shown(actorWith({ ...everything, status_rights: status('D') }), page, byId),
    ],
    [
      'all leads but a common status',
      shown(actorWith({ ...everything, status_rights: status('D', common) }), page + 51, byId),
    ],
    [
      'own leads but those of a status',
      shown(actorWith({ ...own, status_rights: status('D', common) }), page + 51, byUser),
    ],
    // The indexes of the board begin with the status too, and any of them will do.
    ['a rare status only', shown(actorWith({ ...none, status_rights: status('A') }), page)],
    [
      'a rare status and those of many pipelines',
      found(actorWith({ ...none, status_rights: many('A') })),
    ],
    [
      'all leads but those of many pipelines',
      shown(actorWith({ ...everything, status_rights: many('D') }), page, byId),
    ],
    // Both kinds are found by their index, and sorted; 25 times fewer than all leads.
    [
      'own leads and those of many pipelines',
      shown(actorWith({ ...own, status_rights: many('A') }), some),
    ],
    ['own leads and a rare status', shown(actorWith({ ...own, status_rights: status('A') }), some)],
    [
      'a group of which somebody is on the move',
      shown(actorWith({ leads: { view: 'G' } }, { groupMembers: users.slice(10, 15) }), page * 5),
    ],
    [
      'own leads by a name',
      shown(actorWith(own), page, { by: 'leads_by_name' }, { filter: { name: ['Nobody'] } }),
    ],
  ]
  const events = actorWith({ ...everything, status_rights: status('D') })
  return [
    ...rows.map(([name, planCase]): Row => [`leads under rights: ${name}`, planCase]),
    [
      'events under rights, among the newest',
      {
        ask: () =>
          eventList(
            events,
            showing,
            first,
            anyEvent,
            [],
            {},
            {
              few: new Set(),
              from: lateEvents[2]!,
            },
          ),
        matching: 0,
        // Those of the page, with one look at each record, and those among 2,000 that are tasks' or customers'.
        reads: [[/^/, page + 2 * 2001]],
      },
    ],
  ]
}

/** The tests of these plans. */
export function accessPlans(): void {
  describe('stored answers', () => {
    const hash = createHash('sha256').update('7').digest()
    const table = /idempotency_keys/

    test('one is read by its key', async () => {
      const steps = await plans.explain(storedAnswer(admin, hash))
      plans.judge(steps, 1)
      expect(read(steps, table)).toBe(1)
    })

    test('those of a day are counted without the others, and without the answers', async () => {
      const steps = await plans.explain(countKeys({ accountId: 1, at: 86_400 + 15_000 }))
      plans.judge(steps, 5000)
      expect(read(steps, table)).toBeLessThanOrEqual(5001)
      expect(steps.map((step) => step['Node Type'])).toContain('Index Only Scan')
    })

    test('those that have expired are dropped without a look at the others', async () => {
      const steps = await plans.explain(dropExpired(86_400 + 100))
      plans.judge(steps, 200)
      expect(read(steps, table)).toBeLessThanOrEqual(2 * 200)
    })
  })
}
