// The tree of a field of the type category: each category is named, moved, added and deleted by
// itself, so that two people may work in it at once. It is drawn as one list, in which the place at
// the start of a row shows its level.
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import {
  ActionIcon,
  Button,
  Group,
  Menu,
  Text,
  Textarea,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, Ellipsis, GripVertical } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useTranslations } from 'use-intl'
import { useOrders } from '../../ui/conflict.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ProblemAlert, ProblemText } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import styles from './categories.module.css'
import { textLines } from './fields.ts'
import type { CategoryPlace, FieldCategory, FieldWrites, ManagedField } from './fields.ts'
import { isUsed } from './options.tsx'

interface Move extends CategoryPlace {
  id: number
}

/** The way of a category by one key. */
type Step = 'up' | 'down' | 'in' | 'out'

const steps: Record<string, Step> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowRight: 'in',
  ArrowLeft: 'out',
}

const scope = { id: 'fields' }

/** The categories of a parent, in their order. */
const below = (tree: readonly FieldCategory[], parent: number | null): FieldCategory[] =>
  tree.filter(({ parent_id }) => parent_id === parent).toSorted((a, b) => a.sort - b.sort)

/** The category and all below it. */
export function categoryBranch(tree: readonly FieldCategory[], id: number): Set<number> {
  const branch = new Set([id])
  for (const each of tree)
    if (each.parent_id !== null && branch.has(each.parent_id)) branch.add(each.id)
  return branch
}

/** The tree after a move, as the server makes it; one that cannot be leaves the tree as it is. */
export function withCategoryMoved(
  tree: readonly FieldCategory[],
  { id, parent_id, before }: Move,
): FieldCategory[] {
  const moved = tree.find((each) => each.id === id)
  if (!moved || (parent_id !== null && categoryBranch(tree, id).has(parent_id))) return [...tree]
  const siblings = below(tree, parent_id).filter((each) => each.id !== id)
  const at = before === null ? -1 : siblings.findIndex((each) => each.id === before)
  const order = siblings.toSpliced(at < 0 ? siblings.length : at, 0, moved)
  const sorts = new Map(order.map((each, index) => [each.id, index + 1]))
  return tree.map((each) => ({
    ...each,
    ...(each.id === id && { parent_id }),
    sort: sorts.get(each.id) ?? each.sort,
  }))
}

interface TreeRow extends FieldCategory {
  level: number
  hasChildren: boolean
}

/** The rows from top to bottom, without those below a closed category. */
function rowsOf(tree: readonly FieldCategory[], closed: ReadonlySet<number>): TreeRow[] {
  const rows = (parent: number | null, level: number): TreeRow[] =>
    below(tree, parent).flatMap((each) => {
      const children = closed.has(each.id) ? [] : rows(each.id, level + 1)
      const hasChildren = tree.some(({ parent_id }) => parent_id === each.id)
      return [{ ...each, level, hasChildren }, ...children]
    })
  return rows(null, 1)
}

/** Where a step leads; undefined where there is no way. */
function placeAfter(
  tree: readonly FieldCategory[],
  id: number,
  step: Step,
): CategoryPlace | undefined {
  const moved = tree.find((each) => each.id === id)
  if (!moved) return undefined
  const { parent_id } = moved
  const siblings = below(tree, parent_id)
  const at = siblings.indexOf(moved)
  const parent = tree.find((each) => each.id === parent_id)
  const above = siblings[at - 1]
  if (step === 'up') return above && { parent_id, before: above.id }
  if (step === 'down')
    return siblings[at + 1] && { parent_id, before: siblings[at + 2]?.id ?? null }
  if (step === 'in') return above && { parent_id: above.id, before: null }
  if (!parent) return undefined
  const uncles = below(tree, parent.parent_id)
  return {
    parent_id: parent.parent_id,
    before: uncles[uncles.indexOf(parent) + 1]?.id ?? null,
  }
}

export function CategoryTree({
  field,
  writes,
  onChanged,
}: {
  field: ManagedField
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
}) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const [moves, setMoves] = useState<Move[]>([])
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  const [parent, setParent] = useState<number | null>(null)
  const [leaving, setLeaving] = useState<{ id: number; name: string; hasValues: boolean }>()
  const [said, setSaid] = useState('')
  /** The category that keys have moved, which keeps the focus. */
  const moved = useRef<number>(undefined)
  const input = useRef<HTMLTextAreaElement>(null)
  const tree = moves.reduce<FieldCategory[]>(withCategoryMoved, field.nested ?? [])
  const latest = useRef(tree)
  latest.current = tree
  const moving = useMutation({
    mutationFn: async ({ id, ...place }: Move) => {
      onChanged(await writes.moveCategory(field.id, id, place))
      // The page is told of an answer a moment later; until then the move stays laid over.
      await new Promise((shown) => setTimeout(shown))
    },
    onError: (error) => {
      setSaid('')
      warn(words('notMoved'), <ProblemText error={error} />)
    },
    onSettled: (_answer, _error, sent) => setMoves((now) => now.filter((each) => each !== sent)),
    scope,
  })
  const removal = useMutation({
    mutationFn: ({ id, hasValues }: { id: number; name: string; hasValues: boolean }) =>
      writes.removeCategory(field.id, id, hasValues),
    onSuccess: (changed) => {
      setLeaving(undefined)
      onChanged(changed)
    },
    onError: (error, asked) => {
      if (isUsed(error)) setLeaving({ ...asked, hasValues: true })
    },
    scope,
  })
  const nameOf = (id: number | null) => latest.current.find((each) => each.id === id)?.value
  const move = (id: number, place: CategoryPlace) => {
    const { current } = latest
    const wanted = { id, ...place }
    latest.current = withCategoryMoved(current, wanted)
    const siblings = below(latest.current, place.parent_id)
    setMoves((now) => [...now, wanted])
    if (place.parent_id !== null) open(place.parent_id)
    const of = { name: nameOf(id) ?? '', count: siblings.length }
    const position = siblings.findIndex((each) => each.id === id) + 1
    const above = nameOf(place.parent_id)
    setSaid(
      above === undefined
        ? words('movedCategory', { ...of, place: position })
        : words('movedCategoryBelow', { ...of, place: position, parent: above }),
    )
    moving.mutate(wanted)
  }
  const open = (id: number) => setClosed((now) => new Set([...now].filter((each) => each !== id)))
  const toggle = (id: number) =>
    setClosed((now) => {
      const isClosed = now.has(id)
      return new Set(isClosed ? [...now].filter((each) => each !== id) : [...now, id])
    })
  const step = (id: number, by: Step) => {
    const place = placeAfter(latest.current, id, by)
    if (!place) return
    moved.current = id
    move(id, place)
  }
  const rows = rowsOf(tree, closed)
  const isThere = parent !== null && tree.some(({ id }) => id === parent)
  const children = leaving ? categoryBranch(tree, leaving.id).size - 1 : 0
  return (
    <>
      {rows.length > 0 ? (
        <ul className={styles.tree} aria-label={words('categories')}>
          {rows.map((row) => (
            <CategoryRow
              key={row.id}
              row={row}
              field={field}
              above={nameOf(row.parent_id)}
              isClosed={closed.has(row.id)}
              ways={(by) => placeAfter(tree, row.id, by) !== undefined}
              moved={moved}
              writes={writes}
              onChanged={onChanged}
              toggle={() => toggle(row.id)}
              step={(by) => step(row.id, by)}
              drop={(id, place) => {
                const { current } = latest
                if (categoryBranch(current, id).has(row.id)) return
                const siblings = below(current, row.parent_id).filter((each) => each.id !== id)
                const next = siblings[siblings.findIndex((each) => each.id === row.id) + 1]
                if (place === 'inside') move(id, { parent_id: row.id, before: null })
                else
                  move(id, {
                    parent_id: row.parent_id,
                    before: place === 'above' ? row.id : (next?.id ?? null),
                  })
              }}
              addBelow={() => {
                open(row.id)
                setParent(row.id)
                // The menu gives the focus back to its button first.
                requestAnimationFrame(() => input.current?.focus())
              }}
              remove={() => {
                removal.reset()
                const asked = { id: row.id, name: row.value, hasValues: false }
                if (row.hasChildren) setLeaving(asked)
                else removal.mutate(asked)
              }}
              error={removal.variables?.id === row.id && !leaving ? removal.error : null}
            />
          ))}
        </ul>
      ) : (
        <Text c="dimmed" size="sm">
          {words('noCategories')}
        </Text>
      )}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <AddCategories
        field={field}
        input={input}
        parent={isThere ? { id: parent, name: nameOf(parent)! } : undefined}
        toTop={() => setParent(null)}
        writes={writes}
        onChanged={onChanged}
      />
      <Confirm
        opened={leaving !== undefined}
        title={words('deleteOf', { name: leaving?.name ?? '' })}
        text={[
          children > 0 && words('deleteBranch', { count: children }),
          leaving?.hasValues && words('deleteTakenText'),
        ]
          .filter(Boolean)
          .join(' ')}
        action={shared('delete')}
        isPending={removal.isPending}
        error={isUsed(removal.error) ? null : removal.error}
        onConfirm={() => leaving && removal.mutate(leaving)}
        onClose={() => setLeaving(undefined)}
      />
    </>
  )
}

type Edge = 'above' | 'inside' | 'below'

function CategoryRow({
  row,
  field,
  above,
  isClosed,
  ways,
  moved,
  writes,
  onChanged,
  toggle,
  step,
  drop,
  addBelow,
  remove,
  error,
}: {
  row: TreeRow
  field: ManagedField
  /** The name of the category above. */
  above: string | undefined
  isClosed: boolean
  ways: (by: Step) => boolean
  moved: { current: number | undefined }
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
  toggle: () => void
  step: (by: Step) => void
  drop: (id: number, edge: Edge) => void
  addBelow: () => void
  remove: () => void
  error: unknown
}) {
  const words = useTranslations('fields')
  const shared = useTranslations('ui')
  const { id, value, level, hasChildren } = row
  const [isNaming, setNaming] = useState(false)
  const [edge, setEdge] = useState<Edge>()
  const element = useRef<HTMLLIElement>(null)
  const handle = useRef<HTMLSpanElement>(null)
  const latest = useRef(drop)
  latest.current = drop
  useEffect(() => {
    const { current } = element
    const edgeAt = ({ clientY }: { clientY: number }): Edge => {
      const { top, height } = current!.getBoundingClientRect()
      const part = (clientY - top) / height
      return part < 0.3 ? 'above' : part > 0.7 ? 'below' : 'inside'
    }
    const name = `category of ${field.id}`
    const stopDrag = draggable({
      element: current!,
      dragHandle: handle.current!,
      getInitialData: () => ({ [name]: id }),
    })
    const stopDrop = dropTargetForElements({
      element: current!,
      canDrop: ({ source }) => name in source.data && source.data[name] !== id,
      onDrag: ({ location }) => setEdge(edgeAt(location.current.input)),
      onDragLeave: () => setEdge(undefined),
      onDrop({ source, location }) {
        setEdge(undefined)
        latest.current(source.data[name] as number, edgeAt(location.current.input))
      },
    })
    return () => {
      stopDrag()
      stopDrop()
    }
  }, [field.id, id])
  // A browser takes the focus from what is moved in the page.
  useLayoutEffect(() => {
    const { activeElement } = document
    if (moved.current !== id || (activeElement && activeElement !== document.body)) return
    element.current?.querySelector<HTMLElement>('[data-name]')?.focus()
  })
  // The next row takes the focus of one that goes.
  useLayoutEffect(() => {
    const { current } = element
    return () => {
      if (!current?.contains(document.activeElement)) return
      const next = current.nextElementSibling ?? current.previousElementSibling
      next?.querySelector<HTMLElement>('[data-name]')?.focus()
    }
  }, [])
  const press = (event: KeyboardEvent) => {
    const by = steps[event.key]
    if (!by || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    // Menus and dialogs of the row are children of it for React only.
    if (isNaming || !element.current?.contains(event.target as Node)) return
    event.preventDefault()
    step(by)
  }
  const name = useRef<HTMLButtonElement>(null)
  const endNaming = (isByKey: boolean) => {
    setNaming(false)
    if (isByKey) requestAnimationFrame(() => name.current?.focus())
  }
  return (
    // Not a control itself: the keys are those of the controls in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      ref={element}
      className={styles.row}
      style={{ '--level': level - 1 } as React.CSSProperties}
      data-category={id}
      data-edge={edge}
      onKeyDown={press}
    >
      <span ref={handle} className={styles.handle} aria-hidden data-handle>
        <GripVertical size={16} />
      </span>
      {hasChildren ? (
        <ActionIcon
          aria-label={words(isClosed ? 'openCategory' : 'closeCategory', { name: value })}
          aria-expanded={!isClosed}
          onClick={toggle}
        >
          {isClosed ? <ChevronRight size={16} /> : <ChevronDown size={16} />}
        </ActionIcon>
      ) : (
        <span className={styles.leaf} />
      )}
      <div className={styles.words}>
        {isNaming ? (
          <CategoryName
            id={id}
            value={value}
            field={field}
            writes={writes}
            onChanged={onChanged}
            onEnd={endNaming}
          />
        ) : (
          <button
            ref={name}
            type="button"
            className={styles.name}
            data-name
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight"
            onClick={() => setNaming(true)}
          >
            {value}
            {above !== undefined && (
              <VisuallyHidden>{words('belowCategory', { parent: above })}</VisuallyHidden>
            )}
          </button>
        )}
        <ProblemAlert error={error} />
      </div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={words('actsOfCategory', { name: value })}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setNaming(true)}>{words('rename')}</Menu.Item>
          <Menu.Item onClick={addBelow}>{words('addBelow')}</Menu.Item>
          <Menu.Item disabled={!ways('up')} onClick={() => step('up')}>
            {words('moveUp')}
          </Menu.Item>
          <Menu.Item disabled={!ways('down')} onClick={() => step('down')}>
            {words('moveDown')}
          </Menu.Item>
          <Menu.Item disabled={!ways('in')} onClick={() => step('in')}>
            {words('moveIn')}
          </Menu.Item>
          <Menu.Item disabled={!ways('out')} onClick={() => step('out')}>
            {words('moveOut')}
          </Menu.Item>
          <Menu.Item c="danger" onClick={remove}>
            {shared('delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  )
}

/** The name while it is typed: Enter and leaving save it, Escape takes it back. */
function CategoryName({
  id,
  value,
  field,
  writes,
  onChanged,
  onEnd,
}: {
  id: number
  value: string
  field: ManagedField
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
  onEnd: (isByKey: boolean) => void
}) {
  const words = useTranslations('fields')
  const orders = useOrders()
  const [text, setText] = useState(value)
  /** The name that the typing began with. */
  const [base, setBase] = useState(value)
  const byKey = useRef(false)
  const change = useMutation({
    mutationFn: (name: string) => writes.renameCategory(field.id, id, name),
    onSuccess: (changed) => {
      onChanged(changed)
      onEnd(byKey.current)
    },
    scope,
  })
  const save = () => {
    if (orders.notice || change.isPending) return
    const wanted = text.trim()
    if (wanted === '' || wanted === base) return onEnd(byKey.current)
    orders.give({
      base,
      present: value,
      wanted,
      text: words('overtaken', { value }),
      run: () => change.mutate(wanted),
      dropped: () => onEnd(true),
    })
  }
  return (
    <>
      <TextInput
        aria-label={words('categoryName', { name: base })}
        autoFocus
        data-name
        // The first Escape takes back what was typed; a dialog around it stays.
        data-mantine-stop-propagation
        maxLength={255}
        value={text}
        error={change.error ? <ProblemText error={change.error} /> : undefined}
        onFocus={({ target }) => target.setSelectionRange(value.length, value.length)}
        onChange={({ target }) => {
          change.reset()
          setText(target.value)
        }}
        onBlur={() => {
          byKey.current = false
          save()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            byKey.current = true
            save()
          } else if (event.key === 'Escape') {
            change.reset()
            setBase(value)
            onEnd(true)
          }
        }}
      />
      {orders.notice}
    </>
  )
}

/** One category, or many by a pasted list, on the first level or below one that its menu has named. */
function AddCategories({
  field,
  input,
  parent,
  toTop,
  writes,
  onChanged,
}: {
  field: ManagedField
  input: React.RefObject<HTMLTextAreaElement | null>
  parent: { id: number; name: string } | undefined
  toTop: () => void
  writes: FieldWrites
  onChanged: (field: ManagedField) => void
}) {
  const words = useTranslations('fields')
  const [text, setText] = useState('')
  const lines = textLines(text)
  const add = useMutation({
    mutationFn: ({ values, below }: { values: string[]; below: number | null }) =>
      writes.addCategories(field.id, values, below),
    onSuccess: ({ field: changed }) => onChanged(changed),
    // What is typed meanwhile follows what was not added.
    onError: (_error, { values }) =>
      setText((now) => [values.join('\n'), now].filter(Boolean).join('\n')),
    scope,
  })
  const send = () => {
    if (lines.length === 0) return
    setText('')
    add.mutate({ values: lines, below: parent?.id ?? null })
  }
  const skipped = add.data?.skipped ?? []
  return (
    <>
      <Group gap="sm" align="flex-end" mt="sm" wrap="nowrap">
        <Textarea
          ref={input}
          className={styles.words}
          label={
            parent ? words('addCategoriesBelow', { name: parent.name }) : words('addCategories')
          }
          description={words('addOptionsAbout')}
          autosize
          minRows={1}
          maxRows={8}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            // A single line is added by Enter, as in any list; Shift Enter begins another.
            if (event.key !== 'Enter' || event.shiftKey || lines.length > 1) return
            event.preventDefault()
            send()
          }}
        />
        <Button
          variant="default"
          disabled={lines.length === 0}
          loading={add.isPending}
          onClick={send}
        >
          {lines.length > 1 ? words('addNumber', { count: lines.length }) : words('addOne')}
        </Button>
      </Group>
      {parent && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={toTop}>
          {words('toTopLevel')}
        </Button>
      )}
      <ProblemAlert error={add.error} />
      {skipped.length > 0 && (
        <Text size="sm" c="dimmed" role="status" mt="xs">
          {words('skipped', {
            names: [...skipped.slice(0, 20), ...(skipped.length > 20 ? ['…'] : [])].join(', '),
          })}
        </Text>
      )}
    </>
  )
}
