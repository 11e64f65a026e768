import { Button, Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useEffectEvent, useLayoutEffect } from 'react'
import { useTranslations } from 'use-intl'
import { endSequence, letterOf, runKeys } from '../keyboard.tsx'
import styles from '../shell.module.css'
import { ShortcutKeys } from '../shortcut-sheet.tsx'
import { useCreatable } from './nouns.ts'

/** The button that shows what can be created, and the letter of each. */
export function CreateMenu({
  opened,
  onChange,
}: {
  opened: boolean
  onChange: (opened: boolean) => void
}) {
  const words = useTranslations('create')
  const creatable = useCreatable()
  /** A screen may have a way of its own, as the board adds leads in its columns: clicks do what the keys do. */
  const create = ({ letter }: { letter: string }) => runKeys(['c', letter])
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { ctrlKey, metaKey, altKey } = event
    const isInMenu = document.activeElement?.closest('[role=menu]') !== null
    if (event.key === 'Escape' && !isInMenu) {
      event.preventDefault()
      event.stopImmediatePropagation()
      return onChange(false)
    }
    const found = creatable.find(({ letter }) => letter === letterOf(event))
    if (!found || ctrlKey || metaKey || altKey) return
    event.preventDefault()
    event.stopImmediatePropagation()
    endSequence()
    onChange(false)
    create(found)
  })
  // Keys act from the moment that the menu opens: the focus comes into it frames later.
  useLayoutEffect(() => {
    if (!opened) return undefined
    const listen = (event: KeyboardEvent) => press(event)
    addEventListener('keydown', listen, { capture: true })
    return () => removeEventListener('keydown', listen, { capture: true })
  }, [opened])
  return (
    <Menu opened={opened} onChange={onChange} position="bottom-end" width={220}>
      <Menu.Target>
        <Button
          leftSection={<Plus size={16} aria-hidden />}
          aria-label={words('create')}
          aria-keyshortcuts="C"
          className={styles.create}
        >
          <span className={styles.createText}>{words('create')}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {creatable.map(({ noun, letter, icon: Icon }) => (
          <Menu.Item
            key={noun}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={<ShortcutKeys keys={['c', letter]} />}
            aria-keyshortcuts={`C ${letter.toUpperCase()}`}
            onClick={() => create({ letter })}
          >
            {words(`nouns.${noun}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
