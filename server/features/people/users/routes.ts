import { writeHandler } from '../../../access/write-handler.ts'
import { forbidIntegrations, requirePeopleRight } from '../../../access/actor.ts'
import { forbidSessions } from '../../../access/sessions.ts'
import { batch, one } from '../../../http/body.ts'
import {
  CountedPage,
  CreatedAnswer,
  hal,
  IdParams,
  nothing,
  sendHal,
  sendRecord,
  halAnswer,
  noContent,
} from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { countUsers, signInsOfUsers, userList, usersById } from './queries.ts'
import type { UserRow } from './queries.ts'
import { NamedUser, NewUser, User, UserChange, UserQuery, UserSignIns, userWith } from './schema.ts'
import type { UserSignIn } from './schema.ts'
import { showUsers } from './show.ts'
import { activateUsers, changeUser, createUsers, deactivateUsers } from './users.ts'

/** Users of one request at most (interface: Limits). */
const most = 10

export function userRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor

  app.get(
    '/api/v4/users',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List users',
        tags: ['users'],
        querystring: UserQuery,
        response: { 200: hal('A page of users', CountedPage('users', User)), 204: nothing },
      },
    },
    ({ actor, base, query }, reply) => {
      const total = async () => (await database.row<{ total: number }>(countUsers(actor)))!.total
      return sendPage(reply, { collection: 'users', total }, async (seek) => {
        const rows = await database.rows<UserRow>(userList(actor, seek))
        const users = await showUsers(database, actor, base, rows, userWith.wanted(query.with))
        return users.map((user) => ({ key: user.id, id: user.id, json: JSON.stringify(user) }))
      })
    },
  )

  app.get(
    '/web/v1/users/sign-ins',
    {
      config: { access: 'admin' },
      onRequest: forbidIntegrations,
      schema: {
        summary: 'List how users sign in',
        response: { 200: hal('When they were seen, and their second factors', UserSignIns) },
      },
    },
    async ({ actor }, reply) =>
      sendHal(reply, {
        _embedded: { sign_ins: await database.rows<UserSignIn>(signInsOfUsers(actor)) },
      }),
  )

  app.get(
    '/api/v4/users/:id',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read a user',
        tags: ['users'],
        params: IdParams,
        querystring: UserQuery,
        response: { 200: hal('The user', User) },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      const rows = await database.rows<UserRow>(usersById(actor, [params.id]))
      const [user] = await showUsers(database, actor, base, rows, userWith.wanted(query.with))
      return sendRecord(reply, user && { json: JSON.stringify(user) }, 'always 404')
    },
  )

  app.post(
    '/api/v4/users',
    {
      config: { access: 'admin' },
      onRequest: [forbidSessions, requirePeopleRight],
      schema: {
        summary: 'Create users',
        tags: ['users'],
        body: batch(NewUser, most),
        response: {
          201: hal('The created users, in request order', CreatedAnswer('users', User)),
        },
      },
    },
    writeHandler(database, async (tx, { actor, base, body }) => {
      const users = await createUsers(tx, actor, base, body)
      return halAnswer({ _total_items: users.length, _embedded: { users } }, 201)
    }),
  )

  for (const [word, verb, done] of [
    [
      'activate',
      activateUsers,
      'The users may sign in again; their earlier tokens, keys and sessions stay void',
    ],
    [
      'deactivate',
      deactivateUsers,
      'The users are deactivated; their tokens, API keys and sessions are void for good',
    ],
  ] as const)
    app.post(
      `/api/v4/users/${word}`,
      {
        config: { access: 'admin' },
        onRequest: requirePeopleRight,
        schema: {
          summary: `${word[0]!.toUpperCase()}${word.slice(1)} users`,
          tags: ['users'],
          body: batch(NamedUser, most),
          response: { 204: Type.Null({ description: done }) },
        },
      },
      writeHandler(database, async (tx, { actor, body }) => {
        await verb(tx, actor, body)
        return noContent
      }),
    )

  app.patch(
    '/web/v1/users/:id',
    {
      config: { access: 'admin' },
      onRequest: forbidIntegrations,
      schema: { params: IdParams, body: one(UserChange), response: { 200: hal('The user', User) } },
    },
    async ({ actor, base, body, params: { id } }, reply) => {
      await database.transaction((tx) => changeUser(tx, actor, id, body))
      const rows = await database.rows<UserRow>(usersById(actor, [id]))
      const [user] = await showUsers(database, actor, base, rows, new Set(['role', 'group']))
      return sendHal(reply, user!)
    },
  )
}
