import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { checklistQuery, checklistSteps } from './checklist.ts'
import type { StepPage } from './checklist.ts'
import styles from './first-steps.module.css'

/** The first steps of a new account; nothing once all are done, or while they cannot be read. */
export function FirstSteps({
  isLine = false,
  addressOf,
  onHide,
}: {
  /** In one line, above other work. */
  isLine?: boolean
  addressOf: (page: StepPage) => string
  onHide: () => void
}) {
  const words = useTranslations('checklist')
  const { data } = useQuery(checklistQuery)
  if (!data) return undefined
  const done = checklistSteps.filter(([step]) => data[step]).length
  if (done === checklistSteps.length) return undefined
  // A line may be cut at its end: the steps that are left come first.
  const steps = isLine
    ? checklistSteps.toSorted(([one], [other]) => Number(data[one]) - Number(data[other]))
    : checklistSteps
  return (
    <section className={isLine ? styles.line : styles.card} aria-labelledby="first-steps">
      <div className={styles.head}>
        <h2 id="first-steps">{words('title')}</h2>
        <Text c="dimmed" size="xs">
          {words('done', { done, all: checklistSteps.length })}
        </Text>
        <Tooltip label={words('hide')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words('hide')}
            className={styles.hide}
            onClick={onHide}
          >
            <X size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
      <ul className={styles.steps}>
        {steps.map(([step, page]) => (
          <li key={step} className={styles.step} data-done={data[step] || undefined}>
            <span className={styles.mark} aria-hidden>
              {data[step] && <Check size={12} strokeWidth={3} />}
            </span>
            <div>
              <Link to={addressOf(page)} className={styles.link}>
                {words(`steps.${step}`)}
              </Link>
              {data[step] ? (
                <span className={styles.about}>{words('isDone')}</span>
              ) : (
                <span className={styles.about}>{words(`abouts.${step}`)}</span>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
