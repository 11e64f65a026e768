import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { UnreadCount } from '../../../server/features/notifications/schema.ts'
import { ask } from '../../api.ts'

/** How many notifications the user has not read. */
export const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'],
  queryFn: ({ signal }) =>
    ask<Static<typeof UnreadCount>>('/web/v1/notifications/unread', { signal }),
})
