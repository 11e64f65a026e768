import { lost, won } from '../../crm/stages.ts'
import { Menu } from '@mantine/core'
import {
  ArrowRightLeft,
  CircleCheck,
  CircleX,
  ExternalLink,
  ListTodo,
  SquareCheck,
  Tag,
  Trash2,
  UserRound,
} from 'lucide-react'
import { useTranslations } from 'use-intl'
import styles from './board.module.css'
import { focusNow } from './focus.ts'
import { useHands, useScene } from './scene.ts'

/** One menu for all cards, at the place where it was asked for. */
export function CardMenu({ open }: { open: (id: number) => void }) {
  const words = useTranslations('board')
  const { hands, store, actions } = useScene()
  const menu = useHands((state) => state.menu)
  const card = menu && store.cards.shown(menu.id)
  if (!menu || !card) return undefined
  const ids = actions.chosen(menu.id)
  const isSelected = hands.get().selected.has(menu.id)
  const dialog = (kind: 'move' | 'assign' | 'tag' | 'task') => () =>
    hands.set({ dialog: { kind, ids }, menu: undefined })
  const close = (statusId: number) => () =>
    actions.move(ids, { pipelineId: card.pipeline_id, statusId })
  return (
    <Menu
      opened
      width={220}
      position="bottom-start"
      onClose={() => {
        hands.set({ menu: undefined })
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
          onClick={() => hands.select([menu.id], !isSelected)}
        >
          {words(isSelected ? 'unselect' : 'select')}
        </Menu.Item>
        {card.may_edit && (
          <>
            <Menu.Item
              leftSection={<ArrowRightLeft size={15} />}
              rightSection="M"
              onClick={dialog('move')}
            >
              {words('moveTo')}
            </Menu.Item>
            <Menu.Item
              leftSection={<UserRound size={15} />}
              rightSection="A"
              onClick={dialog('assign')}
            >
              {words('assignTo')}
            </Menu.Item>
            <Menu.Item leftSection={<Tag size={15} />} rightSection="#" onClick={dialog('tag')}>
              {words('tagThem')}
            </Menu.Item>
            <Menu.Item
              leftSection={<ListTodo size={15} />}
              rightSection="T"
              onClick={dialog('task')}
            >
              {words('addTask')}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              leftSection={<CircleCheck size={15} />}
              rightSection="W"
              onClick={close(won)}
            >
              {words('won')}
            </Menu.Item>
            <Menu.Item leftSection={<CircleX size={15} />} rightSection="⇧ W" onClick={close(lost)}>
              {words('lost')}
            </Menu.Item>
          </>
        )}
        {card.may_delete && (
          <Menu.Item
            color="danger"
            leftSection={<Trash2 size={15} />}
            onClick={() => actions.remove(ids)}
          >
            {words('delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
