import { Button, Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useTranslations } from 'use-intl'
import { letterOf } from '../keyboard.tsx'
import styles from '../shell.module.css'
import { Keys } from '../shortcut-sheet.tsx'
import { useCreatable } from './nouns.ts'
import type { Noun } from './nouns.ts'

/** The button that shows what can be created, and the letter of each. */
export function CreateMenu({
  opened,
  onChange,
  onCreate,
}: {
  opened: boolean
  onChange: (opened: boolean) => void
  onCreate: (noun: Noun) => void
}) {
  const words = useTranslations('create')
  const creatable = useCreatable()
  const choose = (noun: Noun) => {
    onChange(false)
    onCreate(noun)
  }
  return (
    <Menu opened={opened} onChange={onChange} position="bottom-end" width={220}>
      <Menu.Target>
        <Button
          data-create
          leftSection={<Plus size={16} aria-hidden />}
          aria-label={words('create')}
          aria-keyshortcuts="C"
          className={styles.create}
        >
          <span className={styles.createText}>{words('create')}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown
        onKeyDown={(event) => {
          const letter = letterOf(event.nativeEvent)
          const { ctrlKey, metaKey, altKey } = event
          const found = creatable.find((each) => each.letter === letter)
          if (!found || ctrlKey || metaKey || altKey) return
          event.preventDefault()
          choose(found.noun)
        }}
      >
        {creatable.map(({ noun, letter, icon: Icon }) => (
          <Menu.Item
            key={noun}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={<Keys keys={['c', letter]} />}
            aria-keyshortcuts={`C ${letter.toUpperCase()}`}
            onClick={() => onCreate(noun)}
          >
            {words(`nouns.${noun}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Finds the button, which gets the focus after a dialog that keys have opened. */
export const createButton = '[data-create]'
