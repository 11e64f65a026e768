// The segments beside the list of customers: each leads to its customers, and two or three of them to the customers
// that are in all of them.
import { Button, Checkbox } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import { useValueTexts } from '../crm/fields/texts.ts'
import type { SearchParams } from '../data/search.ts'
import { mostChosen, partsOfChosen, segmentsQuery } from '../features/segments/segments.ts'
import type { Segment } from '../features/segments/segments.ts'
import { summaryQuery } from '../features/rows/rows.ts'
import rows from '../features/rows/rows.module.css'
import { useShortcuts } from '../shell/keyboard.tsx'
import { Unloaded } from '../ui/states.tsx'
import { settingsAt } from './settings/pages.ts'

export function ListSegments({
  chosen,
  search,
  hasKeys,
  choose,
}: {
  chosen: readonly number[]
  /** The rest of the address. */
  search: SearchParams
  /** No card lies over the list. */
  hasKeys: boolean
  choose: (ids: readonly number[]) => void
}) {
  const words = useTranslations('rows')
  const format = useFormatter()
  const { me } = useBootstrap()
  const query = useQuery(segmentsQuery)
  const { data: all } = useQuery(summaryQuery({ type: 'customers', filter: '' }, [], false))
  const { segments: _, ...rest } = search
  const to = (ids: readonly number[]) => ({
    to: '.',
    search: { ...rest, ...(ids.length > 0 && { segments: ids.join(',') }) } as never,
  })
  const ids = query.data?.map(({ id }) => id) ?? []
  const step = (by: 1 | -1) => {
    const at = chosen[0] === undefined ? -1 : ids.indexOf(chosen[0])
    const next = at + by
    if (next < ids.length) choose(next < 0 ? [] : [ids[next]!])
  }
  const keys = [
    { keys: ['['], text: words('segments.previous'), run: () => step(-1) },
    { keys: [']'], text: words('segments.next'), run: () => step(1) },
  ]
  useShortcuts(words('table'), hasKeys ? keys : [])
  return (
    <nav className={rows.segments} aria-label={words('segments.title')}>
      <div className={rows.segment} data-chosen={chosen.length === 0 || undefined}>
        <Link {...to([])} aria-current={chosen.length === 0 ? 'true' : undefined}>
          <span>{words('segments.all')}</span>
          {all && <b>{`${format.number(all.count)}${all.is_more ? '+' : ''}`}</b>}
        </Link>
      </div>
      {!query.data ? (
        <Unloaded query={query} />
      ) : (
        query.data.map(({ id, name, color, customers_count: count }) => {
          const isChosen = chosen.includes(id)
          return (
            <div key={id} className={rows.segment} data-chosen={isChosen || undefined}>
              <Checkbox
                size="xs"
                aria-label={words('segments.also', { name })}
                title={words('segments.also', { name })}
                checked={isChosen}
                disabled={!isChosen && chosen.length >= mostChosen}
                onChange={() =>
                  choose(isChosen ? chosen.filter((each) => each !== id) : [...chosen, id])
                }
              />
              <Link {...to([id])} aria-current={isChosen ? 'true' : undefined}>
                <i style={{ background: `#${color}` }} aria-hidden />
                <bdi>{name}</bdi>
                <b>{format.number(count)}</b>
              </Link>
            </div>
          )
        })
      )}
      {query.data?.length === 0 && (
        <p>
          <b>{words('segments.none')}</b>
          {words('segments.noneText')}
        </p>
      )}
      {me.is_admin && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          flex="none"
          leftSection={<Pencil size={14} aria-hidden />}
          renderRoot={(props) => <Link {...props} to={settingsAt('customers')} />}
        >
          {words('segments.edit')}
        </Button>
      )}
    </nav>
  )
}

/** What the customers of the chosen segments have bought, and how many are in several of them. */
export function ChosenSegments({ chosen, filter }: { chosen: readonly number[]; filter: string }) {
  const words = useTranslations('rows')
  const format = useFormatter()
  const texts = useValueTexts()
  const { data: segments = [] } = useQuery(segmentsQuery)
  const known = chosen.flatMap((id) => segments.find((each) => each.id === id) ?? [])
  const of = (some: readonly Segment[]) =>
    ({ type: 'customers', filter, segments: some.map(({ id }) => id).join(',') }) as const
  const { data: facts } = useQuery({
    ...summaryQuery(of(known), ['ltv', 'average_check'], false),
    enabled: known.length > 0,
  })
  // The last one is all of them, which the facts are about.
  const parts = partsOfChosen(known).slice(0, -1)
  const counts = useQueries({ queries: parts.map((part) => summaryQuery(of(part), [], false)) })
  if (known.length === 0) return undefined
  const shown = ({ count, is_more }: { count: number; is_more: boolean }) =>
    `${format.number(count)}${is_more ? '+' : ''}`
  const money = (number: number | null | undefined) => texts.money(Math.round(number ?? 0), null)
  return (
    <p className={rows.segmentFacts}>
      {parts.map((part, index) => {
        const found = counts[index]?.data
        return (
          <span key={part.map(({ id }) => id).join()}>
            {words('segments.both', {
              names: format.list(part.map(({ name }) => name)),
              count: found ? shown(found) : '…',
            })}
          </span>
        )
      })}
      {facts && (
        <span>
          {words('segments.both', {
            names: format.list(known.map(({ name }) => name)),
            count: words('segments.facts', {
              customers: words(facts.is_more ? 'countMore.customers' : 'count.customers', {
                count: facts.count,
                shown: format.number(facts.count),
              }),
              total: money(facts.columns['ltv']?.sum),
              average: money(facts.columns['average_check']?.average),
            }),
          })}
        </span>
      )}
    </p>
  )
}
