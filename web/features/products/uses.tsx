// Where an element is used: the records that have it, with its quantity on each, beside the table.
import { ActionIcon } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import type { ElementUses } from '../../../server/features/records/links/schema.ts'
import type { RecordType } from '../../../server/records/description.ts'
import type { CatalogElement } from '../../crm/catalogs.ts'
import { RecordLink } from '../../crm/record-link.tsx'
import { ask } from '../../data/api.ts'
import { Empty, Failure, Rows } from '../../ui/states.tsx'
import styles from './products.module.css'

const usesQuery = (catalogId: number, id: number) =>
  queryOptions({
    queryKey: ['elements', 'uses', catalogId, id],
    queryFn: async ({ signal }) =>
      (await ask<ElementUses>(`/web/v1/catalogs/${catalogId}/elements/${id}/uses`, { signal }))
        .uses,
    // Others put it on records all the time.
    staleTime: 0,
  })

export function Uses({
  catalogId,
  element: { id, name },
  takesFocus,
  open,
  close,
}: {
  catalogId: number
  element: CatalogElement
  /** On a phone it covers the table. */
  takesFocus: boolean
  open: (type: RecordType, id: number) => void
  close: () => void
}) {
  const words = useTranslations('products')
  const format = useFormatter()
  const { data, error, refetch } = useQuery(usesQuery(catalogId, id))
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const used = data?.filter(({ count, is_more }) => count > 0 || is_more)
  const number = (value: number) => format.number(value, { maximumFractionDigits: 6 })
  return (
    // Escape closes it from wherever the focus is inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <aside
      className={styles.panel}
      aria-label={words('usesOf', { name })}
      aria-busy={(!data && !error) || undefined}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <div className={styles.panelHead}>
        <h2 ref={heading} tabIndex={-1} className={styles.panelTitle}>
          <small>{words('uses')}</small>
          <bdi>{name}</bdi>
        </h2>
        <ActionIcon size={28} aria-label={words('closeUses')} onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : !used ? (
        <Rows number={4} />
      ) : used.length === 0 ? (
        <Empty title={words('unused')} text={words('unusedText')} />
      ) : (
        used.map(({ type, count, is_more, records }) => (
          <section key={type} className={styles.used} aria-label={words(`used.${type}`)}>
            <h3>
              {words(`used.${type}`)}{' '}
              <span className="numbers">{`${format.number(count)}${is_more ? '+' : ''}`}</span>
            </h3>
            <ul>
              {records.map((record) => (
                <li key={record.id}>
                  <RecordLink type={type} id={record.id} open={open} className={styles.usedLink}>
                    <bdi>{record.name || `#${record.id}`}</bdi>
                  </RecordLink>
                  <span className="numbers" title={words('quantity')}>
                    × {number(record.quantity)}
                  </span>
                </li>
              ))}
            </ul>
            {(count > records.length || is_more) && (
              <p className={styles.usedMore}>
                {words('newestUses', { shown: format.number(records.length) })}
              </p>
            )}
          </section>
        ))
      )}
    </aside>
  )
}
