import { Eye, EyeOff } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { ExceptionStage } from './exceptions.tsx'
import styles from './preview.module.css'
import { actions, rightsTypes } from './rights.ts'
import type { Action, RightLevel, Rights } from './rights.ts'

/** The rights in words: what a person with them sees, and how much of it the person may change. */
export function RightsPreview({ rights, stages }: { rights: Rights; stages: ExceptionStage[] }) {
  const words = useTranslations('roles')
  const partsOf = (levels: Partial<Record<Action, RightLevel>>) =>
    (levels.view === 'D' ? (['view', 'add'] as const) : actions)
      .filter((action) => levels[action] !== undefined)
      .map((action) => ({
        key: action as string,
        text: words(`see.${action}`, { level: levels[action]! }),
        isDenied: levels[action] === 'D',
      }))
  const lines = rightsTypes.map((type) => ({
    key: type as string,
    name: words(`type.${type}`),
    isSeen: type === 'tasks' ? true : rights[type].view !== 'D',
    parts:
      type === 'tasks'
        ? [{ key: 'tasks', text: words('see.tasks'), isDenied: false }, ...partsOf(rights.tasks)]
        : partsOf(rights[type]),
  }))
  const lists = {
    key: 'lists',
    name: words('lists'),
    isSeen: rights.catalog_access,
    parts: [
      {
        key: 'lists',
        text: words(rights.catalog_access ? 'see.lists' : 'see.noLists'),
        isDenied: !rights.catalog_access,
      },
    ],
  }
  const exceptions = stages.flatMap((stage) => {
    const right = rights.status_rights?.find(
      (each) => each.pipeline_id === stage.pipeline_id && each.status_id === stage.status_id,
    )
    if (!right) return []
    return {
      key: `${stage.pipeline_id} ${stage.status_id}`,
      name: words('stageOf', { pipeline: stage.pipeline, stage: stage.name }),
      isSeen: right.rights.view !== 'D',
      parts: partsOf(right.rights),
    }
  })
  return (
    <dl className={styles.list}>
      {[...lines, lists, ...exceptions].map(({ key, name, isSeen, parts }) => (
        <div key={key} className={styles.line}>
          <dt>
            {isSeen ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />}
            {name}
          </dt>
          <dd>
            {parts.map((part) => (
              <span key={part.key} className={part.isDenied ? styles.denied : undefined}>
                {part.text}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}
