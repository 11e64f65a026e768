// The left half of a card: the fields of the record, in groups, with the empty ones folded away.
import { Tabs, UnstyledButton } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { membersWithEdits } from '../../data/kept-edits.ts'
import type { CardLine } from './edit.ts'
import styles from './field.module.css'
import { FieldLine } from './field.tsx'
import { useFieldGroups, useFixedRows } from './rows.ts'
import type { RowGroup } from './rows.ts'
import { useOpenCard } from './context.ts'
import { useMember } from './store.ts'
import { useValueTexts } from '../../crm/fields/texts.ts'

/** The fields of the record, to read and to edit. `tab` and `setTab`: the group that is shown. */
export function Details({ tab, setTab }: { tab: number; setTab: (tab: number) => void }) {
  const words = useTranslations('card')
  const fixed = useFixedRows()
  const groups = useFieldGroups()
  const shown = groups[Math.min(tab, groups.length - 1)]!
  const left = useLeftMembers()
  // A draft that was left is offered where the user sees it.
  const isHere = [...fixed, ...groups[0]!.rows].some(({ key }) => left.has(key))
  const index = isHere ? -1 : groups.findIndex(({ rows }) => rows.some(({ key }) => left.has(key)))
  useEffect(() => {
    if (index > 0) setTab(index)
  }, [index, setTab])
  if (groups.length === 1) return <Group group={shown} fixed={fixed} />
  return (
    <Tabs value={shown.id} onChange={(id) => setTab(groups.findIndex((each) => each.id === id))}>
      <Tabs.List className={styles.groups} aria-label={words('groups')}>
        {groups.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {groups.map((group) => (
        <Tabs.Panel key={group.id} value={group.id}>
          {group === shown && <Group group={group} fixed={group === groups[0] ? fixed : []} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** The members whose drafts were left when the card was open before. */
function useLeftMembers(): ReadonlySet<string> {
  const { store } = useOpenCard()
  const [members] = useState(() => new Set(membersWithEdits(`${store.type} ${store.id}`)))
  return members
}

function Group({ group, fixed }: { group: RowGroup; fixed: CardLine[] }) {
  const words = useTranslations('card')
  const { store, mayEdit } = useOpenCard()
  const [isOpen, setOpen] = useState(false)
  // One text, so that a change of a value draws its field alone.
  const filled = useSyncExternalStore(store.watch, () =>
    group.rows.map(({ key }) => ((store.shown(key) ?? null) === null ? 0 : 1)).join(''),
  )
  // A line stays where it is while somebody works on it: one that is emptied among the filled ones, and
  // one that is filled among the empty ones, until those are folded.
  const [seen, setSeen] = useState(useLeftMembers())
  const now = group.rows.filter(
    ({ key, isRequired }, index) =>
      seen.has(key) || isRequired || (!isOpen && filled[index] === '1'),
  )
  if (now.some(({ key }) => !seen.has(key)))
    setSeen(new Set([...seen, ...now.map(({ key }) => key)]))
  const empty = group.rows.filter((row) => !now.includes(row))
  return (
    <>
      {[...fixed, ...now].map((row) => (
        <FieldLine key={row.key} row={row} />
      ))}
      {store.type === 'customers' && fixed.length > 0 && <Computed />}
      {empty.length > 0 && mayEdit && (
        <>
          <UnstyledButton
            className={styles.fold}
            data-unprinted
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? (
              <ChevronDown size={14} aria-hidden />
            ) : (
              <ChevronRight size={14} aria-hidden />
            )}
            {words('emptyFields', { count: empty.length })}
          </UnstyledButton>
          {isOpen && empty.map((row) => <FieldLine key={row.key} row={row} />)}
        </>
      )}
    </>
  )
}

/** Sums of the purchases, which nobody types. */
function Computed() {
  const words = useTranslations('card')
  const format = useFormatter()
  const texts = useValueTexts()
  const { store } = useOpenCard()
  const ltv = useMember(store, 'ltv')
  const count = useMember(store, 'purchases_count')
  const average = useMember(store, 'average_check')
  if (ltv === undefined) return undefined
  const facts = [
    [words('ltv'), texts.money(ltv)],
    [words('purchases'), format.number(count ?? 0)],
    [words('average'), texts.money(average ?? 0)],
  ] as const
  return (
    <dl className={styles.computed} aria-label={words('computed')}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
