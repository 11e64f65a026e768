// Elements of catalogs in the hands of the user, for the features that sell them: found in one of the
// catalogs, and priced by one of their prices.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Bootstrap } from '../../server/features/application/bootstrap/schema.ts'
import { catalogsQuery, elementsFoundQuery, elementPrices } from './catalogs.ts'
import type { CatalogElement, ElementPrice } from './catalogs.ts'
import { Finder, useFinderText } from '../ui/finder.tsx'
import { Select } from '../ui/select.tsx'

/** Finds elements besides those that are there, and gives those that are picked one by one. */
export function ElementFinder({
  vocabulary,
  present,
  money,
  texts,
  onPick,
  onClose,
}: {
  vocabulary: Bootstrap
  present: readonly { id: number }[]
  money: (amount: number) => string
  texts: { catalog: string; find: string; nothing: string }
  onPick: (element: CatalogElement) => void
  onClose: () => void
}) {
  const { data: catalogs = [] } = useQuery(catalogsQuery(vocabulary))
  const [chosen, setChosen] = useState<number>()
  const catalogId = chosen ?? catalogs[0]?.id
  const { text, setText, searched } = useFinderText()
  const { data: found = [], isFetching, error } = useQuery(elementsFoundQuery(catalogId, searched))
  const options = found.filter(({ id }) => !present.some((each) => each.id === id))
  return (
    <>
      {catalogs.length > 1 && (
        <Select
          size="xs"
          mb="xs"
          aria-label={texts.catalog}
          data={catalogs.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={String(catalogId)}
          allowDeselect={false}
          onChange={(value) => setChosen(Number(value))}
        />
      )}
      <Finder
        label={texts.find}
        hint={texts.nothing}
        text={text}
        onText={setText}
        options={options.map((element) => {
          const prices = elementPrices(element).map(({ price }) => money(price))
          return {
            key: String(element.id),
            text: element.name,
            about: prices.length > 0 ? prices.join(' · ') : undefined,
          }
        })}
        isFetching={isFetching || searched !== text.trim()}
        error={error}
        onPick={(key) => onPick(options.find(({ id }) => String(id) === key)!)}
        onClose={onClose}
      />
    </>
  )
}

/** Chooses one of several prices of an element; nothing where there is no choice. */
export function PriceChoice({
  prices,
  priceId,
  label,
  money,
  onChoose,
}: {
  prices: readonly ElementPrice[]
  /** Null: the first one. */
  priceId: number | null
  label: string
  money: (amount: number) => string
  onChoose: (price: ElementPrice) => void
}) {
  if (!isChoice(prices)) return undefined
  const chosen = prices.find(({ price_id }) => price_id === priceId) ?? prices[0]!
  return (
    <Select
      size="xs"
      w={170}
      aria-label={label}
      data={prices.map(({ price_id, name, price }) => ({
        value: String(price_id),
        label: `${money(price)} · ${name}`,
      }))}
      value={String(chosen.price_id)}
      allowDeselect={false}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      onChange={(value) => {
        const next = prices.find(({ price_id }) => String(price_id) === value)
        if (next && next !== chosen) onChoose(next)
      }}
    />
  )
}

/** Whether an element has several prices. */
export const isChoice = (prices: readonly ElementPrice[]): boolean => prices.length > 1
