import { Menu } from '@mantine/core'
import { ExternalLink, SquareCheck } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslations } from 'use-intl'
import { shownKey } from '../../ui/shown-key.ts'
import { cardActs } from './acts.ts'
import styles from './board.module.css'
import { focusNow } from './focus.ts'
import { useSelection, useBoard } from './context.ts'

/** One menu for all cards, at the place where it was asked for. */
export function CardMenu({ open }: { open: (id: number) => void }) {
  const words = useTranslations('board')
  const board = useBoard()
  const { selection, store, actions } = board
  const menu = useSelection((state) => state.menu)
  const card = menu && store.cards.shown(menu.id)
  if (!menu || !card) return undefined
  const ids = actions.chosen(menu.id)
  const isSelected = selection.get().selected.has(menu.id)
  return (
    <Menu
      opened
      width={220}
      position="bottom-start"
      onClose={() => {
        selection.set({ menu: undefined })
        focusNow(card.status_id, card.id)
      }}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={words('cardMenu', { name: card.name })}
          className={styles.menuPlace}
          style={{ left: menu.x, top: menu.y }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        {ids.length > 1 && <Menu.Label>{words('selected', { count: ids.length })}</Menu.Label>}
        <Menu.Item leftSection={<ExternalLink size={15} />} onClick={() => open(menu.id)}>
          {words('open')}
        </Menu.Item>
        <Menu.Item
          leftSection={<SquareCheck size={15} />}
          rightSection="X"
          onClick={() => selection.select([menu.id], !isSelected)}
        >
          {words(isSelected ? 'unselect' : 'select')}
        </Menu.Item>
        {cardActs
          .filter(({ may }) => may(card))
          .map(({ name, text, icon: Icon, key, run }) => (
            <Fragment key={name}>
              {name === 'won' && <Menu.Divider />}
              <Menu.Item
                {...(name === 'delete' && { color: 'danger' })}
                leftSection={<Icon size={15} />}
                rightSection={key && shownKey(key)}
                onClick={() => run(board, ids)}
              >
                {words(text)}
              </Menu.Item>
            </Fragment>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
