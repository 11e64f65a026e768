import { VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useFormatter, useTranslations } from 'use-intl'
import type { PurchasesByMonth } from '../../../server/features/records/transactions/schema.ts'
import styles from './purchases.module.css'

type Month = PurchasesByMonth['months'][number]

/** The most months that are shown up to the present one, and after it. */
const [mostBack, mostAhead] = [24, 6]
/** Pixels: of the bars, of the text over the highest one, and of a month at least and at most. */
const [height, top, narrow, broad] = [72, 14, 30, 44]

/** The months from `first` on, as the server names them: `2026-11`. */
function monthsFrom(first: string, count: number): string[] {
  const [year = 0, month = 0] = first.split('-').map(Number)
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(year, month - 1 + index, 1)).toISOString().slice(0, 7),
  )
}

const distance = (from: string, to: string): number => {
  const [a, b] = [from, to].map((name) => name.split('-').map(Number))
  return (b![0]! - a![0]!) * 12 + b![1]! - a![1]!
}

/** The sums of the months as bars, with a mark at the month in which the next purchase is due. */
export function MonthChart({
  months,
  present,
  expected,
  money,
}: {
  months: readonly Month[]
  /** The present month. */
  present: string
  /** The month of the next purchase, and its day in words; undefined where none is expected. */
  expected: { month: string; day: string } | undefined
  money: (amount: number) => string
}) {
  const words = useTranslations('purchases')
  const format = useFormatter()
  const { ref, width: room } = useElementSize()
  const until = expected ? distance(present, expected.month) : 0
  const ahead = until > 0 && until <= mostAhead ? until : 0
  const [year = 0, month = 0] = present.split('-').map(Number)
  const fitting = Math.max(6, Math.floor(room / narrow))
  // A year, and of the one before it only months since the first purchase.
  const known = Math.max(12, distance(months[0]?.month ?? present, present) + 1)
  const back = Math.min(mostBack, known, Math.max(4, fitting - ahead))
  const first = new Date(Date.UTC(year, month - back, 1)).toISOString().slice(0, 7)
  const names = monthsFrom(first, back + ahead)
  const column = Math.min(broad, room / names.length)
  const byName = new Map(months.map((each) => [each.month, each]))
  const shown = names.map((name) => byName.get(name) ?? { month: name, count: 0, sum: 0 })
  const highest = Math.max(1, ...shown.map(({ sum }) => sum))
  const nameOf = (name: string, style: 'short' | 'long') =>
    format.dateTime(new Date(`${name}-15T12:00:00Z`), {
      month: style,
      ...(style === 'long' && { year: 'numeric' }),
      timeZone: 'UTC',
    })
  const width = shown.length * column
  const bar = (sum: number) => Math.max(sum > 0 ? 2 : 0, (sum / highest) * (height - top))
  const at = expected ? names.indexOf(expected.month) : -1
  const highestAt = shown.findIndex(({ sum }) => sum === highest)
  return (
    <figure className={styles.chart} ref={ref}>
      <svg viewBox={`0 0 ${width} ${height + 20}`} width={width} aria-hidden>
        <line x1={0} x2={width} y1={height + 0.5} y2={height + 0.5} className={styles.axis} />
        {shown.map(({ month: name, sum }, index) => (
          <g key={name}>
            <title>{`${nameOf(name, 'long')}: ${money(sum)}`}</title>
            <rect x={index * column} y={0} width={column} height={height} className={styles.hit} />
            <rect
              x={index * column + column * 0.18}
              y={height - bar(sum)}
              width={column * 0.64}
              height={bar(sum)}
              rx={2}
              className={styles.bar}
            />
            {index === highestAt && (
              <text
                x={Math.min(Math.max(index * column + column / 2, 24), width - 24)}
                y={height - bar(sum) - 4}
                className={styles.highest}
              >
                {money(sum)}
              </text>
            )}
            <text
              x={index * column + column / 2}
              y={height + 14}
              className={styles.label}
              data-present={name === present || undefined}
            >
              {nameOf(name, 'short')}
            </text>
          </g>
        ))}
        {at >= 0 && (
          <g className={styles.expected}>
            <line
              x1={at * column + column / 2}
              x2={at * column + column / 2}
              y1={top}
              y2={height}
            />
            <circle cx={at * column + column / 2} cy={top} r={3} />
          </g>
        )}
      </svg>
      {expected && (
        <figcaption className={styles.legend}>
          <span className={styles.mark} aria-hidden />
          {words('expected', { date: expected.day })}
        </figcaption>
      )}
      <VisuallyHidden>
        <table>
          <caption>{words('chart')}</caption>
          <thead>
            <tr>
              <th scope="col">{words('month')}</th>
              <th scope="col">{words('purchases')}</th>
              <th scope="col">{words('sum')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ month: name, count, sum }) => (
              <tr key={name}>
                <th scope="row">{nameOf(name, 'long')}</th>
                <td>{count}</td>
                <td>{money(sum)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}
