// The fields of an entity: groups as sections, fields as rows, both in an order that people change.
import { ActionIcon, Menu, VisuallyHidden } from '@mantine/core'
import { Ellipsis } from 'lucide-react'
import { useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useBootstrap } from '../../crm/bootstrap.ts'
import { fieldsInGroup } from './fields.ts'
import type { FieldEntity, ManagedField, ManagedFields } from './fields.ts'
import styles from './list.module.css'
import { EmptyOrder, Orderable, OrderedRow } from './order.tsx'
import { namedType, typeIcons } from './type-icons.ts'
import { useUsageText } from './usage.ts'
import type { UsageOfField } from './usage.ts'

export type GroupOfFields = ManagedFields['groups'][number]

interface Acts {
  open: (field: ManagedField) => void
  remove: (field: ManagedField) => void
  rename: (group: GroupOfFields) => void
  removeGroup: (group: GroupOfFields) => void
  move: (id: number, group: string, before: number | null) => void
  moveGroup: (id: string, before: string | null) => void
}

interface Shown {
  entity: FieldEntity
  all: ManagedFields
  usage: ReadonlyMap<number, UsageOfField>
  acts: Acts
}

/**
 * All groups, in their order. Without groups, as segments are, the fields are one list. `now` answers
 * the definitions after the latest move, which keys may be ahead of drawing.
 */
export function FieldSections({ now, ...shown }: Shown & { now: () => ManagedFields }) {
  const words = useTranslations('fields')
  const { all, acts } = shown
  const [moved, movedGroup] = [
    useRef<number | string>(undefined),
    useRef<number | string>(undefined),
  ]
  const groups = all.groups.map(({ id }) => id)
  /** The place of a field that goes by one, into the next group at the end of its own. */
  const step = (key: number | string, by: 1 | -1) => {
    const present = now()
    const field = present.fields.find(({ id }) => id === key)
    if (!field) return
    const group = field.group_id ?? 'default'
    const list = fieldsInGroup(present, group)
    const at = list.indexOf(field)
    if (list[at + by]) {
      const next = list[by < 0 ? at - 1 : at + 2]
      return acts.move(field.id, group, next?.id ?? null)
    }
    const groups = present.groups.map(({ id }) => id)
    const other = groups[groups.indexOf(group) + by]
    if (other === undefined) return
    acts.move(field.id, other, by < 0 ? null : (fieldsInGroup(present, other)[0]?.id ?? null))
  }
  const stepGroup = (key: number | string, by: 1 | -1) => {
    const groups = now().groups.map(({ id }) => id)
    const at = groups.indexOf(String(key))
    if (groups[at + by] === undefined) return
    acts.moveGroup(String(key), groups[by < 0 ? at - 1 : at + 2] ?? null)
  }
  const fields = (group: string, label: string) => (
    <Orderable
      name="field"
      moved={moved}
      step={step}
      drop={(key, list, before) => acts.move(Number(key), list, before as number | null)}
    >
      <FieldRows {...shown} group={group} label={label} step={step} />
    </Orderable>
  )
  if (groups.length === 0) return fields('default', words('title'))
  return (
    <Orderable
      name="group"
      moved={movedGroup}
      step={stepGroup}
      drop={(key, _list, before) => acts.moveGroup(String(key), before as string | null)}
    >
      <ul className={styles.groups} aria-label={words('groups')}>
        {all.groups.map((group, index) => (
          <OrderedRow
            key={group.id}
            id={group.id}
            list="groups"
            next={groups[index + 1] ?? null}
            className={styles.group}
          >
            <section aria-label={group.name} className={styles.section}>
              <div className={styles.head}>
                <h2>{group.name}</h2>
                <GroupMenu
                  group={group}
                  isFirst={index === 0}
                  isLast={index === groups.length - 1}
                  acts={acts}
                  step={stepGroup}
                />
              </div>
              {fields(group.id, group.name)}
            </section>
          </OrderedRow>
        ))}
      </ul>
    </Orderable>
  )
}

function GroupMenu({
  group,
  isFirst,
  isLast,
  acts,
  step,
}: {
  group: GroupOfFields
  isFirst: boolean
  isLast: boolean
  acts: Acts
  step: (key: string, by: 1 | -1) => void
}) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={words('actsOfGroup', { name: group.name })} data-name>
          <Ellipsis size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => acts.rename(group)}>{words('rename')}</Menu.Item>
        <Menu.Item disabled={isFirst} onClick={() => step(group.id, -1)}>
          {words('moveUp')}
        </Menu.Item>
        <Menu.Item disabled={isLast} onClick={() => step(group.id, 1)}>
          {words('moveDown')}
        </Menu.Item>
        {!group.is_predefined && (
          <Menu.Item c="danger" onClick={() => acts.removeGroup(group)}>
            {shared('delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function FieldRows({
  group,
  label,
  step,
  ...shown
}: Shown & { group: string; label: string; step: (key: number, by: 1 | -1) => void }) {
  const words = useTranslations('fields')
  const list = fieldsInGroup(shown.all, group)
  if (list.length === 0) return <EmptyOrder list={group}>{words('emptyGroup')}</EmptyOrder>
  return (
    // Arrows walk over the names of the fields, wherever the focus is in a row.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul className={styles.list} aria-label={label} onKeyDown={walkRows}>
      {list.map((field, index) => (
        <OrderedRow
          key={field.id}
          id={field.id}
          list={group}
          next={list[index + 1]?.id ?? null}
          className={styles.row}
        >
          <FieldRow {...shown} field={field} step={step} />
        </OrderedRow>
      ))}
    </ul>
  )
}

/** Up and down go to the name of the next field of the page. */
function walkRows(event: KeyboardEvent<HTMLUListElement>): void {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
  const { target, altKey, ctrlKey, metaKey, shiftKey } = event
  if (!by || altKey || ctrlKey || metaKey || shiftKey) return
  if (!(target instanceof HTMLElement) || !Object.hasOwn(target.dataset, 'field')) return
  const names = [...document.querySelectorAll<HTMLElement>('button[data-field]')]
  event.preventDefault()
  names[names.indexOf(target) + by]?.focus()
}

function FieldRow({
  entity,
  all,
  usage,
  acts,
  field,
  step,
}: Shown & { field: ManagedField; step: (key: number, by: 1 | -1) => void }) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const usageText = useUsageText()
  const marks = useFieldMarks(entity, field)
  const type = namedType(field.type)
  const Icon = typeIcons[type]
  const used = usage.get(field.id)
  const group = field.group_id ?? 'default'
  return (
    <>
      <Icon size={16} className={styles.icon} aria-hidden />
      <div className={styles.words}>
        <div className={styles.line}>
          <button
            type="button"
            className={styles.name}
            data-name
            data-field
            onClick={() => acts.open(field)}
          >
            {field.name}
          </button>
          {field.code !== null && <code className={styles.code}>{field.code}</code>}
        </div>
        <div className={styles.about}>
          <span>
            {words(`type.${type}`)}
            {field.enums && type !== 'smart_address' && ` (${field.enums.length})`}
            {field.nested && ` (${field.nested.length})`}
          </span>
          {marks.map((mark) => (
            <span key={mark}>{mark}</span>
          ))}
        </div>
      </div>
      <span className={styles.usage}>{used && usageText(used)}</span>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={words('actsOf', { name: field.name })}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => acts.open(field)}>{words('edit')}</Menu.Item>
          <Menu.Item onClick={() => step(field.id, -1)}>{words('moveUp')}</Menu.Item>
          <Menu.Item onClick={() => step(field.id, 1)}>{words('moveDown')}</Menu.Item>
          {all.groups
            .filter(({ id }) => id !== group)
            .map(({ id, name }) => (
              <Menu.Item key={id} onClick={() => acts.move(field.id, id, null)}>
                {words('moveTo', { group: name })}
              </Menu.Item>
            ))}
          {field.is_deletable && (
            <Menu.Item c="danger" onClick={() => acts.remove(field)}>
              {shared('delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** What else is to know of a field: where it is asked for and hidden, and who fills it in. */
export function useFieldMarks(
  entity: FieldEntity,
  field: Pick<ManagedField, 'required_statuses' | 'hidden_statuses' | 'is_api_only'> &
    Partial<Pick<ManagedField, 'is_predefined' | 'is_visible' | 'is_required'>>,
): string[] {
  const words = useTranslations('fields')
  const { pipelines } = useBootstrap()
  const names = (stages: ManagedField['required_statuses']) =>
    stages.flatMap(({ pipeline_id, status_id }) => {
      const pipeline = pipelines.find(({ id }) => id === pipeline_id)
      const status = pipeline?.statuses.find(({ id }) => id === status_id)
      return status ? [status.name] : []
    })
  const [required, hidden] = [names(field.required_statuses), names(field.hidden_statuses)]
  return [
    ...(field.is_predefined ? [words('predefined')] : []),
    ...(required.length === 0
      ? []
      : required.length === 1
        ? [words('requiredIn', { stage: required[0]! })]
        : [words('requiredInMany', { count: required.length })]),
    ...(hidden.length > 0 && entity === 'leads'
      ? [words('hiddenIn', { count: hidden.length })]
      : []),
    ...(field.is_required === true ? [words('mustFill')] : []),
    ...(field.is_visible === false ? [words('notShown')] : []),
    ...(field.is_api_only ? [words('apiOnly')] : []),
  ]
}

/** Says to screen readers where a move has ended. */
export const Announced = ({ text }: { text: string }) => (
  <VisuallyHidden>
    <div role="status" aria-live="polite">
      {text}
    </div>
  </VisuallyHidden>
)
