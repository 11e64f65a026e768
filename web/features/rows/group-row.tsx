// The heading of a group: the value that its rows have, their number, and whether they are shown.
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useFormatter, useTranslations } from 'use-intl'
import { fieldKinds } from '../../crm/fields/types.ts'
import type { RowsVocabulary } from './columns.ts'
import { useTableContext, useTableSelection } from './context.ts'
import { cellId } from './row.tsx'
import type { GroupHeading } from './store.ts'
import styles from './rows.module.css'

export function GroupRow({
  index,
  group,
  top,
}: {
  index: number
  group: GroupHeading
  top: number
}) {
  const format = useFormatter()
  const { store } = useTableContext()
  const focused = useTableSelection(({ focus }) =>
    focus?.row === index ? focus.column : undefined,
  )
  const label = useGroupLabel()(group)
  const color = useGroupColor(group)
  const Icon = group.isOpen ? ChevronDown : ChevronRight
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      data-group={group.value}
    >
      <div
        role="gridcell"
        id={cellId(index, focused ?? 0)}
        aria-colindex={2}
        className={styles.group}
        data-cell={`${index} ${focused ?? 0}`}
        data-focus={focused !== undefined || undefined}
      >
        <button
          type="button"
          tabIndex={-1}
          aria-expanded={group.isOpen}
          onClick={() => store.toggle(group.value)}
        >
          <Icon size={15} aria-hidden />
          {color !== undefined && <i style={{ background: color }} aria-hidden />}
          <b dir="auto">{label}</b>
          <span className="numbers">{format.number(group.count)}</span>
        </button>
      </div>
    </div>
  )
}

/** The colour of the stage of a group; undefined where another column makes the groups. */
function useGroupColor({ value }: GroupHeading): string | undefined {
  const { vocabulary, groupColumn } = useTableContext()
  return groupColumn?.kind === 'stage' ? stageOfGroup(vocabulary, value).stage?.color : undefined
}

/** The stage that a group of leads is in, and its pipeline, as far as they are there; of customers, their status. */
function stageOfGroup(
  { pipelines, customer_statuses }: Pick<RowsVocabulary, 'pipelines' | 'customer_statuses'>,
  value: string,
) {
  const [pipelineId, statusId] = value.split(':').map(Number)
  if (statusId === undefined)
    return { pipeline: undefined, stage: customer_statuses.find(({ id }) => id === pipelineId) }
  const pipeline = pipelines.find(({ id }) => id === pipelineId)
  return { pipeline, stage: pipeline?.statuses.find(({ id }) => id === statusId) }
}

/** The text of a group, by the column that makes it. */
function useGroupLabel(): (group: GroupHeading) => string {
  const words = useTranslations('rows')
  const ui = useTranslations('ui')
  const { vocabulary, groupColumn } = useTableContext()
  return ({ value }) => {
    if (value === '' || !groupColumn) return words('groupNone')
    const { kind, name: column, field } = groupColumn
    const { users, pipelines } = vocabulary
    if (kind === 'user')
      return users.find(({ id }) => String(id) === value)?.name ?? words('groupNone')
    if (kind === 'stage') {
      const { pipeline, stage } = stageOfGroup(vocabulary, value)
      const name = stage?.name ?? value
      return pipelines.length > 1 && pipeline ? `${pipeline.name}: ${name}` : name
    }
    if (column === 'pipeline_id')
      return pipelines.find(({ id }) => String(id) === value)?.name ?? value
    if (fieldKinds[field.type].isFlag) return ui(value === 'true' ? 'yes' : 'no')
    return field.enums?.find(({ id }) => String(id) === value)?.value ?? value
  }
}
