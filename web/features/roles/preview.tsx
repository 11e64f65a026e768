import { Eye, EyeOff } from 'lucide-react'
import { useTranslations } from 'use-intl'
import type { Stage } from './exceptions.tsx'
import styles from './preview.module.css'
import { recordTypes } from './rights.ts'
import type { Action, RightLevel, Rights } from './rights.ts'

/** The rights in words: what a person with them sees, and how much of it the person may change. */
export function RightsPreview({ rights, stages }: { rights: Rights; stages: Stage[] }) {
  const words = useTranslations('roles')
  const sentenceOf = (levels: Partial<Record<Action, RightLevel>>): string =>
    (levels.view === 'D'
      ? (['view', 'add'] as const)
      : (['view', 'edit', 'add', 'delete', 'export'] as const)
    )
      .filter((action) => levels[action] !== undefined)
      .map((action) => words(`see.${action}`, { level: levels[action]! }))
      .join(' · ')
  const lines = recordTypes.map((type) => ({
    key: type as string,
    name: words(`type.${type}`),
    isSeen: type === 'tasks' ? true : rights[type].view !== 'D',
    text:
      type === 'tasks'
        ? `${words('see.tasks')} · ${sentenceOf(rights.tasks)}`
        : sentenceOf(rights[type]),
  }))
  const exceptions = stages.flatMap((stage) => {
    const right = rights.status_rights?.find(
      (each) => each.pipeline_id === stage.pipeline_id && each.status_id === stage.status_id,
    )
    if (!right) return []
    return {
      key: `${stage.pipeline_id} ${stage.status_id}`,
      name: words('stageOf', { pipeline: stage.pipeline, stage: stage.name }),
      isSeen: right.rights.view !== 'D',
      text: sentenceOf(right.rights),
    }
  })
  return (
    <dl className={styles.list}>
      {[...lines, ...exceptions].map(({ key, name, isSeen, text }) => (
        <div key={key} className={styles.line}>
          <dt>
            {isSeen ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />}
            {name}
          </dt>
          <dd data-seen={isSeen}>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
