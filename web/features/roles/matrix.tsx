import { Menu, Text, UnstyledButton } from '@mantine/core'
import { Check } from 'lucide-react'
import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemText } from '../../ui/states.tsx'
import type { EditedRights } from './draft.ts'
import styles from './matrix.module.css'
import { actions, levelChoices, hasLevel, limitOf, rightsTypes, withLevel } from './rights.ts'
import type { Action, RightsType, RightLevel } from './rights.ts'

interface Cell {
  type: RightsType
  action: Action
}

const isSame = (one: Cell | undefined, other: Cell) =>
  one?.type === other.type && one.action === other.action

/** The keys that set a level; the place on the keyboard counts, so that they work on any layout. */
const levelOfKey: Record<string, RightLevel> = { KeyA: 'A', KeyG: 'G', KeyO: 'M', KeyN: 'D' }
const steps: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** The rights to records: a grid of one tab stop, in which arrows move and letters set a level. */
export function RightsMatrix({ draft }: { draft: EditedRights }) {
  const words = useTranslations('roles')
  const grid = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState<Cell>({ type: 'leads', action: 'view' })
  const [refusal, setRefusal] = useState<{ cell: Cell; reason: React.ReactNode }>()
  const { rights } = draft

  const set = (cell: Cell, level: RightLevel) => {
    const { type, action } = cell
    const levels = rights[type]
    setRefusal(undefined)
    if (!levelChoices(action).includes(level))
      return setRefusal({ cell, reason: words('onlyAllOrNone') })
    const limit = limitOf(levels, action, level)
    if (limit)
      return setRefusal({
        cell,
        reason: words('limited', {
          action: words(`action.${action}`),
          needed: words(`action.${limit}`),
        }),
      })
    draft
      .change({ [type]: withLevel(levels, action, level) })
      .catch((error: unknown) => setRefusal({ cell, reason: <ProblemText error={error} /> }))
  }

  const go = (cell: Cell) => {
    setAt(cell)
    grid.current?.querySelector<HTMLElement>(`[data-cell='${cell.type} ${cell.action}']`)?.focus()
  }

  const press = (event: KeyboardEvent, cell: Cell) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const level = levelOfKey[event.code]
    const step = steps[event.key]
    const next =
      step === undefined
        ? { Home: rowOf(cell.type)[0], End: rowOf(cell.type).at(-1) }[event.key]
        : neighbour(cell, step)
    if (level === undefined && step === undefined && next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (level) set(cell, level)
    else if (next) go(next)
  }

  return (
    <>
      <div className={styles.scroll}>
        <table role="grid" aria-label={words('matrix')} className={styles.grid} ref={grid}>
          <thead>
            <tr>
              <td />
              {actions.map((action) => (
                <th key={action} scope="col">
                  {words(`action.${action}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rightsTypes.map((type) => (
              <tr key={type}>
                <th scope="row">{words(`type.${type}`)}</th>
                {actions.map((action) => {
                  const cell = { type, action }
                  return (
                    <td key={action}>
                      {hasLevel(type, action) ? (
                        <LevelCell
                          cell={cell}
                          rights={rights}
                          isTabStop={isSame(at, cell)}
                          isRefused={isSame(refusal?.cell, cell)}
                          onSet={(level) => set(cell, level)}
                          onFocus={() => setAt(cell)}
                          onKeyDown={(event) => press(event, cell)}
                        />
                      ) : (
                        <span className={styles.nothing} title={words('asRecord')}>
                          –
                        </span>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={styles.said}>
        <Text size="xs" c="dimmed" className={styles.keys}>
          {words('keys')}
        </Text>
        <Text size="xs" c="dimmed" role="status">
          {draft.isSaving ? words('saving') : ''}
        </Text>
      </div>
      {refusal && (
        <Text c="danger" role="alert" mt="xs">
          {refusal.reason}
        </Text>
      )}
    </>
  )
}

function LevelCell({
  cell: { type, action },
  rights,
  isTabStop,
  isRefused,
  onSet,
  onFocus,
  onKeyDown,
}: {
  cell: Cell
  rights: EditedRights['rights']
  isTabStop: boolean
  isRefused: boolean
  onSet: (level: RightLevel) => void
  onFocus: () => void
  onKeyDown: (event: KeyboardEvent) => void
}) {
  const words = useTranslations('roles')
  const levels = rights[type] as Partial<Record<Action, RightLevel>>
  const level = levels[action] ?? 'D'
  const wordOf = (each: RightLevel) =>
    action === 'add' ? words(each === 'D' ? 'no' : 'yes') : words(`level.${each}`)
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton
          className={styles.cell}
          data-cell={`${type} ${action}`}
          data-level={level}
          data-refused={isRefused || undefined}
          tabIndex={isTabStop ? 0 : -1}
          aria-label={words('cell', {
            type: words(`type.${type}`),
            action: words(`action.${action}`),
            level: wordOf(level),
          })}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
        >
          {wordOf(level)}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {levelChoices(action).map((each) => {
          const limit = limitOf(levels, action, each)
          return (
            <Menu.Item
              key={each}
              disabled={limit !== undefined}
              data-autofocus={each === level || undefined}
              onClick={() => onSet(each)}
              rightSection={each === level && <Check size={16} aria-hidden />}
            >
              {wordOf(each)}
              <span className={styles.about}>
                {limit
                  ? words('limited', {
                      action: words(`action.${action}`),
                      needed: words(`action.${limit}`),
                    })
                  : each === 'D'
                    ? words('levelAbout.D')
                    : words(action === 'add' ? 'addAbout' : `levelAbout.${each}`)}
              </span>
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

const rowOf = (type: RightsType): Cell[] =>
  actions.filter((action) => hasLevel(type, action)).map((action) => ({ type, action }))

/** The next cell in a direction; cells that do not exist are passed over. */
function neighbour({ type, action }: Cell, [down, right]: [number, number]): Cell | undefined {
  let [row, column] = [rightsTypes.indexOf(type) + down, actions.indexOf(action) + right]
  for (;;) {
    const [nextType, nextAction] = [rightsTypes[row], actions[column]]
    if (!nextType || !nextAction) return undefined
    if (hasLevel(nextType, nextAction)) return { type: nextType, action: nextAction }
    row += down
    column += right
  }
}
