import type { FastifyRequest } from 'fastify'
import type { Tx } from '../database/connect.ts'
import { forbidden } from '../http/problem.ts'
import type { EmptyList } from './empty-list.ts'
import type { Rights } from './rights.ts'

/** The purposes of a token (interface: Scopes). */
export type Scope = 'crm' | 'files' | 'files_delete' | 'notifications' | 'push_notifications'

/**
 * A bearer token or an API key, a session of the web application, there also the card of a record,
 * a chat channel, or a command and the server's own work.
 */
export type Surface = 'api' | 'web' | 'card' | 'channel' | 'server'

/**
 * The caller of a request: a user with rights in an account, at a time. Queries and verbs take one.
 */
export interface Actor {
  accountId: number
  subdomain: string
  userId: number
  groupId: number
  /** The users of the group; set only while a user of the account is moving between groups. */
  groupMembers?: number[]
  isAdmin: boolean
  rights: Rights
  /** The integration; null for a session, an API key, and a token made on the server itself. */
  clientId: string | null
  /** The grant of the token; undefined without one. */
  grantId?: number
  scopes: string[]
  /** False: the account does not let the integration manage people and roles. */
  managesPeople?: false
  /** The status that answers an empty list, and a missing main entity unless it is 200. */
  emptyList: EmptyList
  isUnpaid: boolean
  /** The time of the request, Unix seconds; of a writer that of the change. */
  at: number
  /** The id of the request, as X-Request-Id and the log have it, and the surface it came through. */
  requestId: string
  surface: Surface
}

/**
 * An actor whose `at` is the time of a change. It lies after all waiting and right before the writes,
 * so that whoever asks for what changed since some seconds ago misses nothing (decision 90).
 */
export interface Writer extends Actor {
  readonly isWriting: true
}

/** Called once all locks are held, with nothing but writes to follow. */
export const startWriting = (tx: Tx, actor: Actor): Writer => ({
  ...actor,
  at: tx.now(),
  isWriting: true,
})

/**
 * The time of a change, but not before the record was created, which a clock that was put back would
 * say. Statements say the same with `greatest`.
 */
export const timeOfChange = (
  { at }: Pick<Writer, 'at' | 'isWriting'>,
  created_at: number,
): number => Math.max(at, created_at)

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor
  }
}

/** For methods that manage users and rights: an integration must not widen its own access. */
export async function forbidIntegrations({ actor }: Pick<FastifyRequest, 'actor'>): Promise<void> {
  if (actor.clientId !== null) throw forbidden('An integration may not use this method')
}

/** For methods of the interface that manage people and roles: the account lets an integration, or does not. */
export async function requirePeopleRight({ actor }: Pick<FastifyRequest, 'actor'>): Promise<void> {
  if (actor.managesPeople === false)
    throw forbidden(
      'This integration may not manage people and roles. An administrator lets it in Settings, Integrations, or with "kontor integration set --manage-people"',
    )
}
