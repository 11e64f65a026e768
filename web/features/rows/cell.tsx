// What stands in a cell of a table.
import { Check, CopyCheck } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { plainText } from '../../crm/fields/field.ts'
import type { Values } from '../../crm/fields/field.ts'
import { linkOf } from '../../crm/fields/labelled.ts'
import { useValueTexts } from '../../crm/fields/texts.ts'
import { fieldKinds } from '../../crm/fields/types.ts'
import { RecordLink } from '../../crm/record-link.tsx'
import { dayAt, useDayAndTime } from '../../ui/day.ts'
import type { RowColumn } from './columns.ts'
import { useDuplicateCount, useTableContext } from './context.ts'
import type { Row } from './rows.ts'
import styles from './rows.module.css'

interface ContentProps {
  row: Row
  column: RowColumn
}

/** The content of a cell by the kind of its column. */
export function CellContent(props: ContentProps) {
  switch (props.column.kind) {
    case 'name':
      return <Name {...props} />
    case 'field':
      return <FieldContent {...props} />
    case 'stage':
      return <Stage {...props} />
    case 'user':
      return <User {...props} />
    case 'tags':
      return <Tags {...props} />
    case 'linked':
      return <Linked {...props} />
    case 'leads':
      return <Leads {...props} />
    case 'task':
      return <Task {...props} />
    case 'due':
      return <Due {...props} />
  }
}

/** The name of a record, or its number where it has none. */
export function useRowTitle(): (row: Row) => string {
  const words = useTranslations('rows')
  return ({ name, id }) => name || words('untitled', { id })
}

function Name({ row }: ContentProps) {
  const { store, open, prefetch } = useTableContext()
  const title = useRowTitle()
  if (store.key.bin) return <bdi>{title(row)}</bdi>
  return (
    <>
      <span onPointerEnter={() => prefetch(row.id)}>
        <RecordLink
          type={store.key.type}
          id={row.id}
          open={() => open(row.id)}
          className={styles.nameLink}
          tabIndex={-1}
        >
          <bdi>{title(row)}</bdi>
        </RecordLink>
      </span>
      <DuplicateMark id={row.id} />
    </>
  )
}

/** Says in a row that others share a phone or an e-mail with it, and leads to the comparison. */
function DuplicateMark({ id }: { id: number }) {
  const words = useTranslations('merges')
  const format = useFormatter()
  const { store, compare } = useTableContext()
  const found = useDuplicateCount(id)
  const { type } = store.key
  if (!found || type === 'leads' || type === 'customers') return undefined
  const { count, is_more: isMore } = found
  const number = `${format.number(count)}${isMore ? '+' : ''}`
  const text = isMore ? words('most', { count }) : words(`shares.${type}.both`, { count })
  const content = (
    <>
      <CopyCheck size={13} aria-hidden /> {number}
    </>
  )
  if (!compare)
    return (
      <span className={styles.alike} role="img" aria-label={text} title={text}>
        {content}
      </span>
    )
  return (
    <button
      type="button"
      className={styles.alike}
      tabIndex={-1}
      aria-label={`${text}. ${words('compare')}`}
      data-mark
      title={text}
      onClick={() => compare(id)}
    >
      {content}
    </button>
  )
}

function FieldContent({ row, column }: ContentProps) {
  const texts = useValueTexts()
  const words = useTranslations('ui')
  const values = column.read(row)
  if (values === null) return undefined
  const { type } = column.field
  const { isFlag, hasLinks, isMany, isChoice } = fieldKinds[type]
  if (isFlag)
    return values[0]?.value === true ? (
      <Check size={15} role="img" aria-label={words('yes')} />
    ) : undefined
  if (column.fieldId !== undefined && hasLinks) return <Links column={column} values={values} />
  if (isMany && isChoice) {
    const colors = new Map(column.field.enums?.map(({ id, color }) => [id, color]))
    const chips = values.map(({ enum_id, value }) => ({
      id: enum_id!,
      name: String(value),
      color: colors.get(enum_id!),
    }))
    return <Chips chips={chips} />
  }
  if (type === 'numeric' && column.fieldId === undefined)
    return <bdi>{String(values[0]!.value)}</bdi>
  return <bdi>{texts.all(column.field, values)}</bdi>
}

/** The stage of a lead, or the status of a customer. */
function Stage({ row, column }: ContentProps) {
  const { vocabulary } = useTableContext()
  const { pipelines, customer_statuses } = vocabulary
  const stages =
    row.pipeline_id === undefined
      ? customer_statuses
      : pipelines.find(({ id }) => id === row.pipeline_id)?.statuses
  const stage = stages?.find(({ id }) => id === row.status_id)
  if (!stage) return undefined
  return (
    <span className={styles.stage} title={plainText(column.read(row)?.[0]?.value)}>
      <i style={{ background: stage.color }} aria-hidden />
      <bdi>{stage.name}</bdi>
    </span>
  )
}

function User({ row, column }: ContentProps) {
  const { vocabulary } = useTableContext()
  const id = row[column.member] as number
  const name = vocabulary.users.find((user) => user.id === id)?.name
  return name === undefined ? undefined : <bdi>{name}</bdi>
}

/** Phones, addresses of the web and others that lead somewhere, one after the other. */
function Links({ column: { field }, values }: { column: RowColumn; values: NonNullable<Values> }) {
  return (
    <span>
      {values.map(({ value }, index) => {
        const text = plainText(value)
        const to = linkOf(field.type, field.code, text)
        return (
          <span key={index}>
            {index > 0 && ', '}
            {to === undefined ? (
              <bdi>{text}</bdi>
            ) : (
              <a
                href={to}
                tabIndex={-1}
                {...(field.type === 'url' && { target: '_blank', rel: 'noreferrer' })}
              >
                <bdi>{text}</bdi>
              </a>
            )}
          </span>
        )
      })}
    </span>
  )
}

const Tags = ({ row: { tags } }: ContentProps) => <Chips chips={tags} />

function Chips({
  chips,
}: {
  chips: readonly { id: number; name: string; color?: string | null }[]
}) {
  if (chips.length === 0) return undefined
  return (
    <span className={styles.tags}>
      {chips.map(({ id, name, color }) => (
        <span
          key={id}
          className={styles.tag}
          style={color ? { borderColor: `#${color.replace('#', '')}` } : undefined}
        >
          <bdi>{name}</bdi>
        </span>
      ))}
    </span>
  )
}

function Linked({ row, column }: ContentProps) {
  const { openLinked } = useTableContext()
  const found = row[column.member] as { id: number; name: string } | null | undefined
  const words = useTranslations('rows')
  if (!found) return undefined
  const type = column.member === 'contact' ? 'contacts' : 'companies'
  return (
    <RecordLink
      type={type}
      id={found.id}
      open={() => openLinked(type, found.id)}
      className={styles.link}
      tabIndex={-1}
    >
      <bdi>{found.name || words('untitled', { id: found.id })}</bdi>
    </RecordLink>
  )
}

function Leads({ row: { leads } }: ContentProps) {
  const words = useTranslations('rows')
  const format = useFormatter()
  if (!leads || leads.total === 0) return undefined
  const total = `${format.number(leads.total)}${leads.is_more ? '+' : ''}`
  return (
    <span
      className="numbers"
      title={words('leadsOf', { open: leads.open, total })}
    >{`${format.number(leads.open)} / ${total}`}</span>
  )
}

function Due({ row, column }: ContentProps) {
  const texts = useValueTexts()
  const { zones } = useTableContext()
  const values = column.read(row)
  if (values === null) return undefined
  const isLate =
    dayAt(Number(values[0]!.value), zones.account) < dayAt(Date.now() / 1000, zones.account)
  return <span data-late={isLate || undefined}>{texts.all(column.field, values)}</span>
}

function Task({ row: { closest_task_at: at } }: ContentProps) {
  const moment = useDayAndTime()
  if (at === null) return undefined
  return <span data-late={at * 1000 < Date.now() || undefined}>{moment(at)}</span>
}
