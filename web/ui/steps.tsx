import type { ReactNode } from 'react'
import styles from './steps.module.css'

/** How something is begun, in numbered steps, with the first action under them. */
export function StartSteps({
  title,
  steps,
  action,
}: {
  title: string
  steps: { title: string; text: ReactNode }[]
  action: ReactNode
}) {
  return (
    <section className={styles.box} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <li key={step.title}>
            <h3>{step.title}</h3>
            <p>{step.text}</p>
          </li>
        ))}
      </ol>
      {action}
    </section>
  )
}
