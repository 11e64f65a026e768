// The actor of an account's administrator, for tests that call verbs in transactions of their own.
import type { Actor } from '../server/access/actor.ts'
import { fullRights } from '../server/access/rights.ts'
import type { TestAccount } from './account.ts'

export const actorOf = ({ id, subdomain, admin, kontor }: TestAccount): Actor => ({
  accountId: id,
  subdomain,
  userId: admin.id,
  groupId: 0,
  isAdmin: true,
  rights: fullRights,
  clientId: null,
  scopes: [],
  emptyList: 200,
  isUnpaid: false,
  requestId: '00000000-0000-4000-8000-000000000000',
  surface: 'api',
  at: kontor.now(),
})
