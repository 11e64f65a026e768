import { forbidIntegrations } from '../../access/actor.ts'
import { one } from '../../http/body.ts'
import { hal, nothing, Page, sendHal } from '../../http/hal.ts'
import { sendPage } from '../../http/paging.ts'
import type { App, Kontor } from '../../kontor.ts'
import { readNotifications, unreadNotifications } from './notifications.ts'
import { notificationPage } from './queries.ts'
import type { NotificationRow } from './queries.ts'
import { Notification, NotificationQuery, ReadNotifications, UnreadCount } from './schema.ts'

const path = '/web/v1/notifications'
const tags = ['notifications']

export function notificationRoutes(app: App, { database, signals }: Kontor): void {
  const people = { config: { access: 'user' as const }, onRequest: forbidIntegrations }
  const unreadBody = (base: string, unread: number) => ({
    unread,
    _links: { self: { href: `${base}${path}/unread` } },
  })

  app.get(
    path,
    {
      ...people,
      schema: {
        summary: 'List the notifications of the user',
        tags,
        querystring: NotificationQuery,
        response: {
          200: hal(
            'A page of notifications, the newest first',
            Page('notifications', Notification),
          ),
          204: nothing,
        },
      },
    },
    ({ actor, base, query: { filter } }, reply) =>
      sendPage(reply, { collection: 'notifications' }, async (seek) => {
        const page = notificationPage(actor, filter?.is_read, seek)
        const found = await database.list<NotificationRow>(page)
        return found.map((each) => ({
          key: each.id,
          id: each.id,
          json: JSON.stringify({
            ...each,
            _links: {
              self: { href: `${base}${path}` },
              about: { href: base + pathOfSubject(each) },
            },
          }),
        }))
      }),
  )

  app.get(
    `${path}/unread`,
    {
      ...people,
      schema: {
        summary: 'Count the unread notifications of the user',
        tags,
        response: { 200: hal('The number', UnreadCount) },
      },
    },
    async ({ actor, base }, reply) =>
      sendHal(reply, unreadBody(base, await unreadNotifications(database, actor))),
  )

  app.post(
    `${path}/read`,
    {
      ...people,
      schema: {
        summary: 'Mark notifications as read by the user',
        tags,
        body: one(ReadNotifications),
        response: { 200: hal('The number of those still unread', UnreadCount) },
      },
    },
    async ({ actor, base, body }, reply) => {
      const unread = await database.transaction(async (tx) => {
        await readNotifications(tx, signals, actor, body)
        return unreadNotifications(tx, actor)
      })
      return sendHal(reply, unreadBody(base, unread))
    },
  )
}

/** Where what a notification is about is read. */
function pathOfSubject({ kind, values }: NotificationRow): string {
  if (kind !== 'mention') return `/web/v1/webhooks/${values.webhook_id}`
  const { about, entity_type, entity_id } = values
  return entity_type === null
    ? `/api/v4/${about.replace('task ', 'tasks/')}`
    : `/api/v4/${entity_type}/${entity_id}`
}
