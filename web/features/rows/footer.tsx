// The footer of a table: how many records the filter finds, and a number of each column about all of them.
import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useValueTexts } from '../../crm/fields/texts.ts'
import { useBrowserChoice } from '../../data/browser-choice.ts'
import { useDay } from '../../ui/day.ts'
import type { PlacedColumn } from './context.ts'
import { useTableContext } from './context.ts'
import { summaryQuery } from './rows.ts'
import type { RowSummary } from './rows.ts'
import styles from './rows.module.css'

const numbersOf = {
  amount: ['sum', 'average', 'filled', 'least', 'greatest'],
  number: ['sum', 'average', 'filled', 'least', 'greatest'],
  time: ['least', 'greatest', 'filled'],
  filled: ['filled'],
} as const
type Shown = (typeof numbersOf)['amount'][number] | 'none'

/** The number that a column shows until the user chooses. */
const usualOf = ({ summed }: PlacedColumn): Shown =>
  summed === 'amount' || summed === 'number' ? 'sum' : 'none'

export function TableFooter() {
  const words = useTranslations('rows')
  const format = useFormatter()
  const { columns, store, vocabulary, boxSize } = useTableContext()
  const { type } = store.key
  const [choices, setChoices] = useBrowserChoice<Record<string, Shown>>(
    `rows.numbers.${vocabulary.me.id}.${type}`,
    {},
  )
  const shownOf = (column: PlacedColumn) => choices[column.name] ?? usualOf(column)
  const summed = columns.filter(
    (column) => column.summed !== undefined && shownOf(column) !== 'none',
  )
  const names = summed.map(({ name }) => name).toSorted()
  const { data } = useQuery(summaryQuery(store.key, names))
  // A number that is a lower bound is counted on, behind what is shown.
  const whole = useQuery({
    ...summaryQuery(store.key, names, true),
    enabled: data !== undefined && (data.is_more || data.is_part),
    staleTime: 60_000,
  })
  const found = whole.data && !whole.isPlaceholderData ? whole.data : data
  useEffect(() => {
    if (found) store.setCount(found.count, found.is_more)
  }, [found, store])
  const listed = store.count()
  const { count, isMore, isKnown } =
    found && (!listed.isKnown || listed.isMore)
      ? { count: found.count, isMore: found.is_more, isKnown: true }
      : listed
  const cell = (column: PlacedColumn) => (
    <div
      key={column.name}
      role="gridcell"
      aria-colindex={columns.indexOf(column) + 2}
      className={styles.number}
      style={{ width: column.size, ...(column.isFrozen && { left: boxSize + column.start }) }}
      data-frozen={column.isFrozen || undefined}
      data-number-of={column.name}
    >
      {column.kind === 'name' ? (
        <span className={styles.count} role="status">
          {isKnown
            ? words(isMore ? `countMore.${type}` : `count.${type}`, {
                count,
                shown: format.number(count),
              })
            : words('counting')}
        </span>
      ) : (
        column.summed !== undefined && (
          <NumberMenu
            column={column}
            shown={shownOf(column)}
            summary={found}
            onChoose={(next) => setChoices({ ...choices, [column.name]: next })}
          />
        )
      )}
    </div>
  )
  return (
    <div role="row" aria-rowindex={store.length() + 2} className={styles.footer}>
      <div role="gridcell" aria-colindex={1} className={styles.box} />
      {columns.map(cell)}
    </div>
  )
}

function NumberMenu({
  column,
  shown,
  summary,
  onChoose,
}: {
  column: PlacedColumn
  shown: Shown
  summary: RowSummary | undefined
  onChoose: (shown: Shown) => void
}) {
  const words = useTranslations('rows')
  const format = useFormatter()
  const texts = useValueTexts()
  const { zones } = useTableContext()
  const day = useDay(column.field.type === 'date_time' ? zones.user : zones.account)
  const numbers = summary?.columns[column.name]
  const isTime = column.summed === 'time'
  const label = (each: Shown) =>
    words(
      `numbers.${isTime && (each === 'least' || each === 'greatest') ? (each === 'least' ? 'earliest' : 'latest') : each}`,
    )
  const value = (): string => {
    const number = numbers && shown !== 'none' ? numbers[shown] : null
    if (number === null || number === undefined) return '–'
    if (shown === 'filled') return format.number(number)
    if (isTime) return day(number)
    return column.summed === 'amount'
      ? texts.money(Math.round(number * 100) / 100, column.field.currency)
      : format.number(number, { maximumFractionDigits: 2 })
  }
  return (
    <Menu position="top-end" width={180}>
      <Menu.Target>
        <button
          type="button"
          className={styles.numberButton}
          aria-label={words('numberOf', { column: column.label })}
          title={summary?.is_part ? words('part') : undefined}
        >
          {shown === 'none' ? (
            <span className={styles.noNumber}>{words('numbers.none')}</span>
          ) : (
            <>
              <span className={styles.numberName}>{label(shown)}</span>
              <b className="numbers">
                {value()}
                {summary?.is_part && shown !== 'least' && shown !== 'greatest' ? '+' : ''}
              </b>
            </>
          )}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['none', ...numbersOf[column.summed!]] as Shown[]).map((each) => (
          <Menu.RadioItem
            key={each}
            value={each}
            checked={each === shown}
            closeMenuOnClick
            onChange={() => onChoose(each)}
          >
            {label(each)}
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
