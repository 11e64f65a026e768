import { ActionIcon, Button, Group, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTimeZone, useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/bootstrap/schema.ts'
import { catalogsQuery, elementsFoundQuery, priceOf } from '../../catalogs.ts'
import { clockAt, momentAt } from '../../ui/day.ts'
import { Finder, useFinderText } from '../../ui/finder.tsx'
import { useFilled } from '../../ui/form.ts'
import { ProblemAlert } from '../../ui/states.tsx'
import { addPurchase } from './purchases.ts'
import type { Buyer } from './purchases.ts'
import styles from './purchases.module.css'

interface Item {
  id: number
  catalog_id: number
  name: string
  price: number | null
  quantity: number
}

interface Values extends Record<string, unknown> {
  price: number | string
  completed_at: string
  comment: string
  next_date: string
  items: Item[]
}

const day = 86_400
/** Where no period of the customer says when the next purchase is due. */
const usualDays = 30

/** Adds a purchase with its items, and says when the next one is due. */
export function AddForm({
  customerId,
  buyer,
  vocabulary,
  money,
  onDone,
  onCancel,
}: {
  customerId: number
  buyer: Buyer | undefined
  vocabulary: Bootstrap
  money: (amount: number) => string
  onDone: () => void
  onCancel: () => void
}) {
  const words = useTranslations('purchases')
  const ui = useTranslations('ui')
  const { account } = vocabulary
  const timeZone = useTimeZone() ?? account.timezone
  const dateAfter = (days: number) => clockAt(Date.now() / 1000 + days * day, timeZone).slice(0, 10)
  // A purchase that is sent twice must be the same both times, or the server would take it for two.
  const [openedAt] = useState(() => Math.floor(Date.now() / 1000))
  const [values] = useState<Values>(() => ({
    price: '',
    completed_at: dateAfter(0),
    comment: '',
    next_date: dateAfter(buyer?.periodicity || usualDays),
    items: [],
  }))
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const { form, submit, isPending, error } = useFilled<Values, unknown>({
    values,
    validate: {
      price: (price) => (price === '' ? words('priceMissing') : undefined),
      completed_at: (date) => (date === '' ? words('dateMissing') : undefined),
    },
    fieldOf: (path) => (path.startsWith('_embedded') ? 'items' : path.split('.', 1)[0]!),
    send: (sent, key) =>
      addPurchase(
        customerId,
        {
          price: Number(sent.price),
          comment: sent.comment.trim(),
          // Of today the purchase has its time, of another day the beginning.
          completed_at:
            sent.completed_at === dateAfter(0)
              ? openedAt
              : momentAt(`${sent.completed_at}T00:00`, timeZone),
          ...(sent.next_date !== '' && {
            next_date: momentAt(`${sent.next_date}T00:00`, timeZone),
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
    if (!isOwnPrice) form.setFieldValue('price', sum > 0 ? Math.round(sum) : '')
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
        <NumberInput
          label={words('price')}
          leftSection={
            <span className={styles.currency}>{account.currency_symbol ?? account.currency}</span>
          }
          hideControls
          allowDecimal={false}
          allowNegative={false}
          max={Number.MAX_SAFE_INTEGER}
          thousandSeparator=" "
          inputMode="numeric"
          ref={first}
          {...price}
          onChange={(value) => {
            setOwnPrice(value !== '')
            form.setFieldValue('price', value)
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
  const { data: catalogs = [] } = useQuery(catalogsQuery(vocabulary))
  const [chosen, setChosen] = useState<number>()
  const [isFinding, setFinding] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const catalogId = chosen ?? catalogs[0]?.id
  const { text, setText, asked } = useFinderText()
  const query = useQuery(elementsFoundQuery(isFinding ? catalogId : undefined, asked))
  if (catalogs.length === 0 && items.length === 0) return undefined
  const options = (query.data ?? []).filter(({ id }) => !items.some((each) => each.id === id))
  const close = () => {
    setFinding(false)
    setTimeout(() => button.current?.focus())
  }
  return (
    <div role="group" aria-label={words('items')} className={styles.items}>
      <span className={styles.itemsLabel}>{words('items')}</span>
      {items.map((item) => (
        <div key={item.id} className={styles.item}>
          <span className={styles.itemName}>{item.name}</span>
          <NumberInput
            size="xs"
            w={72}
            aria-label={words('quantity', { name: item.name })}
            value={item.quantity}
            min={0.000001}
            max={999_999_999}
            decimalScale={6}
            hideControls
            onChange={(quantity) =>
              onChange(
                items.map((each) =>
                  each.id === item.id && Number(quantity) > 0
                    ? { ...each, quantity: Number(quantity) }
                    : each,
                ),
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
              setTimeout(() => button.current?.focus())
            }}
          >
            <X size={16} />
          </ActionIcon>
        </div>
      ))}
      {isFinding ? (
        <>
          {catalogs.length > 1 && (
            <Select
              size="xs"
              aria-label={words('catalog')}
              data={catalogs.map(({ id, name }) => ({ value: String(id), label: name }))}
              value={String(catalogId)}
              allowDeselect={false}
              onChange={(value) => setChosen(Number(value))}
            />
          )}
          <Finder
            label={words('findItem')}
            hint={words('nothing')}
            text={text}
            onText={setText}
            options={options.map((element) => {
              const price = priceOf(element)
              return {
                key: String(element.id),
                text: element.name,
                about: price === null ? undefined : money(price),
              }
            })}
            isFetching={query.isFetching || asked !== text.trim()}
            error={query.error}
            onPick={(key) => {
              const element = options.find(({ id }) => String(id) === key)!
              const { id, catalog_id, name } = element
              onChange([...items, { id, catalog_id, name, price: priceOf(element), quantity: 1 }])
            }}
            onClose={close}
          />
        </>
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
      {error && (
        <p className={styles.fault} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
