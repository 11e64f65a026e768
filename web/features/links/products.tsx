// The elements of catalogs on a record: how many, at which price, and the sum of them.
import { ActionIcon, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { catalogsQuery, quantityRules } from '../../crm/catalogs.ts'
import { isOvertaken } from '../../data/conflicts.ts'
import { ElementFinder, isChoice, PriceChoice } from '../../crm/elements.tsx'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import { useOrders } from '../../ui/conflict.tsx'
import { DraftNotice } from '../../ui/draft-notice.tsx'
import { useFollowedDraft, useLeftDraft } from './left-draft.ts'
import type { Leaving } from './left-draft.ts'
import { elementItem, link } from './links.ts'
import type { ItemOfList, LinkTarget } from './links.ts'
import styles from './links.module.css'
import { useMoney } from './money.ts'
import { useLinks, useTheirText } from './context.ts'
import { leaveRow, LinkSection } from './section.tsx'
import { useUnlink } from './use-unlink.ts'

type Product = ItemOfList<'elements'>

/** The price of some, in cents without the dust of fractions. */
const costOf = ({ price, quantity }: Product): number =>
  Math.round((price ?? 0) * quantity * 100) / 100

export function Products() {
  const words = useTranslations('links')
  const { lists, mayEdit, vocabulary } = useLinks()
  const money = useMoney()
  const { items, is_more } = lists.elements
  const { data: catalogs = [] } = useQuery(catalogsQuery(vocabulary))
  if (items.length === 0 && catalogs.length === 0) return undefined
  const total = items.reduce((sum, item) => sum + costOf(item), 0)
  const isPriced = items.some(({ price }) => price !== null)
  return (
    <LinkSection
      name={words('sections.elements')}
      addLabel={words('add.elements')}
      emptyText={words('empty.elements')}
      count={items.length}
      isMore={is_more}
      all="catalog_elements"
      adder={mayEdit && catalogs.length > 0 ? (close) => <Adder onClose={close} /> : undefined}
      footer={
        isPriced &&
        !is_more && (
          <p className={styles.total}>
            <span>{words('total')}</span>
            <b>{money(total)}</b>
          </p>
        )
      }
    >
      {items.length > 0 && (
        <ul className={styles.rows}>
          {items.map((product) => (
            <ProductRow key={product.id} product={product} />
          ))}
        </ul>
      )}
    </LinkSection>
  )
}

/**
 * The terms of a product's link that a change is about. The others stay as they are; a link that somebody else has taken
 * away comes back with the usual ones.
 */
type Terms = Partial<Pick<Product, 'quantity' | 'price_id'>>

const targetOf = ({ id, catalog_id }: Product, terms: Terms = {}): LinkTarget => ({
  to_entity_type: 'catalog_elements',
  to_entity_id: id,
  metadata: { catalog_id, ...terms },
})

function ProductRow({ product }: { product: Product }) {
  const words = useTranslations('links')
  const format = useFormatter()
  const money = useMoney()
  const { owner, mayEdit, act } = useLinks()
  const unlinkProduct = useUnlink('elements')
  const { id, name, price, price_id, prices, quantity } = product
  const member = `quantity of ${id}`
  const left = useLeftDraft<string>(member)
  const [offered, setOffered] = useState(left)
  const [typed, setTyped] = useState(left?.draft)
  const [isTried, setTried] = useState(left !== undefined)
  const numbers = useNumbers(quantityRules)
  const orders = useOrders()
  const theirText = useTheirText('link')
  /** The quantity that stood here as the user began to type. */
  const row = useRef<HTMLLIElement>(null)
  const begun = useRef((left?.base as number | undefined) ?? quantity)
  const end = useFollowedDraft(
    member,
    typed === undefined ? undefined : { draft: typed, base: begun.current },
    saveAtLeaving,
  )
  const stop = useCallback(() => {
    end()
    setOffered(undefined)
    setTyped(undefined)
    setTried(false)
  }, [end])
  const set = (terms: Terms, shown: Partial<Product> = terms) => {
    const change = (items: Product[]) =>
      items.map((each) => (each.id === id ? { ...each, ...shown } : each))
    return act('elements', change, () => link(owner, targetOf(product, terms)))
  }
  /** A text that is no quantity stays, with its fault. */
  const save = (text = typed) => {
    if (text !== undefined && numbers.fault(text) !== undefined) return setTried(true)
    stop()
    const next = text === undefined ? undefined : numbers.amount(text)
    if (next === undefined || next === quantity) return
    orders.give({
      base: begun.current,
      present: quantity,
      wanted: next,
      text: theirText(format.number(quantity, { maximumFractionDigits: 6 })),
      run: () => void set({ quantity: next }),
    })
  }
  /** As the focus does that leaves the field. */
  function saveAtLeaving(leaving: Leaving): Promise<boolean> | undefined {
    const next = numbers.amount(typed ?? '')
    if (offered || next === undefined || isOvertaken(begun.current, quantity, next))
      return undefined
    const section = row.current?.closest('section')
    const send = () => (next === quantity ? true : set({ quantity: next }))
    if (leaving === 'page') return Promise.resolve(send())
    // Where the rest of the card stays, somebody has taken the product from the record.
    return Promise.resolve().then(() => (section?.isConnected ? true : send()))
  }
  // The page that left it has saved it.
  const isSaved = offered !== undefined && numbers.amount(offered.draft) === quantity
  useEffect(() => {
    if (isSaved) stop()
  }, [isSaved, stop])
  return (
    <li ref={row} className={styles.row} data-product={id}>
      <div className={styles.line}>
        <Link
          to="/products/$catalogId"
          params={{ catalogId: String(product.catalog_id) }}
          search={{ query: name } as never}
          className={styles.name}
          title={name}
        >
          {name}
        </Link>
        <span className={styles.space} />
        {price !== null && <span className={styles.amount}>{money(costOf(product))}</span>}
        {mayEdit && (
          <Tooltip label={words('unlink')}>
            <ActionIcon
              size={24}
              data-row-actions
              aria-label={`${words('unlink')}: ${name}`}
              onClick={({ currentTarget }) => {
                leaveRow(currentTarget)
                stop()
                void unlinkProduct(product, name, targetOf(product, { quantity, price_id }))
              }}
            >
              <X size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      <div className={styles.reached}>
        {mayEdit ? (
          <NumberField
            size="xs"
            rules={quantityRules}
            isTried={isTried}
            aria-label={words('quantity', { name })}
            value={typed ?? numbers.typed(quantity)}
            className={styles.quantity}
            onChange={(text) => {
              if (typed === undefined) begun.current = quantity
              setTried(false)
              setOffered(undefined)
              setTyped(text)
            }}
            onChoose={save}
            onBlur={() => !offered && save()}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault()
                save()
              } else if (event.key === 'Escape' && typed !== undefined) {
                event.stopPropagation()
                stop()
              }
            }}
          />
        ) : (
          <span className="numbers">{format.number(quantity, { maximumFractionDigits: 6 })}</span>
        )}
        {mayEdit && isChoice(prices) ? (
          <>
            <span aria-hidden>×</span>
            <PriceChoice
              prices={prices}
              priceId={price_id}
              label={words('priceOf', { name })}
              money={money}
              onChoose={({ price_id, price }) => void set({ price_id }, { price_id, price })}
            />
          </>
        ) : (
          <span className="numbers">× {price === null ? words('noPrice') : money(price)}</span>
        )}
      </div>
      {offered && <DraftNotice at={offered.at} throwAway={stop} />}
      {orders.notice}
    </li>
  )
}

function Adder({ onClose }: { onClose: () => void }) {
  const words = useTranslations('links')
  const money = useMoney()
  const { owner, lists, vocabulary, act } = useLinks()
  return (
    <ElementFinder
      vocabulary={vocabulary}
      present={lists.elements.items}
      money={money}
      texts={{
        catalog: words('catalog'),
        find: words('find.elements'),
        nothing: words('nothing'),
      }}
      onPick={(element) => {
        const item = elementItem(element)
        void act(
          'elements',
          (items) => (items.some(({ id }) => id === item.id) ? items : [...items, item]),
          () => link(owner, targetOf(item)),
        )
      }}
      onClose={onClose}
    />
  )
}
