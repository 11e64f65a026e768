import { Modal } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { More } from '../../ui/more.tsx'
import { Unloaded } from '../../ui/states.tsx'
import { LinkedName } from './linked-name.tsx'
import { allLinkedQuery } from './links.ts'
import type { LinkTarget } from './links.ts'
import styles from './links.module.css'
import { useLinks } from './context.ts'

/** All that a record is linked with, by name, where a card shows the first of them. */
export function AllDialog({
  opened,
  onClose,
  to,
  title,
}: {
  opened: boolean
  onClose: () => void
  to: LinkTarget['to_entity_type']
  title: string
}) {
  const words = useTranslations('ui')
  const links = useTranslations('links')
  const { owner } = useLinks()
  const query = useInfiniteQuery({ ...allLinkedQuery(owner, to), enabled: opened })
  const items = query.data?.pages.flatMap((page) => page.items)
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': words('close') }}
    >
      {!items && <Unloaded query={query} />}
      {items && (
        <ul className={styles.rows}>
          {items.map(({ id, name }) => (
            <li key={id} className={styles.row}>
              {to === 'catalog_elements' ? (
                <span className={styles.name}>{name}</span>
              ) : (
                <LinkedName type={to} id={id} name={name || links('untitled', { id })} />
              )}
            </li>
          ))}
        </ul>
      )}
      <More query={query} />
    </Modal>
  )
}
