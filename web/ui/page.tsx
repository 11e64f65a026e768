import { Group, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import styles from './page.module.css'

/**
 * A page with its only heading. The heading becomes the title of the document and takes the focus
 * when the page opens, so that a screen reader speaks it.
 */
export function PageFrame({
  title,
  about,
  up,
  actions,
  children,
  isWide = false,
}: {
  title: string
  /** The list that the page is a record of. */
  up?: { to: string; title: string }
  /** One or two sentences under the heading. */
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** For tables; texts and forms are read in a column. */
  isWide?: boolean
}) {
  const words = useTranslations('shell')
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = words('title', { page: title })
  }, [title, words])
  useLayoutEffect(() => {
    // A field that wants the focus has taken it already.
    if (document.activeElement === document.body || !document.activeElement)
      heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={isWide ? styles.wide : styles.page}>
      {up && (
        <Link to={up.to} className={styles.up}>
          <ChevronLeft size={14} aria-hidden />
          {up.title}
        </Link>
      )}
      <Group justify="space-between" align="flex-start" gap="sm" className={styles.head}>
        <div className={styles.words}>
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {about && (
            <Text c="dimmed" className={styles.about}>
              {about}
            </Text>
          )}
        </div>
        {actions && (
          <Group gap="sm" mih={28}>
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </div>
  )
}

/** A part of a page under a heading of its own. */
export function PageSection({
  title,
  about,
  actions,
  children,
}: {
  title: string
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={styles.section} aria-label={title}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="lg">
        <div className={styles.words}>
          <Title order={2}>{title}</Title>
          {about && (
            <Text c="dimmed" className={styles.about}>
              {about}
            </Text>
          )}
        </div>
        {actions && (
          <Group gap="sm" mih={28}>
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </section>
  )
}
