// The leads and the customers of a contact or a company, as small rows.
import { Menu } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Unlink } from 'lucide-react'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { addRecord } from '../../crm/records.ts'
import { isClosed } from '../../crm/stages.ts'
import { useDay } from '../../ui/day.ts'
import { Finder, useFinderText } from '../../ui/finder.tsx'
import { ProblemAlert } from '../../ui/states.tsx'
import { newKey } from '../../data/writes.ts'
import { foundQuery, link } from './links.ts'
import type { ItemOfList } from './links.ts'
import styles from './links.module.css'
import { useMoney } from './money.ts'
import { LinkedName } from './linked-name.tsx'
import { RowMenu } from './row-menu.tsx'
import { useLinks } from './context.ts'
import { leaveRow, LinkSection } from './section.tsx'
import { useUnlink } from './use-unlink.ts'

type ListOfDeals = 'leads' | 'customers'
type Lead = ItemOfList<'leads'>
type Customer = ItemOfList<'customers'>

const isOver = ({ status_id }: Lead) => isClosed(status_id)

export function Deals({ list }: { list: ListOfDeals }) {
  const words = useTranslations('links')
  const { lists, mayEdit } = useLinks()
  const { items, is_more } = lists[list]
  const leads = list === 'leads' ? (items as Lead[]) : []
  const closed = leads.filter(isOver)
  return (
    <LinkSection
      name={words(`sections.${list}`)}
      addLabel={words(`add.${list}`)}
      emptyText={words(`empty.${list}`)}
      count={items.length}
      isMore={is_more}
      all={list}
      adder={mayEdit ? (close) => <Adder list={list} onClose={close} /> : undefined}
    >
      {list === 'customers' && items.length > 0 && (
        <ul className={styles.rows}>
          {(items as Customer[]).map((customer) => (
            <CustomerRow key={customer.id} customer={customer} />
          ))}
        </ul>
      )}
      {leads.length > closed.length && (
        <ul className={styles.rows}>
          {leads
            .filter((lead) => !isOver(lead))
            .map((lead) => (
              <LeadRow key={lead.id} lead={lead} />
            ))}
        </ul>
      )}
      {closed.length > 0 && (
        <>
          <p className={styles.part}>{words('closed', { count: closed.length })}</p>
          <ul className={styles.rows} data-closed>
            {closed.map((lead) => (
              <LeadRow key={lead.id} lead={lead} />
            ))}
          </ul>
        </>
      )}
    </LinkSection>
  )
}

function LeadRow({ lead }: { lead: Lead }) {
  const words = useTranslations('links')
  const { vocabulary, mayEdit } = useLinks()
  const money = useMoney()
  const { id, price, pipeline_id, status_id } = lead
  const name = lead.name || words('untitled', { id })
  const pipeline = vocabulary.pipelines.find((each) => each.id === pipeline_id)
  const stage = pipeline?.statuses.find((each) => each.id === status_id)
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <LinkedName type="leads" id={id} name={name} />
        <span className={styles.space} />
        <span className={styles.amount}>{money(price)}</span>
        {mayEdit && <UnlinkMenu list="leads" item={lead} name={name} />}
      </div>
      {pipeline && stage && (
        <div className={styles.reached}>
          <span className={styles.stage} style={{ background: stage.color }}>
            {stage.name}
          </span>
          {vocabulary.pipelines.length > 1 && <span>{pipeline.name}</span>}
        </div>
      )}
    </li>
  )
}

function CustomerRow({ customer }: { customer: Customer }) {
  const words = useTranslations('links')
  const day = useDay()
  const money = useMoney()
  const { mayEdit } = useLinks()
  const { id, ltv, next_date, purchases_count } = customer
  const name = customer.name || words('untitled', { id })
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <LinkedName type="customers" id={id} name={name} />
        <span className={styles.space} />
        <span className={styles.amount}>{money(ltv)}</span>
        {mayEdit && <UnlinkMenu list="customers" item={customer} name={name} />}
      </div>
      <div className={styles.reached}>
        <span>{words('purchases', { count: purchases_count })}</span>
        {next_date > 0 && <span>{words('next', { date: day(next_date) })}</span>}
      </div>
    </li>
  )
}

function UnlinkMenu<Name extends ListOfDeals>({
  list,
  item,
  name,
}: {
  list: Name
  item: ItemOfList<Name>
  name: string
}) {
  const words = useTranslations('links')
  const unlinkRecord = useUnlink(list)
  return (
    <RowMenu name={name}>
      <Menu.Item
        leftSection={<Unlink size={14} aria-hidden />}
        onClick={() => {
          leaveRow(document.querySelector(`section a[href="/${list}/${item.id}"]`))
          void unlinkRecord(item, name, { to_entity_type: list, to_entity_id: item.id })
        }}
      >
        {words('unlink')}
      </Menu.Item>
    </RowMenu>
  )
}

const monthOfSeconds = 30 * 86_400

function Adder({ list, onClose }: { list: ListOfDeals; onClose: () => void }) {
  const words = useTranslations('links')
  const { owner, lists, vocabulary, act, changed } = useLinks()
  const { me } = vocabulary
  const money = useMoney()
  const { text, setText, searched } = useFinderText()
  const { data, isFetching, error } = useQuery(foundQuery(list, searched))
  const present: { id: number }[] = lists[list].items
  const found: (Partial<Lead & Customer> & { id: number; name: string })[] =
    searched === '' ? [] : (data?.[list]?.items ?? [])
  const options = found.filter(({ id }) => !present.some((each) => each.id === id))
  const stageOf = ({ pipeline_id, status_id }: Partial<Lead>) =>
    vocabulary.pipelines
      .find(({ id }) => id === pipeline_id)
      ?.statuses.find(({ id }) => id === status_id)?.name
  const named = useRef<{ name: string; key: string; at: number }>(undefined)
  const make = useMutation({
    mutationFn: (name: string) => {
      // A name that is sent again is the same record: its answer may have been lost.
      if (named.current?.name !== name) named.current = { name, key: newKey(), at: Date.now() }
      const { key, at } = named.current
      const draft = {
        name,
        responsible_user_id: me.id,
        _embedded: { [owner.type]: [{ id: owner.id }] },
      }
      return list === 'leads'
        ? addRecord('leads', draft, key)
        : addRecord(
            'customers',
            { ...draft, next_date: Math.floor(at / 1000) + monthOfSeconds },
            key,
          )
    },
    onSuccess: () => {
      named.current = undefined
      setText('')
      void changed()
    },
  })
  // Customers follow the rights to leads.
  const mayMake = me.is_admin || me.rights.leads.add !== 'D'
  return (
    <>
      <Finder
        label={mayMake ? words(`find.${list}`) : words('findOnly')}
        hint={searched === '' ? words('hint') : words('nothing')}
        text={text}
        onText={(typed) => {
          make.reset()
          setText(typed)
        }}
        options={options.map((each) => ({
          key: String(each.id),
          text: each.name || words('untitled', { id: each.id }),
          about: [stageOf(each), each.price !== undefined && money(each.price)]
            .filter(Boolean)
            .join(' · '),
        }))}
        isFetching={isFetching || searched !== text.trim() || make.isPending}
        error={error}
        onPick={(key) => {
          const item = options.find(({ id }) => String(id) === key)!
          const shown = {
            ltv: 0,
            purchases_count: 0,
            is_deleted: false,
            responsible_user_id: 0,
            ...item,
          }
          void act(
            list,
            (items) =>
              items.some(({ id }) => id === item.id) ? items : ([shown, ...items] as never),
            () => link(owner, { to_entity_type: list, to_entity_id: item.id }),
          )
        }}
        make={
          mayMake && text.trim() !== '' && !make.isPending
            ? {
                text: words(`make.${list}`, { text: `“${text.trim()}”` }),
                run: (typed) => make.mutate(typed),
              }
            : undefined
        }
        onClose={onClose}
      />
      <ProblemAlert error={make.error} />
    </>
  )
}
