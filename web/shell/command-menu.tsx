import { Kbd } from '@mantine/core'
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Building2,
  CircleUser,
  Handshake,
  ListTodo,
  Plus,
  Search,
  User,
  UserRound,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useBootstrap } from '../crm/bootstrap.ts'
import { useRecentRecords } from '../crm/recent.ts'
import { searchQuery } from '../features/search/search.ts'
import type { SearchedType } from '../../server/features/application/search/schema.ts'
import { useDay } from '../ui/day.ts'
import { ProblemText } from '../ui/states.tsx'
import { useCreatable } from './create/nouns.ts'
import type { Creation } from './create/nouns.ts'
import { useBlockedKeys, useRegistered } from './keyboard.tsx'
import styles from './shell.module.css'
import { ShortcutKeys } from './shortcut-sheet.tsx'
import { useTyped } from '../ui/waiting.tsx'

/** Milliseconds without a key after which the server is asked. */
const pauseMs = 80

const [store, { open }] = createSpotlight()

/** Opens the menu with an empty search. */
export function openCommands(): void {
  ask('')
  open()
}

const ask = (query: string): void => store.setState({ ...store.getState(), query })

/** A page of the application. */
export interface Destination {
  title: string
  /** Tells it from others of the same title. */
  key?: string
  /** It is offered once something is typed. */
  isLookedFor?: boolean
  /** Other words that people look for when they mean it. */
  find?: string
  icon: LucideIcon
  keys?: string[]
  run: () => void
}

interface Row {
  key: string
  label: string
  about?: string | undefined
  icon?: LucideIcon | undefined
  keys?: string[] | undefined
  run: () => void
}

interface Rows {
  label: string
  rows: Row[]
}

/**
 * The first sign of a search chooses what is searched: actions, the number of a record, people,
 * pages. Without one everything is.
 */
const prefixes = ['>', '#', '@', '/'] as const
type Prefix = (typeof prefixes)[number]

function queryOf(typed: string): { prefix: Prefix | undefined; text: string } {
  // A Russian keyboard has № at the place of #.
  const first = typed.trimStart().replace('№', '#')
  const prefix = prefixes.find((each) => first.startsWith(each))
  return { prefix, text: (prefix ? first.slice(1) : first).trim() }
}

/** Any record, page or action in two seconds without the mouse. */
export function CommandMenu({
  destinations,
  onCreate,
}: {
  destinations: Destination[]
  onCreate: (creation: Creation) => void
}) {
  const words = useTranslations('shell')
  const { opened, query } = useSpotlight(store)
  useBlockedKeys(opened)
  return (
    <Spotlight.Root
      store={store}
      query={query}
      shortcut={null}
      transitionProps={{ duration: 0 }}
      scrollable
      radius="lg"
      shadow="lg"
      closeOnActionTrigger
      centered={false}
      yOffset="12dvh"
      overlayProps={{ color: 'var(--backdrop)', backgroundOpacity: 1, blur: 0 }}
      classNames={{
        content: styles.commandContent,
        body: styles.commandBody,
        search: styles.commandSearch,
        actionsList: styles.commandList,
        action: styles.command,
      }}
      attributes={{ content: { 'aria-label': words('commands') } }}
    >
      <Spotlight.Search
        placeholder={words('commandsHint')}
        aria-label={words('commands')}
        leftSection={<Search size={16} aria-hidden />}
        rightSection={<Kbd size="xs">Esc</Kbd>}
        rightSectionWidth={56}
      />
      <Results destinations={destinations} onCreate={onCreate} />
      <Spotlight.Footer className={styles.prefixes}>
        {prefixes.map((prefix) => (
          <span key={prefix}>
            <Kbd size="xs" data-typed>
              {prefix}
            </Kbd>{' '}
            {words(`prefixes.${names[prefix]}`)}
          </span>
        ))}
      </Spotlight.Footer>
    </Spotlight.Root>
  )
}

const names = { '>': 'actions', '#': 'number', '@': 'people', '/': 'pages' } as const

/** The rows that answer the search, the likeliest group first. Its first row is chosen. */
function Results({
  destinations,
  onCreate,
}: {
  destinations: Destination[]
  onCreate: (creation: Creation) => void
}) {
  const words = useTranslations('shell')
  const create = useTranslations('create')
  const { prefix, text } = queryOf(useSpotlight(store).query)
  const mayAddLead = useCreatable().some(({ noun }) => noun === 'lead')
  const recent = useRecent(prefix, text)
  const records = useRecords(prefix, text, recent)
  const people = useUsers(prefix, text)
  const local = [...useActions(prefix, text), ...usePages(destinations, prefix, text)]
  const isLikely = ({ rows }: Rows) => rows.some(({ label }) => begins(label, text))
  const groups = [
    { label: words('recent'), rows: recent },
    ...local.filter((group) => isLikely(group)),
    ...records.groups,
    { label: words('users'), rows: people },
    ...local.filter((group) => !isLikely(group)),
  ].filter(({ rows }) => rows.length > 0)
  const isNothing = groups.length === 0
  if (records.similar.length > 0) groups.push({ label: words('similar'), rows: records.similar })
  if (isNothing && !records.isAsking && !prefix && mayAddLead)
    groups.push({
      label: words('create'),
      rows: [
        {
          key: 'create',
          label: create('leadNamed', { name: text }),
          icon: Plus,
          run: () => onCreate({ noun: 'lead', text }),
        },
      ],
    })
  const list = useFirstChosen(groups)
  return (
    <Spotlight.ActionsList ref={list}>
      {groups.map(({ label, rows }) => (
        <Spotlight.ActionsGroup key={label} label={label}>
          {rows.map(({ key, label: name, about, icon: Icon, keys, run }) => (
            <Spotlight.Action
              key={key}
              label={name}
              {...(about && { description: about })}
              leftSection={Icon && <Icon size={16} aria-hidden />}
              rightSection={keys && <ShortcutKeys keys={keys} />}
              onClick={run}
            />
          ))}
        </Spotlight.ActionsGroup>
      ))}
      {records.error ? (
        <Spotlight.Empty>
          <ProblemText error={records.error} />
        </Spotlight.Empty>
      ) : (
        isNothing &&
        records.similar.length === 0 && (
          <Spotlight.Empty>
            {words(
              records.isAsking
                ? 'searching'
                : prefix && text === ''
                  ? 'typeToSearch'
                  : 'nothingFound',
            )}
          </Spotlight.Empty>
        )
      )}
    </Spotlight.ActionsList>
  )
}

/** Chooses the first row again when the rows change, until the user has moved the choice. */
function useFirstChosen(groups: Rows[]) {
  const list = useRef<HTMLDivElement>(null)
  const { query, opened } = useSpotlight(store)
  const hasMoved = useRef(false)
  useEffect(() => {
    hasMoved.current = false
  }, [query, opened])
  useEffect(() => {
    const note = ({ key }: KeyboardEvent) => {
      if (key === 'ArrowDown' || key === 'ArrowUp') hasMoved.current = true
    }
    addEventListener('keydown', note, { capture: true })
    return () => removeEventListener('keydown', note, { capture: true })
  }, [])
  const rows = groups.flatMap((group) => group.rows.map(({ key }) => `${group.label} ${key}`))
  const shown = rows.join('\n')
  useEffect(() => {
    const actions = [...(list.current?.querySelectorAll('[data-action]') ?? [])]
    if (hasMoved.current && actions.some((each) => each.hasAttribute('data-selected'))) return
    for (const [index, each] of actions.entries())
      if (index === 0) each.setAttribute('data-selected', 'true')
      else each.removeAttribute('data-selected')
    store.updateState((state) => ({ ...state, selected: actions.length > 0 ? 0 : -1 }))
  }, [shown, query, opened])
  return list
}

const holds = (text: string, wanted: string): boolean =>
  text.toLocaleLowerCase().includes(wanted.toLocaleLowerCase())

/** Whether a word of `text` begins with what is wanted. */
const begins = (text: string, wanted: string): boolean =>
  wanted !== '' &&
  ` ${text.toLocaleLowerCase()}`
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .includes(` ${wanted.toLocaleLowerCase()}`)

/** The actions that the keys do now. */
function useActions(prefix: Prefix | undefined, text: string): Rows[] {
  const words = useTranslations('shell')
  const registered = useRegistered()
  if (prefix && prefix !== '>') return []
  const areas = [...new Set(registered.map(({ area }) => area))]
  return areas
    .filter((area) => area !== words('goTo'))
    .map((area) => ({
      label: area,
      rows: registered
        .filter((each) => each.area === area)
        .flatMap(({ shortcuts }) => shortcuts)
        .flatMap(({ keys, text: label, run }) =>
          run && !isOwn(keys) && holds(label, text)
            ? [{ key: keys.join(' '), label, keys, run }]
            : [],
        ),
    }))
}

/** Whether keys open this menu. */
const isOwn = ([key]: string[]): boolean => key === 'mod+k' || key === '/'

function usePages(destinations: Destination[], prefix: Prefix | undefined, text: string): Rows[] {
  const words = useTranslations('shell')
  if (prefix && prefix !== '/') return []
  return [
    {
      label: words('goTo'),
      rows: destinations
        .filter(
          ({ title, find = '', isLookedFor }) =>
            (text !== '' || !isLookedFor) && holds(`${title} ${find}`, text),
        )
        .map(({ title, key = title, icon, keys, run }) => ({ key, label: title, icon, keys, run })),
    },
  ]
}

const icons: Record<SearchedType, LucideIcon> = {
  leads: Handshake,
  contacts: UserRound,
  companies: Building2,
  customers: CircleUser,
  tasks: ListTodo,
}

/** The most recent records that are shown. */
const mostRecent = 5

/** Records that this browser remembers: they are there at once. */
function useRecent(prefix: Prefix | undefined, text: string): Row[] {
  const navigate = useNavigate()
  const recent = useRecentRecords()
  if (prefix) return []
  return recent
    .filter(({ name }) => holds(name, text))
    .slice(0, mostRecent)
    .map(({ type, id, name }) => ({
      key: `${type}/${id}`,
      label: name,
      icon: icons[type],
      run: () => void navigate({ to: `/${type}/${id}` }),
    }))
}

/** The records that the server finds, without those that are shown already. */
function useRecords(prefix: Prefix | undefined, text: string, shown: Row[]) {
  const words = useTranslations('shell')
  const navigate = useNavigate()
  const second = useSecondLine()
  const isNumber = /^\d+$/.test(text)
  const wanted =
    prefix === undefined || prefix === '@' ? text : prefix === '#' && isNumber ? `#${text}` : ''
  const searched = useTyped(wanted, pauseMs)
  const { data, error, isFetching } = useQuery(
    searchQuery(searched, prefix === '@' ? ['contacts'] : undefined, { isSimilar: true }),
  )
  const answered = wanted === '' || searched === '' ? {} : (data ?? {})
  const found = Object.entries(answered).map(([name, { items }]) => {
    const type = name as SearchedType
    return {
      label: words(`types.${type}`),
      rows: items
        .map((hit): Row & { isSimilar: boolean } => {
          // A task has no page; its record has.
          const of = 'entity_type' in hit ? hit : { entity_type: type, entity_id: hit.id }
          const to = of.entity_type ? `/${of.entity_type}/${of.entity_id}` : '/home'
          return {
            key: `${type}/${hit.id}`,
            label: hit.name,
            about: second(type, hit),
            icon: icons[type],
            run: () => void navigate({ to }),
            isSimilar: hit.match === 'similar',
          }
        })
        .filter(({ key }) => !shown.some((each) => each.key === key)),
    }
  })
  const all = (isSimilar: boolean) =>
    found.map(({ label, rows }) => ({
      label,
      rows: rows.filter((row) => row.isSimilar === isSimilar),
    }))
  return {
    groups: all(false),
    similar: all(true).flatMap(({ rows }) => rows),
    error,
    isAsking: wanted !== '' && (isFetching || searched !== wanted),
  }
}

/** Colleagues, whom administrators look after. */
function useUsers(prefix: Prefix | undefined, text: string): Row[] {
  const navigate = useNavigate()
  const { me, users } = useBootstrap()
  if (prefix !== '@' || !me.is_admin) return []
  return users
    .filter(({ name }) => holds(name, text))
    .slice(0, mostRecent)
    .map(({ id, name }) => ({
      key: `user ${id}`,
      label: name,
      icon: User,
      run: () => void navigate({ to: `/settings/users/${id}` }),
    }))
}

/** The second line of a hit: stage and price, phone and company, the next date. */
function useSecondLine() {
  const { pipelines, account } = useBootstrap()
  const format = useFormatter()
  const money = (amount: number) =>
    format.number(amount, {
      style: 'currency',
      currency: account.currency,
      maximumFractionDigits: 0,
    })
  const day = useDay()
  const parts = (type: string, hit: Record<string, unknown>): unknown[] => {
    if (type === 'leads') {
      const pipeline = pipelines.find(({ id }) => id === hit['pipeline_id'])
      const stage = pipeline?.statuses.find(({ id }) => id === hit['status_id'])
      return [stage?.name, Number(hit['price']) > 0 && money(Number(hit['price']))]
    }
    if (type === 'customers') return [day(Number(hit['next_date']))]
    if (type === 'tasks') return [day(Number(hit['complete_till']))]
    return [hit['phone'], hit['company']]
  }
  return (type: string, hit: Record<string, unknown>): string =>
    parts(type, hit).filter(Boolean).join(' · ')
}
