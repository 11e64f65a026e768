import { focusAfter } from '../../ui/focus.ts'
import { ActionIcon, Button, Group, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import { catalogsQuery, elementPrices, quantityRules } from '../../crm/catalogs.ts'
import type { ElementPrice } from '../../crm/catalogs.ts'
import { ElementFinder, PriceChoice } from '../../crm/elements.tsx'
import { dayAfter, dayAt, startOfDay } from '../../ui/day.ts'
import { useFilled } from '../../ui/form.ts'
import { NumberField, useNumbers } from '../../ui/number-field.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { addPurchase } from './purchases.ts'
import styles from './purchases.module.css'

interface Item {
  id: number
  catalog_id: number
  name: string
  price: number | null
  /** The chosen one of `prices`; null: the first. It makes the amount, and is not kept with the purchase. */
  price_id: number | null
  prices: readonly ElementPrice[]
  quantity: number
  /** The quantity as somebody types it. */
  typed: string
}

interface Values extends Record<string, unknown> {
  price: string
  completed_at: string
  comment: string
  next_date: string
  items: Item[]
}

/** Where no period of the customer says when the next purchase is due. */
const usualDays = 30

/** Adds a purchase with its items, and says when the next one is due. */
export function AddForm({
  customerId,
  periodicity,
  vocabulary,
  money,
  onDone,
  onCancel,
}: {
  customerId: number
  /** Days from one purchase of the customer to the next; 0 or undefined: not known. */
  periodicity: number | undefined
  vocabulary: Bootstrap
  money: (amount: number) => string
  onDone: () => void
  onCancel: () => void
}) {
  const words = useTranslations('purchases')
  const ui = useTranslations('ui')
  const { account } = vocabulary
  const timeZone = useTimeZone() ?? account.timezone
  const today = () => dayAt(Date.now() / 1000, timeZone)
  // A purchase that is sent twice must be the same both times, or the server would take it for two.
  const [openedAt] = useState(() => Math.floor(Date.now() / 1000))
  const [values] = useState<Values>(() => ({
    price: '',
    completed_at: today(),
    comment: '',
    next_date: dayAfter(dayAt(Date.now() / 1000, account.timezone), periodicity || usualDays),
    items: [],
  }))
  const rules = { isWhole: true, min: 0, currency: account.currency }
  const prices = useNumbers(rules)
  const faultOfQuantity = useQuantityFault()
  const first = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  const { form, submit, isPending, error } = useFilled<Values, unknown>({
    values,
    validate: {
      price: (typed) => (typed.trim() === '' ? words('priceMissing') : prices.fault(typed)),
      completed_at: (date) => (date === '' ? words('dateMissing') : undefined),
      items: (all) => all.map(({ typed }) => faultOfQuantity(typed)).find(Boolean),
    },
    fieldOf: (path) => (path.startsWith('_embedded') ? 'items' : path.split('.', 1)[0]!),
    send: (sent, key) =>
      addPurchase(
        customerId,
        {
          price: prices.amount(sent.price)!,
          comment: sent.comment.trim(),
          // Of today the purchase has its time, of another day the beginning.
          completed_at:
            sent.completed_at === today() ? openedAt : startOfDay(sent.completed_at, timeZone),
          ...(sent.next_date !== '' && {
            next_date: startOfDay(sent.next_date, account.timezone),
          }),
          items: sent.items.map(({ id, catalog_id, quantity }) => ({ id, catalog_id, quantity })),
        },
        key,
      ),
    onDone,
  })
  const { items } = form.values
  // The items make the amount until somebody types another one.
  const [isOwnPrice, setOwnPrice] = useState(false)
  const setItems = (next: Item[]) => {
    form.setFieldValue('items', next)
    const sum = next.reduce((all, { price, quantity }) => all + (price ?? 0) * quantity, 0)
    if (!isOwnPrice) form.setFieldValue('price', sum > 0 ? prices.typed(Math.round(sum)) : '')
  }
  const price = form.getInputProps('price')
  return (
    <form
      aria-label={words('addTitle')}
      className={styles.form}
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          submit()
        }
        if (event.key !== 'Escape') return
        event.stopPropagation()
        event.preventDefault()
        onCancel()
      }}
    >
      <div className={styles.fields}>
        <NumberField
          label={words('price')}
          rules={rules}
          leftSection={
            <span className={styles.currency}>{account.currency_symbol ?? account.currency}</span>
          }
          ref={first}
          {...price}
          value={form.values.price}
          onChange={(typed) => {
            setOwnPrice(typed !== '')
            form.setFieldValue('price', typed)
          }}
        />
        <TextInput
          label={words('date')}
          type="date"
          max="9999-12-31"
          {...form.getInputProps('completed_at')}
        />
        <TextInput
          label={words('nextDate')}
          type="date"
          max="9999-12-31"
          {...form.getInputProps('next_date')}
        />
      </div>
      <Textarea
        label={words('comment')}
        autosize
        minRows={1}
        maxRows={6}
        {...form.getInputProps('comment')}
      />
      <Items
        items={items}
        vocabulary={vocabulary}
        money={money}
        onChange={setItems}
        error={form.errors['items']}
      />
      <ProblemAlert error={error} />
      <Group gap="sm" justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {ui('cancel')}
        </Button>
        <Button type="submit" loading={isPending}>
          {words('save')}
        </Button>
      </Group>
    </form>
  )
}

/** Answers a function that says why a text is no quantity; a purchase needs one of each item. */
function useQuantityFault(): (typed: string) => string | undefined {
  const numbers = useNumbers(quantityRules)
  return (typed) =>
    typed.trim() === '' ? numbers.faultText({ fault: 'noNumber' }) : numbers.fault(typed)
}

/** The elements of catalogs that were bought. */
function Items({
  items,
  vocabulary,
  money,
  onChange,
  error,
}: {
  items: Item[]
  vocabulary: Bootstrap
  money: (amount: number) => string
  onChange: (items: Item[]) => void
  error: React.ReactNode
}) {
  const words = useTranslations('purchases')
  const numbers = useNumbers(quantityRules)
  const faultOfQuantity = useQuantityFault()
  const { data: catalogs = [] } = useQuery(catalogsQuery(vocabulary))
  const [isFinding, setFinding] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const part = useRef<HTMLDivElement>(null)
  if (catalogs.length === 0 && items.length === 0) return undefined
  const close = () => {
    // The button is drawn anew in the place of the finder.
    focusAfter(part.current, () => button.current)
    setFinding(false)
  }
  return (
    <div ref={part} role="group" aria-label={words('items')} className={styles.items}>
      <span className={styles.itemsLabel}>{words('items')}</span>
      {items.map((item) => (
        <div key={item.id} className={styles.item}>
          <span className={styles.itemName}>{item.name}</span>
          <NumberField
            size="xs"
            className={styles.quantity}
            rules={quantityRules}
            isTried={Boolean(error)}
            error={error && item.typed.trim() === '' && faultOfQuantity('')}
            aria-label={words('quantity', { name: item.name })}
            value={item.typed}
            onChange={(typed) =>
              onChange(
                items.map((each) =>
                  each.id === item.id
                    ? { ...each, typed, quantity: numbers.amount(typed) ?? each.quantity }
                    : each,
                ),
              )
            }
          />
          <PriceChoice
            prices={item.prices}
            priceId={item.price_id}
            label={words('priceOf', { name: item.name })}
            money={money}
            onChoose={({ price, price_id }) =>
              onChange(
                items.map((each) => (each.id === item.id ? { ...each, price, price_id } : each)),
              )
            }
          />
          <span className={styles.itemPrice}>
            {item.price !== null && money(item.price * item.quantity)}
          </span>
          <ActionIcon
            size={24}
            aria-label={words('removeItem', { name: item.name })}
            onClick={() => {
              onChange(items.filter((each) => each.id !== item.id))
              button.current?.focus()
            }}
          >
            <X size={16} />
          </ActionIcon>
        </div>
      ))}
      {isFinding ? (
        <ElementFinder
          vocabulary={vocabulary}
          present={items}
          money={money}
          texts={{
            catalog: words('catalog'),
            find: words('findItem'),
            nothing: words('nothing'),
          }}
          onPick={(element) => {
            const { id, catalog_id, name } = element
            const prices = elementPrices(element)
            const [first] = prices
            const terms = {
              price: first?.price ?? null,
              price_id: null,
              prices,
              quantity: 1,
              typed: '1',
            }
            onChange([...items, { id, catalog_id, name, ...terms }])
          }}
          onClose={close}
        />
      ) : (
        catalogs.length > 0 && (
          <Button
            ref={button}
            variant="default"
            size="compact-sm"
            className={styles.find}
            onClick={() => setFinding(true)}
          >
            {words('findItem')}
          </Button>
        )
      )}
      {error && !items.some(({ typed }) => faultOfQuantity(typed)) && (
        <p className={styles.fault} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
