// Whether far pages of a list cost the same as the first. Goes to the far page by `next`, then asks
// for both in turn.
import { format, open } from '../connection.ts'
import type { LargeAccount } from '../large/account.ts'
import { choice, field, newest } from '../list-requests/parts.ts'
import type { ListSearch } from '../list-requests/parts.ts'
import { won } from '../../server/features/definitions/pipelines/pipelines.ts'
import { countOf } from '../list-requests/count.ts'
import { limit, pathOf } from './measure.ts'
import type { Setting } from './measure.ts'

export const walks: Record<string, (account: LargeAccount) => ListSearch> = {
  'no filter': () => ({}),
  'a common status': ({ pipelines }) => ({
    filter: { statuses: [{ pipeline_id: pipelines[0]!.id, status_id: won }] },
  }),
  'latest change first': () => newest,
  'a common value of a field': (account) => ({
    filter: field(account, 'Channel', choice(account, 'Channel', 0)),
  }),
}

/** Medians in milliseconds; NaN for a list that is not supported yet. */
export interface Walked {
  /** The far page: this one, or the last full page of a smaller account. */
  page: number
  first: number
  far: number
}

const farthest = 4000
const rounds = 100

export async function measureWalk(
  search: ListSearch,
  { account, session, port, partial, wrong }: Setting,
): Promise<Walked> {
  const { rows } = await session.query<{ count: number }>(countOf(account, 'leads', search))
  const page = Math.min(farthest, Math.floor(rows[0]!.count / limit))
  const client = await open(port)
  const get = (path: string) => client.ask(format({ method: 'GET', path }, account, port))
  const start = pathOf('leads', search)
  let path = start
  let before = 0
  try {
    for (let number = 1; number < page; number++) {
      const { _links, _embedded } = JSON.parse((await get(path)).body.toString()) as Page
      if (_embedded.leads.length !== limit || !_links.next)
        wrong.push(`page ${number} of ${start} is not full`)
      if (_embedded.leads[0]!.id === before)
        wrong.push(`page ${number} of ${start} is the page before`)
      before = _embedded.leads[0]!.id
      if (!_links.next) break
      path = _links.next.href.replace(/^https?:\/\/[^/]+/, '')
    }
    const times = { first: [] as number[], far: [] as number[] }
    for (let turn = 0; turn < rounds; turn++) {
      times.first.push((await get(start)).time)
      times.far.push((await get(path)).time)
    }
    return { page, first: median(times.first), far: median(times.far) }
  } catch (error) {
    if (!partial || !(error as Error).message.includes('HTTP/1.1 400')) throw error
    return { page, first: NaN, far: NaN }
  } finally {
    client.close()
  }
}

interface Page {
  _links: { next?: { href: string } }
  _embedded: { leads: { id: number }[] }
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
}
