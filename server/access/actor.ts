// The caller of a request: which account, which user, with which rights, and the questions that every route may ask about it.
import type { FastifyRequest } from 'fastify'
import { forbidden, Problem } from '../http/problem.ts'
import type { Rights } from './rights.ts'

/** Who may call a route: anyone, any user with a token, administrators. */
export type Access = 'public' | 'user' | 'admin'

/** What a token is for (reference of authorization, scopes). */
export type Scope = 'crm' | 'files' | 'files_delete' | 'notifications' | 'push_notifications'

/** A bearer token, a session of the web application, or a command and the server's own work. */
export type Surface = 'api' | 'web' | 'server'

/** Who calls, in which account, when. Every query and every verb takes one. */
export interface Actor {
  accountId: number
  subdomain: string
  userId: number
  groupId: number
  /** The users of the group, said only while somebody is on the move between groups. */
  groupMembers?: number[]
  isAdmin: boolean
  rights: Rights
  /** The integration, null for a token made on the server itself. */
  clientId: string | null
  scopes: string[]
  /** What an empty list answers to this caller. */
  emptyList: 200 | 204
  isUnpaid: boolean
  /** The time of the request, Unix seconds. */
  at: number
  /** The id of the request, as X-Request-Id and the log have it, and the surface it came through. */
  requestId: string
  surface: Surface
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** What a token must be for; `crm` unless said, `any`: every token will do. */
    scope?: Scope | 'any'
    /** Whether the route answers 402 while the account is not paid; writes do unless they say no. */
    isPaid?: boolean
    /** The route takes form-encoded bodies besides JSON. */
    takesForms?: boolean
  }
  interface FastifyInstance {
    /** Finds the actor of a request anew, for what outlives its beginning. */
    findActor: FindActor
  }
  interface FastifyRequest {
    actor: Actor
    /** The address, without a trailing slash, that links in the answer begin with. */
    base: string
  }
}

/** Finds the actor of a request, or throws a 401 problem. */
export type FindActor = (request: FastifyRequest) => Promise<Actor>

/** A token opens what it is for, and the rights of its user decide the rest. */
export function requireScope(actor: Actor, scope: Scope | 'any'): void {
  if (scope !== 'any' && !actor.scopes.includes(scope))
    throw forbidden(`Invalid scope: this method takes a token with the scope "${scope}"`)
}

/** For methods that let people in or say what they may do: an integration must not widen its own way in. */
export async function forbidIntegrations({ actor }: Pick<FastifyRequest, 'actor'>): Promise<void> {
  if (actor.clientId !== null) throw forbidden('An integration may not use this method')
}

export function requireAdmin(actor: Actor): void {
  if (!actor.isAdmin)
    throw new Problem(403, 'This method needs the rights of an account administrator')
}
