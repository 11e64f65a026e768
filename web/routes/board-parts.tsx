// The parts around the columns of a board: its filter with the saved views, the requests that wait,
// and the acts on all leads that the filter finds.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { BoardSort } from '../../server/features/application/board/schema.ts'
import { useSelection, useBoard } from '../features/board/context.ts'
import type { Pipeline, Stage } from '../features/board/context.ts'
import { useBootstrap } from '../crm/bootstrap.ts'
import type { FilterHandle } from '../features/filter/filter-line.tsx'
import { withChip } from '../features/filter/filter.ts'
import { useChipWords } from '../features/filter/words.ts'
import type { BulkKind } from '../../server/features/application/jobs/schema.ts'
import { aggregateQuery } from '../features/jobs/jobs.ts'
import type { UnsortedHandle } from '../features/unsorted/unsorted-column.tsx'
import { countsQuery } from '../features/unsorted/unsorted.ts'
import unsorted from '../features/unsorted/unsorted.module.css'
import { FilterBar, useScreenFilter } from './filter-bar.tsx'
import type { ScreenFilter } from './filter-bar.tsx'
import { part } from '../data/rest.ts'
import type { SearchParams } from '../data/search.ts'
import { useShortcuts } from '../shell/keyboard.tsx'
import { isClosed, unsortedType } from '../crm/stages.ts'
import { ListWords } from '../words/words.tsx'

/** Most pipelines have none, so its code is fetched once requests wait. */
const UnsortedColumn = lazy(
  part('requests', async () => ({
    default: (await import('../features/unsorted/unsorted-column.tsx')).UnsortedColumn,
  })),
)

/** Comes once somebody goes on with all leads. */
const AllBar = lazy(
  part('all', async () => ({ default: (await import('../features/jobs/all-bar.tsx')).AllBar })),
)

const stagesFilter = 'filter[statuses]'

/** The filter of a board as its address holds it. */
export interface BoardFilter extends ScreenFilter {
  /** The stages that the filter names; undefined where it names none. */
  stageIds: ReadonlySet<number> | undefined
  /** The parameters that find the same leads of some stages in `GET /api/v4/leads`. */
  ofStages: (stages: readonly Stage[]) => string
}

export function useBoardFilter(pipeline: Pipeline, search: Record<string, unknown>): BoardFilter {
  const filter = useScreenFilter('leads', search, pipeline.id)
  const { chips, parameters } = filter
  const stageIds = useMemo(() => {
    const stages = chips.find(({ name, isUnknown }) => name === stagesFilter && !isUnknown)
    return stages && new Set(stages.values.map((value) => Number(value.split(':')[1])))
  }, [chips])
  return {
    ...filter,
    stageIds,
    ofStages: (stages) =>
      parameters(
        withChip(chips, {
          name: stagesFilter,
          values: stages.map(({ id }) => `${pipeline.id}:${id}`),
        }),
      ),
  }
}

export function BoardFilterLine({
  pipeline,
  search,
  filter,
  setSearch,
}: {
  pipeline: Pipeline
  search: Record<string, unknown>
  filter: BoardFilter
  setSearch: (search: SearchParams) => void
}) {
  const words = useTranslations('board')
  const { vocabulary, store } = useBoard()
  const line = useRef<FilterHandle>(null)
  return (
    <FilterBar
      line={line}
      screen="board"
      pipelineId={pipeline.id}
      scope={words('board')}
      search={search}
      filter={filter}
      parameters={() => [filter.ofStages(vocabulary.columns), orderOf(store.search.sort)]}
      setSearch={setSearch}
    />
  )
}

/** The order of a board where the interface has it too. */
const orderOf = (sort: BoardSort): string =>
  sort === 'activity' ? 'order[updated_at]=desc' : sort === 'created' ? 'order[id]=desc' : ''

/** All leads of the board, or of one stage of it. */
export type All = { stage: Stage | undefined }

/** Offers to go on with all leads, once every shown card of a stage or of the board is selected. */
export function AllOffer({ onChoose }: { onChoose: (all: All) => void }) {
  const words = useTranslations('board')
  const format = useFormatter()
  const { store, selection, vocabulary } = useBoard()
  const selected = useSelection((state) => state.selected)
  const columns = vocabulary.columns.map((stage) => {
    const loaded = store.order(stage.id).filter((id) => id !== undefined && id > 0) as number[]
    const { count, isMore } = store.totals(stage.id)
    return { stage, count, isMore, isWhole: loaded.every((id) => selected.has(id)), loaded }
  })
  const choose = (all: All) => {
    selection.set({ selected: new Set() })
    onChoose(all)
  }
  const shown = (count: number, isMore: boolean) => `${format.number(count)}${isMore ? '+' : ''}`
  const some = columns.filter(({ loaded }) => loaded.length > 0)
  const isBoard = some.length > 1 && some.every(({ isWhole }) => isWhole)
  const total = some.reduce((sum, { count }) => sum + count, 0)
  if (isBoard)
    return (
      total > selected.size && (
        <Button size="compact-sm" onClick={() => choose({ stage: undefined })}>
          {words('offerBoard', {
            count: shown(
              total,
              some.some(({ isMore }) => isMore),
            ),
          })}
        </Button>
      )
    )
  return some
    .filter(({ isWhole, count, isMore, loaded }) => isWhole && (isMore || count > loaded.length))
    .slice(0, 1)
    .map(({ stage, count, isMore }) => (
      <Button key={stage.id} size="compact-sm" onClick={() => choose({ stage })}>
        {words('offerStage', { stage: stage.name, count: shown(count, isMore) })}
      </Button>
    ))
}

/** The acts on all leads of the board, or of one stage. */
export function AllOfBoard({
  all,
  filter,
  onClose,
}: {
  all: All
  filter: BoardFilter
  onClose: () => void
}) {
  const bootstrap = useBootstrap()
  const fields = useTranslations('filter')
  const { vocabulary } = useBoard()
  const { stage } = all
  const others = filter.chips.filter(({ name, isUnknown }) => name !== stagesFilter && !isUnknown)
  const say = useChipWords(filter.fields)
  const text = [
    vocabulary.pipeline.name,
    `${fields('fields.statuses')}: ${(stage ? [stage] : vocabulary.columns).map(({ name }) => name).join(', ')}`,
    ...others.map((chip) => `${say(chip).label}: ${say(chip).value}`),
  ].join(' · ')
  const parameters = filter.ofStages(stage ? [stage] : vocabulary.columns)
  const { data } = useQuery(aggregateQuery(parameters))
  const [kind, setKind] = useState<BulkKind>()
  return (
    <Suspense>
      <ListWords>
        <AllBar
          target={{ entity_type: 'leads', filter: parameters }}
          found={data && { count: data.count, isMore: data.is_more }}
          filterWords={text}
          vocabulary={bootstrap}
          kind={kind}
          onChoose={setKind}
          onClose={onClose}
        />
      </ListWords>
    </Suspense>
  )
}

/** The name of the column of waiting requests; undefined where the board has none for the user. */
export function useUnsortedTitle({ id, statuses }: Pipeline): string | undefined {
  const { data } = useQuery(countsQuery(id))
  return data ? statuses.find(({ type }) => type === unsortedType)?.name : undefined
}

/** The requests that wait in a pipeline. */
export function WaitingRequests({ pipeline, title }: { pipeline: Pipeline; title: string }) {
  const words = useTranslations('unsorted')
  const board = useTranslations('board')
  const { me, users } = useBootstrap()
  const { selection, store } = useBoard()
  const column = useRef<UnsortedHandle>(null)
  const stages = useMemo(
    () => pipeline.statuses.filter(({ type, id }) => type !== unsortedType && !isClosed(id)),
    [pipeline],
  )
  useShortcuts(board('board'), [
    { keys: ['y'], text: words('keys.accept'), run: () => column.current?.accept() },
    { keys: ['d'], text: words('keys.decline'), run: () => column.current?.decline() },
  ])
  return (
    <Suspense
      fallback={
        <section className={unsorted.column}>
          <header className={unsorted.head}>
            <h2>{title}</h2>
          </header>
        </section>
      }
    >
      <UnsortedColumn
        ref={column}
        pipelineId={pipeline.id}
        title={title}
        stages={stages}
        users={users}
        mayAccept={me.is_admin || me.rights.leads.add !== 'D'}
        onAccepted={(leadId) => {
          void store.refetch([leadId]).then(() => selection.flash([leadId]))
        }}
      />
    </Suspense>
  )
}
