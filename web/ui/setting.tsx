import { Text, VisuallyHidden } from '@mantine/core'
import { Check } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './setting.module.css'
import { ProblemAlert } from './states.tsx'

/** Settings under each other that are each saved at once. */
export const Settings = ({ children }: { children: ReactNode }) => <div>{children}</div>

/**
 * A setting that is saved as soon as it is changed: its name and what it does beside its control,
 * which gets the ids of both, and a tick once the server has it.
 */
export function Setting({
  title,
  about,
  save,
  children,
}: {
  title: string
  about?: ReactNode
  /** The latest change; `submittedAt` tells one success from the next. */
  save: { isSuccess: boolean; submittedAt: number; error: unknown }
  children: (names: {
    'aria-labelledby': string
    'aria-describedby': string | undefined
  }) => ReactNode
}) {
  const words = useTranslations('ui')
  const id = useId()
  const isSaved = useSavedFor(save)
  return (
    <div className={styles.setting}>
      <div className={styles.words}>
        <div className={styles.title}>
          <Text fw={500} id={id}>
            {title}
          </Text>
          <span className={styles.tick} role="status">
            {isSaved && (
              <>
                <Check size={16} aria-hidden />
                <VisuallyHidden>{words('saved')}</VisuallyHidden>
              </>
            )}
          </span>
        </div>
        {about && (
          <Text c="dimmed" id={`${id}-about`} className={styles.about}>
            {about}
          </Text>
        )}
        <ProblemAlert error={save.error} />
      </div>
      <div className={styles.control}>
        {children({
          'aria-labelledby': id,
          'aria-describedby': about ? `${id}-about` : undefined,
        })}
      </div>
    </div>
  )
}

/** Milliseconds that the tick stays. */
const tickMs = 2500

function useSavedFor({ isSuccess, submittedAt }: { isSuccess: boolean; submittedAt: number }) {
  const [isSaved, setSaved] = useState(false)
  useEffect(() => {
    setSaved(isSuccess)
    if (!isSuccess) return undefined
    const timer = setTimeout(() => setSaved(false), tickMs)
    return () => clearTimeout(timer)
  }, [isSuccess, submittedAt])
  return isSaved
}
