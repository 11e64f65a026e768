// Messages between the tabs of one browser. A BroadcastChannel also works over plain HTTP.
import type { QueryClient } from '@tanstack/react-query'
import { forgetAllKept } from './kept.ts'
import { startData } from './start.ts'

type TabMessage =
  /** Queries whose keys begin with these nouns have other answers now. */
  | { kind: 'changed'; nouns: string[] }
  | { kind: 'signedOut' }
  /** A page of this user began. */
  | { kind: 'began'; userId: number }

const channel = new BroadcastChannel('kontor')

/** Tells the other tabs that what they show of these nouns is old. */
export const announceChanged = (...nouns: string[]): void => post({ kind: 'changed', nouns })

let left = false
/** Whether this tab leaves for the sign-in: the server would refuse what it still has to say. */
export const isLeaving = (): boolean => left

/** Leaves for the sign-in, in all tabs. */
export function leaveAll(): void {
  post({ kind: 'signedOut' })
  leave()
}

/** Follows the other tabs. One that shows another user than the session has now is loaded anew. */
export function followTabs(client: QueryClient): void {
  const userId = startData()?.session.user.id
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'signedOut') {
      // The tab that signs out may not see yet what this one has kept.
      forgetAllKept('all')
      leave()
    } else if (data.kind === 'began') {
      if (userId !== data.userId) location.reload()
    } else for (const noun of data.nouns) void client.invalidateQueries({ queryKey: [noun] })
  })
  if (userId !== undefined) post({ kind: 'began', userId })
}

const post = (message: TabMessage): void => channel.postMessage(message)

function leave(): void {
  left = true
  location.assign('/login')
}
