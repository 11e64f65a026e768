// What the toolbars of the board and of lists share.
import { Button, Menu } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { useChangePreferences, usePreferences } from '../crm/preferences.ts'
import styles from '../features/board/board.module.css'

/** A button of a toolbar. On a phone it is its icon alone, named by its text. */
export function ToolButton({
  icon,
  text,
  ...ofMenu
}: {
  icon: ReactNode
  text: string
  title?: string | undefined
  onClick?: () => void
  /** Draws a link in the place of the button. */
  renderRoot?: (props: object) => ReactNode
} & ComponentProps<typeof Button>) {
  return (
    <Button
      variant="subtle"
      color="gray"
      {...ofMenu}
      className={styles.tool}
      leftSection={icon}
      aria-label={text}
    >
      <span className={styles.toolText}>{text}</span>
    </Button>
  )
}

const densities = ['compact', 'normal', 'roomy'] as const

/** The heights of rows and cards, as items of a menu. */
export function DensityItems({
  label,
  textOf,
}: {
  label: string
  textOf: (density: (typeof densities)[number]) => string
}) {
  const { density } = usePreferences()
  const { mutate: change } = useChangePreferences()
  return (
    <>
      <Menu.Label>{label}</Menu.Label>
      {densities.map((each) => (
        <Menu.RadioItem
          key={each}
          value={each}
          checked={each === density}
          onChange={() => change({ density: each })}
        >
          {textOf(each)}
        </Menu.RadioItem>
      ))}
    </>
  )
}
