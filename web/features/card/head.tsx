// The head of a card: the name of the record, its tags, who is responsible, who else is here, and the
// ways to other records.
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import { ArrowLeft, Check, ChevronDown, ChevronUp, Ellipsis, Link2, Plus, X } from 'lucide-react'
import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { ChangeOvertaken } from '../../data/conflicts.ts'
import { useFoundTags } from '../../crm/tags.ts'
import type { Tag } from '../../crm/tags.ts'
import { useOrders } from '../../ui/conflict.tsx'
import { Picker } from '../../ui/picker.tsx'
import { shownKey } from '../../ui/shown-key.ts'
import { useRefusalText } from '../../ui/states.tsx'
import { useOfferUndo } from '../../ui/undo.ts'
import { warn } from '../../ui/toasts.ts'
import { useEdit } from './edit.ts'
import type { CardLine } from './edit.ts'
import { Editor, Editors, Tick, FieldNotices } from './field.tsx'
import { recordActs } from './acts.ts'
import type { CardHandle } from './acts.ts'
import styles from './head.module.css'
import type { RecordCard } from './record.ts'
import { initialsOf, useOpenCard, useLastEditor, userName } from './context.ts'
import { useIsFresh, useMember } from './store.ts'
import { plainText } from '../../crm/fields/field.ts'

/** The ways from a card to others, and back to the screen that it was opened from. */
export interface Ways {
  /** Shows the event log of the record. */
  openLog: () => void
  /** Leaves the card for the screen that it came from. */
  close?: (() => void) | undefined
  /** Where the arrow of a page leads. */
  up?: { title: string; go: () => void } | undefined
  position?: { at: number; of: number; isMore: boolean } | undefined
  previous?: (() => void) | undefined
  next?: (() => void) | undefined
}

const nameRow = (label: string): CardLine => ({
  key: 'name',
  field: {
    id: -1,
    name: label,
    type: 'text',
    code: null,
    currency: null,
    enums: null,
    chained_lists: null,
  },
  read: (name: string | null) => (name ? [{ value: name }] : null),
  write: (values) => {
    const name = plainText(values?.[0]?.value)
    return { change: { name }, body: { name } }
  },
})

export function CardHeader({
  ways,
  heading: Heading,
  may,
  handle,
}: {
  ways: Ways
  heading: 'h1' | 'h2'
  may: RecordCard['may']
  handle: CardHandle
}) {
  const words = useTranslations('card')
  const { store, bootstrap, mayEdit } = useOpenCard()
  const onMenu = recordActs.filter((act) => act.isOnMenu && act.isOf(store.type) && act.may(may))
  const responsible = userName(bootstrap, useMember(store, 'responsible_user_id'))
  const isFresh = useIsFresh(store, 'responsible_user_id')
  const { close, up, position, previous, next } = ways
  return (
    <div className={styles.head}>
      {up && (
        <Tooltip label={up.title}>
          <ActionIcon size={32} aria-label={up.title} onClick={up.go}>
            <ArrowLeft size={18} />
          </ActionIcon>
        </Tooltip>
      )}
      <div className={styles.about}>
        <Name heading={Heading} />
        <span className={styles.number}>#{store.id}</span>
        <Tags onTag={handle.tag} />
      </div>
      <div className={styles.acts}>
        <Others />
        {responsible !== undefined && (
          <Tooltip label={words('responsible')}>
            <Button
              variant="subtle"
              color="gray"
              className={styles.responsible}
              data-fresh={isFresh || undefined}
              data-printed
              disabled={!mayEdit}
              aria-label={words('responsibleIs', { name: responsible })}
              leftSection={<Avatar name={responsible} />}
              onClick={handle.assign}
            >
              {responsible}
            </Button>
          </Tooltip>
        )}
        <CopyLink />
        {onMenu.length > 0 && (
          <Menu position="bottom-end" width={220}>
            <Menu.Target>
              <ActionIcon size={32} aria-label={words('actions')}>
                <Ellipsis size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {onMenu.map(({ name, text, icon: Icon, key, run }) => (
                <Menu.Item
                  key={name}
                  {...(name === 'delete' && { color: 'danger' })}
                  leftSection={<Icon size={15} />}
                  rightSection={key && shownKey(key)}
                  onClick={() => run(handle)}
                >
                  {words(text)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        {position && (
          <div className={styles.ways}>
            <Tooltip label={`${words('previous')}  [`}>
              <ActionIcon
                size={32}
                aria-label={words('previous')}
                disabled={!previous}
                onClick={previous}
              >
                <ChevronUp size={18} />
              </ActionIcon>
            </Tooltip>
            <span
              className={styles.position}
              aria-label={words('position', { at: position.at, of: position.of })}
            >
              {position.at}/{position.of}
              {position.isMore && '+'}
            </span>
            <Tooltip label={`${words('next')}  ]`}>
              <ActionIcon size={32} aria-label={words('next')} disabled={!next} onClick={next}>
                <ChevronDown size={18} />
              </ActionIcon>
            </Tooltip>
          </div>
        )}
        {close && (
          <Tooltip label={`${words('close')}  Esc`}>
            <ActionIcon size={32} aria-label={words('close')} onClick={close}>
              <X size={18} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </div>
  )
}

function Name({ heading: Heading }: { heading: 'h1' | 'h2' }) {
  const words = useTranslations('card')
  const { store, mayEdit } = useOpenCard()
  const label = words('name')
  const row = nameRow(label)
  const edit = useEdit(row)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const isFresh = useIsFresh(store, 'name')
  useLayoutEffect(() => {
    if (edit.ended > 0) button.current?.focus({ preventScroll: true })
  }, [edit.ended])
  const shown = edit.values?.[0]?.value
  const text = typeof shown === 'string' ? shown : words(`untitled.${store.type}`, { id: store.id })
  return (
    <div className={styles.name} data-editing={edit.isEditing || undefined}>
      <Heading
        className={styles.title}
        tabIndex={-1}
        data-title
        data-fresh={isFresh || undefined}
        title={text}
      >
        {mayEdit && !edit.isEditing ? (
          <button
            ref={button}
            type="button"
            className={styles.titleButton}
            onClick={() => edit.begin()}
          >
            <bdi>{text}</bdi>
          </button>
        ) : (
          !edit.isEditing && <bdi>{text}</bdi>
        )}
      </Heading>
      {edit.isEditing && (
        <>
          <span id={`${id}-name`} hidden>
            {label}
          </span>
          <Editor
            field={row.field}
            edit={edit}
            isPlain
            names={{ label: `${id}-name`, value: `${id}-value`, fault: `${id}-fault` }}
          />
        </>
      )}
      <Editors member="name" />
      <Tick state={edit.state} />
      <FieldNotices field={row.field} edit={edit} faultId={`${id}-fault`} />
    </div>
  )
}

const tagging = recordActs.find(({ name }) => name === 'tag')!

function Tags({ onTag }: { onTag: () => void }) {
  const words = useTranslations('card')
  const { store, mayEdit } = useOpenCard()
  const tags = useMember(store, 'tags') ?? []
  const isFresh = useIsFresh(store, 'tags')
  if (tags.length === 0 && !mayEdit) return undefined
  return (
    <div className={styles.tags} data-fresh={isFresh || undefined}>
      {tags.map(({ id, name, color }) => (
        <span key={id} className={styles.tag}>
          {color && <i style={{ background: `#${color.replace('#', '')}` }} />}
          <bdi>{name}</bdi>
        </span>
      ))}
      {mayEdit && (
        <Tooltip label={`${words(tagging.text)}  ${shownKey(tagging.key!)}`}>
          <button
            type="button"
            className={styles.addTag}
            data-unprinted
            aria-label={words('editTags')}
            onClick={onTag}
          >
            <Plus size={13} aria-hidden />
            {tags.length === 0 && words('tag')}
          </button>
        </Tooltip>
      )}
    </div>
  )
}

const Avatar = ({ name }: { name: string }) => (
  <span className={styles.avatar} aria-hidden>
    {initialsOf(name)}
  </span>
)

/** More faces than these say nothing more. */
const mostFaces = 4

/** The other people who have the card open. */
function Others() {
  const words = useTranslations('card')
  const { others, bootstrap } = useOpenCard()
  const ids = [...new Set(others.map(({ userId }) => userId))]
  if (ids.length === 0) return undefined
  const names = ids.map((id) => userName(bootstrap, id) ?? words('somebody'))
  return (
    <div className={styles.others} role="group" aria-label={words('alsoHere')}>
      {names.slice(0, mostFaces).map((name, index) => (
        <Tooltip key={ids[index]} label={words('isHere', { name })}>
          <span className={styles.face} role="img" aria-label={words('isHere', { name })}>
            {initialsOf(name)}
          </span>
        </Tooltip>
      ))}
      {names.length > mostFaces && <span className={styles.rest}>+{names.length - mostFaces}</span>}
    </div>
  )
}

/** Copies the address of the record; over plain HTTP it is shown, selected, for the keyboard. */
function CopyLink() {
  const words = useTranslations('card')
  const ui = useTranslations('ui')
  const { store } = useOpenCard()
  const [state, setState] = useState<'idle' | 'copied' | 'shown'>('idle')
  const address = `${location.origin}/${store.type}/${store.id}`
  const copy = async () => {
    const wrote = await navigator.clipboard?.writeText(address).then(
      () => true,
      () => false,
    )
    setState(wrote ? 'copied' : 'shown')
    if (wrote) setTimeout(() => setState('idle'), 2500)
  }
  return (
    <div className={styles.copy}>
      <Tooltip
        label={state === 'copied' ? ui('copied') : words('copyLink')}
        opened={state === 'copied' ? true : undefined}
      >
        <ActionIcon size={32} aria-label={words('copyLink')} onClick={() => void copy()}>
          {state === 'copied' ? <Check size={17} /> : <Link2 size={17} />}
        </ActionIcon>
      </Tooltip>
      {state === 'shown' && (
        <input
          className={styles.address}
          readOnly
          autoFocus
          aria-label={ui('selected')}
          title={ui('selected')}
          value={address}
          onFocus={({ currentTarget }) => currentTarget.select()}
          onBlur={() => setState('idle')}
          onKeyDown={({ key }) => key === 'Escape' && setState('idle')}
        />
      )}
    </div>
  )
}

/** Makes a user responsible; asks first where another has done so since the choice was begun. */
export function useAssign(): { assign: (id: number, base: number) => void; notice: ReactNode } {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  const refusalText = useRefusalText()
  const offerUndo = useOfferUndo()
  const orders = useOrders()
  const lastEditor = useLastEditor()
  const theirText = () =>
    words('theyAssigned', {
      who: lastEditor(),
      name: userName(bootstrap, store.shown('responsible_user_id')) ?? words('somebody'),
    })
  const apply = (id: number) => {
    const before = store.shown('responsible_user_id')!
    const member = { responsible_user_id: id }
    const refused = (error: unknown) =>
      void warn(words('notSaved', { field: words('responsible') }), refusalText(error))
    const sent = store.save(member, member)
    const name = userName(bootstrap, id) ?? ''
    const withdraw = offerUndo(words('assigned', { name }), () => {
      const back = { responsible_user_id: before }
      void sent.then(
        () => store.save(back, back).catch(refused),
        () => undefined,
      )
    })
    sent.catch((error: unknown) => {
      withdraw()
      if (error instanceof ChangeOvertaken) orders.ask({ text: theirText(), run: () => apply(id) })
      else refused(error)
    })
  }
  return {
    assign: (id, base) =>
      orders.give({
        base,
        present: store.shown('responsible_user_id'),
        wanted: id,
        text: theirText(),
        run: () => apply(id),
      }),
    notice: orders.notice,
  }
}

/** Chooses the responsible user. */
export function AssignPicker({
  assign,
  onClose,
}: {
  assign: (id: number, base: number) => void
  onClose: () => void
}) {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  const { me, users } = bootstrap
  const present = useMember(store, 'responsible_user_id')
  const [base] = useState(() => store.shown('responsible_user_id') ?? 0)
  return (
    <Picker
      title={words('assignTo')}
      hint={words('person')}
      choices={users
        .filter(({ is_active }) => is_active)
        .toSorted((one, other) => Number(other.id === me.id) - Number(one.id === me.id))
        .map(({ id, name }) => ({
          key: String(id),
          text: id === me.id ? words('yourself', { name }) : name,
          isChosen: id === present,
        }))}
      onPick={(key) => {
        onClose()
        if (Number(key) !== present) assign(Number(key), base)
      }}
      onClose={onClose}
    />
  )
}

let temporary = -1

/** Gives the record tags and takes them. The server finds a tag among all of them; a new name makes one. */
export function TagPicker({ onClose }: { onClose: () => void }) {
  const words = useTranslations('card')
  const { store, bootstrap } = useOpenCard()
  const refusalText = useRefusalText()
  const own = useMember(store, 'tags') ?? []
  const [typed, setTyped] = useState('')
  const { tags: found, isFetching, error } = useFoundTags(store.type, typed)
  const offered = [...own, ...bootstrap.tags[store.type], ...found]
  const known = new Map(offered.map((tag) => [tag.name, tag]))
  const toggle = (name: string) => {
    onClose()
    const now = store.shown('tags') ?? []
    const isOn = now.some((tag) => tag.name === name)
    const tag: Tag = known.get(name) ?? { id: temporary--, name, color: null }
    const tags = isOn ? now.filter((each) => each.name !== name) : [...now, tag]
    const body = isOn ? { tags_to_delete: [{ name }] } : { tags_to_add: [{ name }] }
    store
      .save({ tags }, body)
      .catch(
        (error: unknown) =>
          void warn(words('notSaved', { field: words('tags') }), refusalText(error)),
      )
  }
  return (
    <Picker
      title={words('tags')}
      hint={words('tag')}
      onType={setTyped}
      isFetching={isFetching}
      error={error}
      choices={[...known.keys()].map((name) => ({
        key: name,
        text: name,
        isChosen: own.some((tag) => tag.name === name),
      }))}
      make={{ text: (name) => words('newTag', { name }), run: toggle }}
      onPick={toggle}
      onClose={onClose}
    />
  )
}
