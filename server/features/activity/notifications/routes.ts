import { forbidIntegrations } from '../../../access/actor.ts'
import type { Actor } from '../../../access/actor.ts'
import type { Database } from '../../../database/connect.ts'
import { one } from '../../../http/body.ts'
import { hal, nothing, Page, sendHal } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { stillSeen } from '../mentions/mentions.ts'
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
        const found = await withRightsOfNow(
          database,
          actor,
          await database.list<NotificationRow>(page),
        )
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

/**
 * Notifications as the rights of now let the actor read them: the texts of mentions that the actor may not
 * view any more, and their records, are null.
 */
async function withRightsOfNow(
  database: Database,
  actor: Actor,
  rows: NotificationRow[],
): Promise<NotificationRow[]> {
  const mentions = rows.filter((row) => row.kind === 'mention')
  const texts = mentions.map(({ values }) => writtenText(values.about))
  const seen = await stillSeen(database, actor, texts)
  return rows.map((row) => {
    if (row.kind !== 'mention') return row
    const its = seen[mentions.indexOf(row)]
    if (!its) return { ...row, values: { ...row.values, ...hidden } }
    const { name, ...record } = its
    return { ...row, values: { ...row.values, ...record, entity_name: name } }
  })
}

const hidden = { entity_type: null, entity_id: null, entity_name: null, text: null }

/** The kind and the id of `note 12` or `task 4`. */
function writtenText(about: string): { of: 'note' | 'task'; id: number } {
  const [of, id] = about.split(' ') as ['note' | 'task', string]
  return { of, id: Number(id) }
}

/** Where what a notification is about is read. */
function pathOfSubject({ kind, values }: NotificationRow): string {
  if (kind !== 'mention') return `/web/v1/webhooks/${values.webhook_id}`
  const { about, entity_type, entity_id } = values
  if (entity_type !== null) return `/api/v4/${entity_type}/${entity_id}`
  const { of, id } = writtenText(about)
  return of === 'task' ? `/api/v4/tasks/${id}` : path
}
