// The elements of a catalog in a room of their own: products, and whatever else the account lists.
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Package, Plus, Search } from 'lucide-react'
import {
  lazy,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { useTranslations } from 'use-intl'
import { mayUseCatalog, useBootstrap, useMayViewCatalogs } from '../crm/bootstrap.ts'
import { allCatalogsQuery, productsFirst } from '../crm/catalogs.ts'
import type { CatalogElement } from '../crm/catalogs.ts'
import { Problem } from '../data/api.ts'
import { ChangeOvertaken, isSameValue } from '../data/conflicts.ts'
import { forgetEdit, keepEdit } from '../data/kept-edits.ts'
import { part } from '../data/rest.ts'
import styles from '../features/board/board.module.css'
import { recordOfElement } from '../features/products/cell-edit.tsx'
import type { SaveElement } from '../features/products/cell-edit.tsx'
import { useElementColumns } from '../features/products/columns.ts'
import { ElementTable } from '../features/products/element-table.tsx'
import type { ElementTableHandle } from '../features/products/element-table.tsx'
import { makeElementStore } from '../features/products/element-store.ts'
import { catalogFieldsQuery } from '../features/products/elements.ts'
import { useLiveElements } from '../features/products/live.ts'
import { ElementAdder } from '../features/products/element-adder.tsx'
import own from '../features/products/products.module.css'
import { Uses } from '../features/products/uses.tsx'
import { useBlockedKeys, useShortcuts } from '../shell/keyboard.tsx'
import type { Shortcut } from '../shell/keyboard.tsx'
import { Title } from '../shell/title.tsx'
import { useProblemText } from '../ui/faults.ts'
import { isFocusLost } from '../ui/focus.ts'
import { useIsNarrow } from '../ui/narrow.ts'
import { PageFrame } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { Empty, Failure, NoRights, Rows } from '../ui/states.tsx'
import { say, warn } from '../ui/toasts.ts'
import { useOfferUndo, useOffersOf } from '../ui/undo.ts'
import { useTyped } from '../ui/waiting.tsx'
import { CardWords, ListWords } from '../words/words.tsx'
import { cardIn, useShowCard } from './board-cards.ts'
import type { BoardSearch } from './board-cards.ts'
import { CardPlace } from './card-place.tsx'
import places from './card.module.css'
import { ToolButton } from './tools.tsx'

const CardOver = lazy(
  part('card', async () => ({ default: (await import('./card-over.tsx')).CardOver })),
)

export function ProductRoom() {
  const mayView = useMayViewCatalogs()
  const shell = useTranslations('shell')
  if (!mayView)
    return (
      <PageFrame title={shell('products')}>
        <NoRights />
      </PageFrame>
    )
  return (
    <CardWords>
      <ListWords>
        <Room />
      </ListWords>
    </CardWords>
  )
}

function Room() {
  const words = useTranslations('products')
  const shell = useTranslations('shell')
  const bootstrap = useBootstrap()
  const { catalogId: named } = useParams({ strict: false }) as { catalogId?: string }
  const { data: all, error, refetch } = useQuery(allCatalogsQuery(bootstrap))
  const catalogs = useMemo(() => productsFirst(all ?? []), [all])
  const id = named === undefined ? catalogs[0]?.id : Number(named)
  const name = catalogs.find((each) => each.id === id)?.name ?? shell('products')
  useEffect(() => {
    document.title = shell('title', { page: name })
  }, [name, shell])
  const body = () => {
    if (error) return <Failure error={error} retry={() => void refetch()} />
    if (!all) return <Rows number={12} />
    if (id === undefined)
      return <Empty title={words('noCatalogs')} text={words('noCatalogsText')} />
    if (!Number.isSafeInteger(id) || id <= 0)
      return <Empty title={shell('notFound')} text={shell('notFoundText')} />
    return <Catalog key={id} id={id} name={name} catalogs={catalogs} />
  }
  return (
    <>
      <Title>
        <h1 tabIndex={-1} className={styles.pipeline}>
          <Package size={16} aria-hidden /> {name}
        </h1>
      </Title>
      {body()}
    </>
  )
}

/** Milliseconds after the last letter until a search begins. */
const searchMs = 250
/** Milliseconds for which the mark stays on an element until its uses are asked for. */
const followMs = 120
const noShortcuts: Shortcut[] = []

function Catalog({
  id,
  name,
  catalogs,
}: {
  id: number
  name: string
  catalogs: ReturnType<typeof productsFirst>
}) {
  const words = useTranslations('products')
  const rows = useTranslations('rows')
  const { me, account } = useBootstrap()
  const navigate = useNavigate()
  const { query = '' } = useSearch({ strict: false }) as { query?: string }
  const { can_add_elements = true } = catalogs.find((each) => each.id === id) ?? {}
  const isListed = catalogs.some((each) => each.id === id)
  const mayEdit = mayUseCatalog(me, id, 'edit')
  const { data: fields, error: fieldsError, refetch } = useQuery(catalogFieldsQuery(id))
  const columns = useElementColumns(fields, account.timezone)
  const [text, setText] = useState(query)
  const typed = useTyped(text.trim(), searchMs)
  const store = useMemo(() => makeElementStore(id, query), [id, query])
  useEffect(() => void store.load(), [store])
  const present = useSyncExternalStore(store.watch, store.state)
  // Another search keeps what it had on screen until its first page has come.
  const former = useRef(present)
  const isWaiting = present.kind === 'loading' && former.current.kind === 'ready'
  const state = isWaiting ? former.current : present
  useEffect(() => {
    if (present.kind !== 'loading') former.current = present
  }, [present])
  useLiveElements(store, mayUseCatalog(me, id, 'view') === 'A')
  useOffersOf(store, true)
  const table = useRef<ElementTableHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  // What is typed goes into the address; an address that others give goes into the field.
  const sought = useRef(query)
  useEffect(() => {
    if (typed === sought.current) return
    sought.current = typed
    void navigate({
      to: '.',
      search: (typed === '' ? {} : { query: typed }) as never,
      replace: true,
    })
  }, [typed, navigate])
  useEffect(() => {
    if (query === sought.current) return
    sought.current = query
    setText(query)
  }, [query])
  const save = useSave(store)
  const loadMore = useCallback(() => void store.loadMore(), [store])
  const [marked, setMarked] = useState<number>()
  const [isUsesOpen, setUsesOpen] = useState(false)
  const toggleUses = useCallback((next: number) => {
    setMarked((former) => {
      setUsesOpen((isOpen) => !isOpen || former !== next)
      return next
    })
  }, [])
  // The panel follows the mark, once it stays on an element.
  const looked = Number(useTyped(String(marked ?? ''), followMs)) || undefined
  const element = isUsesOpen && looked !== undefined ? store.find(looked) : undefined
  const closeUses = () => {
    setUsesOpen(false)
    table.current?.focus()
  }
  const mayAdd = mayUseCatalog(me, id, 'add') !== false && can_add_elements
  const [isAdding, setAdding] = useState(false)
  const add = mayAdd && fields ? () => setAdding(true) : undefined
  const onAdded = (added: CatalogElement) => {
    setAdding(false)
    store.add(added)
    say(words('added', { name: added.name }))
    // An empty catalog has no table before it is drawn.
    setShown(added.id)
  }
  const [shown, setShown] = useState<number>()
  useEffect(() => {
    if (shown === undefined || isAdding) return
    table.current?.show(shown)
    setShown(undefined)
  }, [shown, isAdding])
  useBlockedKeys(isAdding)
  const isNarrow = useIsNarrow()
  const { card: cardText } = useSearch({ strict: false }) as BoardSearch
  const card = cardIn(cardText)
  const { show, close } = useShowCard(card !== undefined)
  const wasOpen = useRef(card !== undefined)
  useLayoutEffect(() => {
    if (wasOpen.current && !card && isFocusLost()) table.current?.focus()
    wasOpen.current = card !== undefined
  }, [card])
  const shortcuts: Shortcut[] = [
    { keys: ['/'], text: words('find'), run: () => search.current?.focus() },
    { keys: ['j'], text: rows('keys.down'), run: () => table.current?.move(1, 0) },
    { keys: ['k'], text: rows('keys.up'), run: () => table.current?.move(-1, 0) },
    { keys: ['h'], text: rows('keys.left'), run: () => table.current?.move(0, -1) },
    { keys: ['l'], text: rows('keys.right'), run: () => table.current?.move(0, 1) },
    ...(mayEdit
      ? [{ keys: ['e'], text: rows('keys.edit'), run: () => table.current?.edit() }]
      : []),
    ...(add ? [{ keys: ['n'], text: words('addKey'), run: add }] : []),
    { keys: ['space'], text: words('uses') },
  ]
  useShortcuts(words('table'), card ? noShortcuts : shortcuts)
  const retry = () => {
    if (state.kind === 'failed') void store.load()
    if (fieldsError) void refetch()
  }
  const isReady = state.kind === 'ready' && fields !== undefined
  return (
    <div className={places.place}>
      <div
        className={styles.screen}
        inert={card !== undefined}
        aria-busy={present.kind === 'loading' || undefined}
      >
        <div className={styles.toolbar}>
          {catalogs.length > 1 && (
            <Select
              size="xs"
              className={own.catalog}
              aria-label={words('catalog')}
              data={catalogs.map((each) => ({ value: String(each.id), label: each.name }))}
              value={isListed ? String(id) : null}
              allowDeselect={false}
              onChange={(next) => void navigate({ to: `/products/${next}` })}
            />
          )}
          <TextInput
            ref={search}
            size="xs"
            type="search"
            className={own.search}
            leftSection={<Search size={14} aria-hidden />}
            aria-label={words('find')}
            placeholder={words('find')}
            value={text}
            maxLength={250}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              const { key } = event
              if (key !== 'Escape' && key !== 'Enter' && key !== 'ArrowDown') return
              event.preventDefault()
              event.stopPropagation()
              if (key === 'Escape' && text !== '') setText('')
              else table.current?.focus()
            }}
          />
          <span className={own.space} />
          {add && (
            <ToolButton
              icon={<Plus size={15} aria-hidden />}
              text={words('new')}
              title={`${words('addKey')}  N`}
              onClick={add}
            />
          )}
        </div>
        {state.kind === 'failed' || fieldsError ? (
          <Failure error={state.error ?? fieldsError} retry={retry} />
        ) : !isReady ? (
          <Rows number={12} />
        ) : state.items.length === 0 ? (
          <Empty
            title={words(query === '' ? 'empty' : 'nothingFound')}
            text={query === '' ? words('emptyText') : undefined}
            action={
              query === '' ? (
                add && (
                  <Button leftSection={<Plus size={16} aria-hidden />} onClick={add}>
                    {words('new')}
                  </Button>
                )
              ) : (
                <Button variant="default" onClick={() => setText('')}>
                  {words('showAll')}
                </Button>
              )
            }
          />
        ) : (
          <div className={own.place}>
            <ElementTable
              ref={table}
              name={name}
              columns={columns}
              state={state}
              mayEdit={mayEdit !== false}
              opened={isUsesOpen ? looked : undefined}
              save={save}
              onMark={setMarked}
              toggleUses={toggleUses}
              loadMore={loadMore}
            />
            {element && (
              <Uses
                catalogId={id}
                element={element}
                takesFocus={isNarrow}
                open={show}
                close={closeUses}
              />
            )}
          </div>
        )}
        {state.more === 'failed' && <Failure error={state.error} retry={loadMore} />}
      </div>
      {isAdding && fields && (
        <ElementAdder
          catalogId={id}
          fields={fields}
          onAdded={onAdded}
          onClose={() => setAdding(false)}
        />
      )}
      {card && (
        <CardPlace name={String(cardText)}>
          <CardOver
            card={card}
            hint={undefined}
            position={undefined}
            to={() => undefined}
            show={show}
            close={close}
          />
        </CardPlace>
      )}
    </div>
  )
}

/** The cells on screen take back a change with the key for so many milliseconds, also without the toast. */
const undoMs = 600_000

/** Saves cells, says a refusal, keeps what was typed until it is saved, and offers to take a change back. */
function useSave(store: ReturnType<typeof makeElementStore>): SaveElement {
  const rows = useTranslations('rows')
  const offerUndo = useOfferUndo()
  const problemText = useProblemText()
  const latest = useRef<SaveElement>(undefined)
  latest.current = async ({ id, name }, column, base, values, draft) => {
    const record = recordOfElement(id)
    if (draft !== undefined) keepEdit(record, column.name, { draft, base, at: Date.now() })
    try {
      await store.save(id, column, base, values)
    } catch (error) {
      return void warn(
        rows('notSaved', { column: column.label, name: name || `#${id}` }),
        error instanceof ChangeOvertaken
          ? rows('overtaken')
          : error instanceof Problem
            ? problemText(error)
            : String(error),
      )
    }
    forgetEdit(record, column.name)
    const element = store.find(id)
    const after = element ? column.read(element) : values
    offerUndo(
      rows('changed', { column: column.label }),
      () => {
        const now = store.find(id)
        if (now && !isSameValue(column.read(now), after)) return void warn(rows('overtaken'))
        void store.save(id, column, after, base).catch((error: unknown) => {
          warn(
            rows('notSaved', { column: column.label, name: name || `#${id}` }),
            error instanceof Problem ? problemText(error) : rows('overtaken'),
          )
        })
      },
      { on: { screen: store, ms: undoMs } },
    )
  }
  return useCallback((...args) => latest.current!(...args), [])
}
