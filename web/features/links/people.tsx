// The contacts and the company of a record, or the employees of a company: to call, to write to, to
// find, to make and to edit in place.
import { Badge, Menu, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Building2, Mail, MessageCircle, Pencil, Phone, Star, Unlink } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { focusAfter } from '../../ui/focus.ts'
import { addRecord, fieldOfReachable, reachableAt } from '../../crm/records.ts'
import { isOvertaken } from '../../data/conflicts.ts'
import { useOrders } from '../../ui/conflict.tsx'
import { Finder, useFinderText } from '../../ui/finder.tsx'
import { useRefusalText } from '../../ui/states.tsx'
import { warn } from '../../ui/toasts.ts'
import { useLeftDraft } from './left-draft.ts'
import { changeReachable, chattingQuery, foundQuery, link } from './links.ts'
import type { ItemOfList, LinkTarget } from './links.ts'
import styles from './links.module.css'
import { ReachableForm, reachableValues } from './reachable-form.tsx'
import type { ReachableValues } from './reachable-form.tsx'
import { LinkedName } from './linked-name.tsx'
import { RowMenu } from './row-menu.tsx'
import { useLinks, useTheirText } from './context.ts'
import { leaveRow, LinkSection } from './section.tsx'
import { useUnlink } from './use-unlink.ts'

type ListOfPeople = 'contacts' | 'companies'
type Person = ItemOfList<'contacts'> | ItemOfList<'companies'>

/** Leads and customers have a main contact. */
const useHasMain = (list: ListOfPeople): boolean => {
  const { owner } = useLinks()
  return list === 'contacts' && (owner.type === 'leads' || owner.type === 'customers')
}

const isMain = (person: Person): boolean => 'is_main' in person && person.is_main

export function People({ list }: { list: ListOfPeople }) {
  const words = useTranslations('links')
  const { owner, lists, mayEdit } = useLinks()
  const { items, is_more }: { items: Person[]; is_more: boolean } = lists[list]
  const of = owner.type === 'companies' && list === 'contacts' ? 'employees' : list
  const ids = list === 'contacts' ? items.map(({ id }) => id) : []
  const { data: chatting } = useQuery(chattingQuery(ids))
  const left = useLeftDraft(newMember(list))
  return (
    <LinkSection
      name={words(`sections.${of}`)}
      addLabel={
        list === 'companies' && items.length > 0 ? words('replaceCompany') : words(`add.${of}`)
      }
      emptyText={words(`empty.${of}`)}
      count={items.length}
      isMore={is_more}
      all={list}
      isSingle={list === 'companies'}
      isOpen={left !== undefined}
      adder={mayEdit ? (close) => <Adder list={list} of={of} onClose={close} /> : undefined}
    >
      {items.length > 0 && (
        <ul className={styles.rows}>
          {items.map((person) => (
            <PersonRow
              key={person.id}
              list={list}
              person={person}
              hasChat={chatting?.has(person.id) ?? false}
            />
          ))}
        </ul>
      )}
    </LinkSection>
  )
}

/** The names of drafts that a card may be left with: of somebody new, and of somebody shown. */
const newMember = (list: ListOfPeople) => `new ${list}`
const memberOf = (list: ListOfPeople, id: number) => `${list} ${id}`

/** The first of them, and that there are more. */
const mostReachable = 3

function PersonRow({
  list,
  person,
  hasChat,
}: {
  list: ListOfPeople
  person: Person
  hasChat: boolean
}) {
  const words = useTranslations('links')
  const { mayEdit } = useLinks()
  const { id, phones, emails, may_edit } = person
  const left = useLeftDraft(memberOf(list, id))
  const [isEditing, setEditing] = useState(left !== undefined && may_edit)
  const edited = useRef<HTMLLIElement>(null)
  const hasMain = useHasMain(list)
  const name = person.name || words('untitled', { id })
  const makeMain = useMakeMain()
  const unlinkPerson = useUnlink(list)
  if (isEditing)
    return (
      <li ref={edited} className={styles.row} data-edited>
        <EditForm
          list={list}
          person={person}
          name={name}
          onClose={() => {
            focusAfter(edited.current, () =>
              rowOf(list, id)?.closest('li')?.querySelector<HTMLElement>('[data-row-actions]'),
            )
            setEditing(false)
          }}
        />
      </li>
    )
  const hidden = phones.length + emails.length - mostReachable
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        {list === 'companies' && <Building2 size={14} className={styles.icon} aria-hidden />}
        <LinkedName type={list} id={id} name={name} />
        {hasMain && isMain(person) && <Badge size="sm">{words('main')}</Badge>}
        {hasChat && (
          <Tooltip label={words('hasChat')}>
            <span className={styles.chat} role="img" aria-label={words('hasChat')}>
              <MessageCircle size={14} aria-hidden />
            </span>
          </Tooltip>
        )}
        <span className={styles.space} />
        {(mayEdit || may_edit) && (
          <RowMenu name={name}>
            {may_edit && (
              <Menu.Item
                leftSection={<Pencil size={14} aria-hidden />}
                onClick={() => setEditing(true)}
              >
                {words('edit')}
              </Menu.Item>
            )}
            {mayEdit && hasMain && !isMain(person) && (
              <Menu.Item
                leftSection={<Star size={14} aria-hidden />}
                onClick={() => void makeMain(id)}
              >
                {words('makeMain')}
              </Menu.Item>
            )}
            {mayEdit && (
              <Menu.Item
                leftSection={<Unlink size={14} aria-hidden />}
                onClick={() => {
                  leaveRow(rowOf(list, id))
                  void unlinkPerson(person, name, targetOf(list, person))
                }}
              >
                {words('unlink')}
              </Menu.Item>
            )}
          </RowMenu>
        )}
      </div>
      {(phones.length > 0 || emails.length > 0) && (
        <div className={styles.reached}>
          {phones.slice(0, mostReachable).map(({ value }) => (
            <a
              key={value}
              href={`tel:${value.replaceAll(/[^+\d*#,;]/g, '')}`}
              aria-label={words('call', { phone: value })}
            >
              <Phone size={12} aria-hidden />
              <span className="numbers">{value}</span>
            </a>
          ))}
          {emails.slice(0, Math.max(0, mostReachable - phones.length)).map(({ value }) => (
            <a
              key={value}
              href={`mailto:${encodeURIComponent(value).replaceAll('%40', '@')}`}
              aria-label={words('write', { email: value })}
            >
              <Mail size={12} aria-hidden />
              <span>{value}</span>
            </a>
          ))}
          {hidden > 0 && <span>+{hidden}</span>}
        </div>
      )}
    </li>
  )
}

/** The row on the page: the menu, whose item was clicked, stands elsewhere in it. */
const rowOf = (list: ListOfPeople, id: number): Element | null =>
  document.querySelector(`section a[href="/${list}/${id}"]`)

const targetOf = (list: ListOfPeople, person: Person): LinkTarget => ({
  to_entity_type: list,
  to_entity_id: person.id,
  ...(isMain(person) && { metadata: { is_main: true } }),
})

function useMakeMain() {
  const { owner, act } = useLinks()
  return (id: number) =>
    act(
      'contacts',
      (items) =>
        items
          .map((each) => ({ ...each, is_main: each.id === id }))
          .toSorted((a, b) => Number(b.is_main) - Number(a.is_main)),
      () =>
        link(owner, {
          to_entity_type: 'contacts',
          to_entity_id: id,
          metadata: { is_main: true },
        }),
    )
}

function EditForm({
  list,
  person,
  name,
  onClose,
}: {
  list: ListOfPeople
  person: Person
  name: string
  onClose: () => void
}) {
  const words = useTranslations('links')
  const { act } = useLinks()
  const orders = useOrders()
  const theirText = useTheirText('record')
  const { id, phones, emails } = person
  const shown: ReachableValues = {
    name: person.name,
    phone: phones[0]?.value ?? '',
    email: emails[0]?.value ?? '',
  }
  const left = useLeftDraft<ReachableValues>(memberOf(list, id))
  const [base] = useState((left?.base as ReachableValues | undefined) ?? shown)
  const after = (sent: ReachableValues): Partial<Person> => ({
    name: sent.name.trim() || sent.phone.trim() || sent.email.trim(),
    phones: withFirst(phones, sent.phone),
    emails: withFirst(emails, sent.email),
  })
  return (
    <>
      <ReachableForm
        label={name}
        member={memberOf(list, id)}
        values={shown}
        action={words('save')}
        fieldOf={(path) => {
          const [, index] = /custom_fields_values\.(\d)/.exec(path) ?? []
          return index === undefined ? path : index === '0' ? 'phone' : 'email'
        }}
        send={async (typed) => {
          // A part that the user left as it was stays as others have made it.
          const changed = parts.filter((part) => typed[part].trim() !== base[part])
          const sent = {
            ...typed,
            ...only(
              shown,
              parts.filter((part) => !changed.includes(part)),
            ),
          }
          const late = changed.filter((part) => isOvertaken(base[part], shown[part], sent[part]))
          const isMine = await orders.decide({
            base: only(base, late),
            present: only(shown, late),
            wanted: only(sent, late),
            text: theirText(
              late
                .map((part) => shown[part])
                .filter(Boolean)
                .join(', '),
            ),
          })
          if (!isMine) return
          const next = after(sent)
          await changeReachable(
            { type: list, id },
            {
              name: next.name!,
              custom_fields_values: [
                { field_code: 'PHONE', values: sentValues(next.phones!) },
                { field_code: 'EMAIL', values: sentValues(next.emails!) },
              ],
            },
          )
          const change = (items: Person[]) =>
            items.map((each) => (each.id === id ? { ...each, ...next } : each))
          void act(list, change as never, () => Promise.resolve())
        }}
        onDone={onClose}
        onCancel={onClose}
      />
      {orders.notice}
    </>
  )
}

const parts = ['name', 'phone', 'email'] as const

const only = (values: ReachableValues, some: readonly (typeof parts)[number][]) =>
  Object.fromEntries(some.map((part) => [part, values[part]])) as Partial<ReachableValues>

/** The values of a field with another first one; an empty text removes it. */
function withFirst(values: Person['phones'], text: string): Person['phones'] {
  const [first, ...rest] = values
  const value = text.trim()
  return value === '' ? rest : [{ value, enum_code: first?.enum_code ?? null }, ...rest]
}

const sentValues = (values: Person['phones']) =>
  values.map(({ value, enum_code }) => ({ value, ...(enum_code !== null && { enum_code }) }))

function Adder({
  list,
  of,
  onClose,
}: {
  list: ListOfPeople
  of: 'contacts' | 'employees' | 'companies'
  onClose: () => void
}) {
  const words = useTranslations('links')
  const refusalText = useRefusalText()
  const { owner, lists, vocabulary, act } = useLinks()
  const { me } = vocabulary
  const hasMain = useHasMain(list)
  const left = useLeftDraft<ReachableValues>(newMember(list))
  const [making, setMaking] = useState(left && reachableValues(''))
  const { text, setText, searched } = useFinderText()
  const { data, isFetching, error } = useQuery(foundQuery(list, searched))
  const present = lists[list].items as Person[]
  const orders = useOrders()
  const theirText = useTheirText('link')
  /** The company that stood here as the user began to look for another. */
  const [base] = useState(() => present.map(({ id }) => id))
  const found = searched === '' ? [] : (data?.[list]?.items ?? [])
  const options = found.filter(({ id }) => !present.some((each) => each.id === id))
  const mayMake = me.is_admin || me.rights[list].add !== 'D'
  const linked = (person: { id: number; name: string }, reached: Partial<Person>) => {
    const item = {
      phones: [],
      emails: [],
      may_edit: false,
      ...(list === 'contacts' && { is_main: hasMain && present.length === 0 }),
      responsible_user_id: me.id,
      ...person,
      ...reached,
    }
    return ((items: Person[]) =>
      items.some(({ id }) => id === item.id)
        ? items
        : list === 'companies'
          ? [item]
          : [...items, item]) as never
  }
  const linkTo = (id: number) => link(owner, { to_entity_type: list, to_entity_id: id })
  if (making)
    return (
      <ReachableForm
        label={words(`add.${of}`)}
        member={newMember(list)}
        values={making}
        base={reachableValues('')}
        action={words('create')}
        fieldOf={(path, sent) => fieldOfReachable(path, sent) ?? path}
        send={async (sent, key) => {
          const name = sent.name.trim() || sent.phone.trim() || sent.email.trim()
          const reachable = reachableAt(sent)
          const isEmployee = owner.type === 'companies'
          const draft = {
            name,
            responsible_user_id: me.id,
            ...(reachable.length > 0 && { custom_fields_values: reachable }),
            ...(isEmployee && { _embedded: { companies: [{ id: owner.id }] } }),
          }
          const id = await addRecord(list, draft, key)
          const reached = {
            phones: withFirst([], sent.phone),
            emails: withFirst([], sent.email),
            may_edit: true,
          }
          void act(list, linked({ id, name }, reached), async () => {
            if (!isEmployee)
              await linkTo(id).catch((refusal: unknown) => {
                warn(words('linkFailed', { name }), refusalText(refusal))
              })
          })
        }}
        onDone={onClose}
        onCancel={() => setMaking(undefined)}
      />
    )
  return (
    <>
      <Finder
        label={mayMake ? words(`find.${of}`) : words('findOnly')}
        hint={searched === '' ? words('hint') : words('nothing')}
        text={text}
        onText={setText}
        options={options.map(({ id, name, ...more }) => ({
          key: String(id),
          text: name || words('untitled', { id }),
          about: [more.phone, 'company' in more && more.company].filter(Boolean).join(' · '),
        }))}
        isFetching={isFetching || searched !== text.trim()}
        error={error}
        onPick={(key) => {
          const person = options.find(({ id }) => String(id) === key)!
          const { id, name, phone } = person
          const phones = phone === null ? [] : [{ value: phone, enum_code: null }]
          const give = () => {
            void act(list, linked({ id, name }, { phones }), () => linkTo(id))
            if (list === 'companies') onClose()
          }
          if (list === 'contacts') give()
          else
            orders.give({
              base,
              present: present.map((each) => each.id),
              wanted: [id],
              text: theirText(present.map((each) => each.name).join(', ')),
              run: give,
              dropped: onClose,
            })
        }}
        make={
          mayMake
            ? {
                text: words(`make.${list}`, { text: text.trim() && `“${text.trim()}”` }),
                run: (typed) => setMaking(reachableValues(typed)),
              }
            : undefined
        }
        onClose={onClose}
      />
      {orders.notice}
    </>
  )
}
