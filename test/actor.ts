// Actors for tests that call verbs in transactions of their own, or read statements.
import type { Actor } from '../server/access/actor.ts'
import { fullRights } from '../server/access/rights.ts'
import type { TestAccount } from './account.ts'

/** The administrator of account 1, who has few own records there (test/plans). */
export const admin: Actor = {
  accountId: 1,
  subdomain: 'large',
  userId: 99,
  groupId: 9,
  isAdmin: true,
  rights: fullRights,
  clientId: null,
  scopes: [],
  emptyList: 200,
  isUnpaid: false,
  requestId: '00000000-0000-4000-8000-000000000000',
  surface: 'api',
  at: 0,
}

/** The administrator of an account. */
export const actorOf = ({ id, subdomain, kontor, ...account }: TestAccount): Actor => ({
  ...admin,
  accountId: id,
  subdomain,
  userId: account.admin.id,
  groupId: 0,
  at: kontor.now(),
})
