import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Notification as NotificationShape } from '../../../server/features/activity/notifications/schema.ts'
import { ask } from '../../data/api.ts'

export type Notification = Static<typeof NotificationShape>

interface Page {
  _embedded: { notifications: Notification[] }
  _links: { next?: { href: string } }
}

/** The notifications of the user, the newest first; only the unread ones on request. */
export const notificationsQuery = (isUnread: boolean) =>
  infiniteQueryOptions({
    queryKey: ['notifications', { isUnread }],
    queryFn: ({ pageParam, signal }) => ask<Page>(pageParam, { signal }),
    initialPageParam: `/web/v1/notifications?limit=30${isUnread ? '&filter[is_read]=false' : ''}`,
    getNextPageParam: ({ _links }: Page) => {
      // The address of the server may differ from the one that this page was asked at.
      const next = _links.next && new URL(_links.next.href)
      return next && next.pathname + next.search
    },
  })

/** Marks notifications as read: these, or all up to one. */
export const readNotifications = (which: { ids: number[] } | { up_to: number }) =>
  ask('/web/v1/notifications/read', { method: 'POST', body: which })
