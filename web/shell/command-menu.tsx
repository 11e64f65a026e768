import { Kbd } from '@mantine/core'
import { Spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Building2, CircleUser, Handshake, ListTodo, Search, UserRound } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { useBootstrap } from '../features/bootstrap/bootstrap.ts'
import { searchQuery } from '../features/search/search.ts'
import type { SearchAnswer } from '../../server/features/search/schema.ts'
import { useDay } from '../ui/day.ts'
import { ProblemText } from '../ui/states.tsx'
import { useRegistered } from './keyboard.tsx'
import styles from './shell.module.css'
import { Keys } from './shortcut-sheet.tsx'

/** Milliseconds without a key after which the server is asked. */
const pauseMs = 80

/**
 * Any record, page or action in two seconds without the mouse: the actions that the keys do now, and
 * the records that answer what is typed.
 */
export function CommandMenu() {
  const words = useTranslations('shell')
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(typed.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <Spotlight.Root
      query={typed}
      onQueryChange={setTyped}
      shortcut={null}
      scrollable
      maxHeight={480}
      radius="lg"
      shadow="lg"
      closeOnActionTrigger
      centered={false}
      yOffset="12dvh"
      overlayProps={{ color: 'var(--backdrop)', backgroundOpacity: 1, blur: 0 }}
      classNames={{ search: styles.commandSearch, action: styles.command }}
      attributes={{ content: { 'aria-label': words('commands') } }}
    >
      <Spotlight.Search
        placeholder={words('commandsHint')}
        aria-label={words('commands')}
        leftSection={<Search size={16} aria-hidden />}
        rightSection={<Kbd size="xs">Esc</Kbd>}
        rightSectionWidth={56}
      />
      <Spotlight.ActionsList>
        <Actions typed={typed.trim()} />
        <Records text={asked} typed={typed.trim()} />
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** The actions that the keys do now, by their words. */
function Actions({ typed }: { typed: string }) {
  const registered = useRegistered()
  const areas = [...new Set(registered.map(({ area }) => area))]
  return areas.map((area) => {
    const found = registered
      .filter((each) => each.area === area)
      .flatMap(({ shortcuts }) => shortcuts)
      .filter(({ text, keys }) => keys[0] !== 'mod+k' && holds(text, typed))
    if (found.length === 0) return undefined
    return (
      <Spotlight.ActionsGroup key={area} label={area}>
        {found.map(({ keys, text, run }) => (
          <Spotlight.Action
            key={keys.join(' ')}
            label={text}
            rightSection={<Keys keys={keys} />}
            onClick={run}
          />
        ))}
      </Spotlight.ActionsGroup>
    )
  })
}

const holds = (text: string, typed: string): boolean =>
  text.toLocaleLowerCase().includes(typed.toLocaleLowerCase())

const icons: Record<string, LucideIcon> = {
  leads: Handshake,
  contacts: UserRound,
  companies: Building2,
  customers: CircleUser,
  tasks: ListTodo,
}

/** The records that the server finds. */
function Records({ text, typed }: { text: string; typed: string }) {
  const words = useTranslations('shell')
  const navigate = useNavigate()
  const { data, error, isFetching } = useQuery(searchQuery(text))
  const second = useSecondLine()
  if (typed === '') return undefined
  if (error)
    return (
      <Spotlight.Empty>
        <ProblemText error={error} />
      </Spotlight.Empty>
    )
  const types = Object.entries(data ?? {}).flatMap(([type, { items }]) =>
    items.length > 0 ? [{ type, items }] : [],
  )
  if (types.length === 0)
    return (
      <Spotlight.Empty>
        {words(isFetching || text !== typed ? 'searching' : 'nothingFound')}
      </Spotlight.Empty>
    )
  return types.map(({ type, items }) => {
    const Icon = icons[type]!
    return (
      <Spotlight.ActionsGroup key={type} label={words(`types.${type as keyof SearchAnswer}`)}>
        {items.map((hit) => {
          const of = 'entity_type' in hit ? hit : undefined
          const to = of
            ? of.entity_type
              ? `/${of.entity_type}/${of.entity_id}`
              : '/'
            : `/${type}/${hit.id}`
          return (
            <Spotlight.Action
              key={hit.id}
              label={hit.name}
              description={second(type, hit)}
              leftSection={<Icon size={16} aria-hidden />}
              onClick={() => void navigate({ to })}
            />
          )
        })}
      </Spotlight.ActionsGroup>
    )
  })
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
