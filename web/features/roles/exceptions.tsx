import { ActionIcon, Text, UnstyledButton } from '@mantine/core'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ProblemText } from '../../ui/states.tsx'
import type { EditedRights } from './draft.ts'
import styles from './exceptions.module.css'
import matrix from './matrix.module.css'
import { limitOf, withLevel } from './rights.ts'
import type { Action, RightLevel, StageRight } from './rights.ts'
import { Select } from '../../ui/select.tsx'

/** A stage of a pipeline, as exceptions show it. */
export interface ExceptionStage {
  pipeline_id: number
  status_id: number
  /** The name of the pipeline. */
  pipeline: string
  name: string
  color: string
  /** Requests that wait: closed unless a right opens them, and never exported. */
  isUnsorted: boolean
}

const columns = ['view', 'edit', 'delete', 'export'] as const
const keyOf = ({ pipeline_id, status_id }: { pipeline_id: number; status_id: number }) =>
  `${pipeline_id} ${status_id}`

/** Rights to the leads of single stages, in place of those to leads in general. */
export function StageExceptions({
  draft,
  stages,
}: {
  draft: EditedRights
  stages: ExceptionStage[]
}) {
  const words = useTranslations('roles')
  const [error, setError] = useState<unknown>()
  const given = draft.rights.status_rights ?? []
  const byStage = new Map(given.map((right) => [keyOf(right), right]))
  const shown = stages.filter((stage) => byStage.has(keyOf(stage)))
  const others = stages.filter((stage) => !byStage.has(keyOf(stage)))
  const save = (status_rights: StageRight[]) => {
    setError(undefined)
    draft.change({ status_rights }).catch(setError)
  }
  const set = (stage: ExceptionStage, rights: StageRight['rights']) =>
    save(given.map((each) => (keyOf(each) === keyOf(stage) ? { ...each, rights } : each)))
  return (
    <>
      {shown.length > 0 && (
        <div className={matrix.scroll}>
          <table className={matrix.grid} aria-label={words('exceptions')}>
            <thead>
              <tr>
                <th scope="col">{words('stage')}</th>
                {columns.map((action) => (
                  <th key={action} scope="col">
                    {words(`action.${action}`)}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {shown.map((stage) => {
                const { rights } = byStage.get(keyOf(stage))!
                const name = words('stageOf', { pipeline: stage.pipeline, stage: stage.name })
                return (
                  <tr key={keyOf(stage)}>
                    <th scope="row">
                      <span className={styles.stage}>
                        <span className={styles.dot} style={{ background: stage.color }} />
                        {name}
                      </span>
                    </th>
                    {columns.map((action) => (
                      <td key={action}>
                        {action === 'export' && stage.isUnsorted ? (
                          <span className={matrix.nothing}>–</span>
                        ) : (
                          <Answer
                            stage={name}
                            action={action}
                            rights={rights}
                            onSet={(next) => set(stage, next)}
                          />
                        )}
                      </td>
                    ))}
                    <td className={styles.remove}>
                      {!stage.isUnsorted && (
                        <ActionIcon
                          aria-label={words('removeException', { stage: name })}
                          onClick={() => save(given.filter((each) => keyOf(each) !== keyOf(stage)))}
                        >
                          <X size={16} />
                        </ActionIcon>
                      )}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
      {others.length > 0 && (
        <Select
          className={styles.add}
          aria-label={words('addException')}
          placeholder={words('addException')}
          searchable
          value={null}
          data={others.map((stage) => ({
            value: keyOf(stage),
            label: words('stageOf', { pipeline: stage.pipeline, stage: stage.name }),
          }))}
          onChange={(key) => {
            const stage = others.find((each) => keyOf(each) === key)
            if (!stage) return
            const { pipeline_id, status_id } = stage
            const closed = { view: 'D', edit: 'D', delete: 'D', export: 'D' } as const
            save([...given, { entity_type: 'leads', pipeline_id, status_id, rights: closed }])
          }}
        />
      )}
      {error !== undefined && (
        <Text c="danger" role="alert" mt="xs">
          <ProblemText error={error} />
        </Text>
      )}
    </>
  )
}

/** Yes or no to an action; one that needs a denied action cannot be allowed. */
function Answer({
  stage,
  action,
  rights,
  onSet,
}: {
  stage: string
  action: Action
  rights: StageRight['rights']
  onSet: (rights: StageRight['rights']) => void
}) {
  const words = useTranslations('roles')
  const level = (rights as Partial<Record<Action, RightLevel>>)[action] ?? 'D'
  const next = level === 'D' ? 'A' : 'D'
  const limit = limitOf(rights, action, next)
  const word = words(level === 'D' ? 'no' : 'yes')
  return (
    <UnstyledButton
      className={matrix.cell}
      data-level={level}
      disabled={limit !== undefined}
      title={
        limit &&
        words('limited', { action: words(`action.${action}`), needed: words(`action.${limit}`) })
      }
      aria-label={words('cell', { type: stage, action: words(`action.${action}`), level: word })}
      onClick={() => onSet(withLevel(rights, action, next) as StageRight['rights'])}
    >
      {word}
    </UnstyledButton>
  )
}
