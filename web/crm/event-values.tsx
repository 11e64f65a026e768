// Events of the log in words: the noun of one, and the values before and after it, by their structure
// (which stand in server/features/activity/events/values.ts).
import type { Bootstrap } from '../../server/features/application/bootstrap/schema.ts'
import type { RecordType } from '../../server/records/description.ts'
import { RecordLink } from './record-link.tsx'
import { ArrowRight } from 'lucide-react'
import { Fragment } from 'react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import type { FieldType } from './fields/field.ts'
import { useValueTexts } from './fields/texts.ts'
import { DateTime } from '../ui/moment.tsx'
import { nameOfUser, useBootstrap } from './bootstrap.ts'
import type { LoggedEvent } from '../../server/features/activity/events/schema.ts'
import styles from './event-values.module.css'
import { wordOf } from './logged.ts'
import type { Change, ChangeValue } from './logged.ts'

/** The types of events that have words of their own; the rest is a change without a name. */
const named = [
  'lead_added',
  'contact_added',
  'company_added',
  'customer_added',
  'lead_deleted',
  'contact_deleted',
  'company_deleted',
  'customer_deleted',
  'lead_restored',
  'contact_restored',
  'company_restored',
  'lead_status_changed',
  'customer_status_changed',
  'entity_responsible_changed',
  'sale_field_changed',
  'name_field_changed',
  'ltv_field_changed',
  'entity_tag_added',
  'entity_tag_deleted',
  'entity_linked',
  'lead_linked',
  'contact_linked',
  'company_linked',
  'customer_linked',
  'entity_unlinked',
  'lead_unlinked',
  'contact_unlinked',
  'company_unlinked',
  'customer_unlinked',
  'entity_merged',
  'transaction_added',
  'nps_rate_added',
  'link_followed',
  'robot_replied',
  'intent_identified',
  'key_action_completed',
  'common_note_deleted',
  'task_added',
  'task_completed',
  'task_deleted',
  'task_result_added',
  'task_text_changed',
  'task_type_changed',
  'task_deadline_changed',
] as const
type Named = (typeof named)[number]
const isNamed = (type: string): type is Named => (named as readonly string[]).includes(type)

/** The noun of a change: "Stage", "Tags added", the name of a field. */
export function useChangeName(): (event: Change) => string {
  const words = useTranslations('changes')
  const vocabulary = useBootstrap()
  return ({ type, entity_type, value_before, value_after }) => {
    if (isNamed(type)) return words(`name.${type}`)
    const value = [...value_after, ...value_before].find((each) => each['custom_field_value'])
    const fieldId = Number(value?.['custom_field_value']?.['field_id'])
    const members = value?.['custom_field_value']?.['field_name']
    if (typeof members === 'string') return members
    return fieldOf(vocabulary, entity_type, fieldId)?.name ?? words('name.other')
  }
}

const typesOfEvents: Record<string, RecordType> = {
  lead: 'leads',
  contact: 'contacts',
  company: 'companies',
  customer: 'customers',
}

/** The type of the records of an event; undefined for tasks and elements of catalogs. */
export const recordTypeOf = (entityType: string): RecordType | undefined =>
  typesOfEvents[entityType]

/** The name of a type of records in the log. */
export const entityOf = (type: RecordType): string =>
  Object.keys(typesOfEvents).find((entity) => typesOfEvents[entity] === type)!

/** A field of the record of an event; undefined for one that the account has no more. */
const fieldOf = (
  { custom_fields }: Pick<Bootstrap, 'custom_fields'>,
  entityType: string,
  id: number,
) => custom_fields[typesOfEvents[entityType]!]?.fields.find((field) => field.id === id)

/**
 * The types whose values the log does not tell as people write them, by their numbers in it, for fields of catalogs
 * and fields that are gone.
 */
const typesByCode: Readonly<Record<number, FieldType>> = {
  2: 'numeric',
  3: 'checkbox',
  6: 'date',
  14: 'birthday',
  19: 'date_time',
}

/** Opens the card of another record. */
type OpenRecord = (type: RecordType, id: number) => void

/** The record and the purchase that an event names, as far as the user may view them. */
type Told = Pick<LoggedEvent, 'linked' | 'purchase'>

/** The values of a change: before → after, either alone, or nothing. */
export function ChangeValues({
  item: { event, linked, purchase },
  open,
  tabIndex,
}: {
  item: { event: Change } & Told
  open: OpenRecord
  /** Of links: -1 where the table around them has the focus. */
  tabIndex?: -1
}) {
  const words = useTranslations('changes')
  const [before, after] = [event.value_before, event.value_after].map((values) =>
    values.map((value, index) => (
      <Fragment key={index}>
        {index > 0 && ' '}
        <Value
          value={value}
          entityType={event.entity_type}
          linked={linked}
          purchase={purchase}
          open={open}
          tabIndex={tabIndex}
        />
      </Fragment>
    )),
  ) as [ReactNode[], ReactNode[]]
  // An unlinked record stands on both sides, and is one.
  const isOnce = event.type.endsWith('_unlinked')
  const isEmptied = /field|custom|responsible/.test(event.type) && after.length === 0
  if (before.length === 0 && after.length === 0) return undefined
  return (
    <span className={styles.values}>
      {before.length > 0 && (isOnce ? before[0] : <span className={styles.former}>{before}</span>)}
      {before.length > 0 && !isOnce && (after.length > 0 || isEmptied) && (
        <>
          <ArrowRight size={12} aria-hidden className={styles.arrow} />
          <span className={styles.hidden}>{words('became')}</span>
        </>
      )}
      {!isOnce && after}
      {isEmptied && before.length > 0 && <span className={styles.nothing}>{words('empty')}</span>}
    </span>
  )
}

function Value({
  value,
  entityType,
  linked,
  purchase,
  open,
  tabIndex,
}: {
  value: ChangeValue
  entityType: string
  open: OpenRecord
  tabIndex: -1 | undefined
} & { [Name in keyof Told]: Told[Name] | undefined }) {
  const words = useTranslations('changes')
  const texts = useValueTexts()
  const vocabulary = useBootstrap()
  const [[structure, members] = ['', {}]] = Object.entries(value)
  const money = (amount: unknown) => (
    <bdi className={styles.number}>{texts.money(Number(amount))}</bdi>
  )
  const fieldText = ({ field_id, field_type, text }: Record<string, unknown>) => {
    const known = fieldOf(vocabulary, entityType, Number(field_id))
    const type = typesByCode[Number(field_type)]
    const field = known ?? (type && { type, currency: null })
    return field ? texts.logged(field, wordOf(text)) : wordOf(text)
  }
  switch (structure) {
    case 'lead_status': {
      const pipeline = vocabulary.pipelines.find(({ id }) => id === members['pipeline_id'])
      const stage = pipeline?.statuses.find(({ id }) => id === members['id'])
      const isMain = vocabulary.pipelines.length === 1
      return (
        <Stage
          name={stage?.name ?? (wordOf(members['name']) || words('goneStage'))}
          color={stage?.color}
          about={isMain ? undefined : pipeline?.name}
        />
      )
    }
    case 'customer_status': {
      const status = vocabulary.customer_statuses.find(({ id }) => id === members['id'])
      return (
        <Stage
          name={status?.name ?? (wordOf(members['name']) || words('goneStage'))}
          color={status?.color}
        />
      )
    }
    case 'responsible_user': {
      const id = Number(members['id'])
      return (
        <bdi className={styles.strong}>
          {id === 0
            ? words('nobody')
            : (nameOfUser(vocabulary, id) ?? wordOf(members['name'])) || `#${id}`}
        </bdi>
      )
    }
    case 'tag':
      return <bdi className={styles.tag}>{wordOf(members['name'])}</bdi>
    case 'sale_field_value':
      return money(members['sale'])
    case 'ltv_field_value':
      return money(members['ltv'])
    case 'name_field_value':
      return <bdi className={styles.strong}>{wordOf(members['name']) || words('empty')}</bdi>
    case 'custom_field_value':
      return <bdi className={styles.strong}>{fieldText(members)}</bdi>
    case 'link':
    case 'unlink':
      return (
        <Reference
          entity={members['entity'] as LinkedEntity | undefined}
          name={linked?.name}
          open={open}
          tabIndex={tabIndex}
        />
      )
    case 'transaction':
      if (!purchase) return undefined
      return (
        <>
          {money(purchase.price)}
          {purchase.comment && (
            <>
              {' '}
              <bdi className={styles.quote}>{purchase.comment}</bdi>
            </>
          )}
        </>
      )
    case 'nps':
      return <bdi className={styles.strong}>{wordOf(members['rate'])}</bdi>
    case 'task':
      return <bdi className={styles.strong}>{wordOf(members['text'])}</bdi>
    case 'task_type': {
      const type = vocabulary.task_types.find(({ id }) => id === members['id'])
      return <bdi className={styles.strong}>{type?.name ?? `#${wordOf(members['id'])}`}</bdi>
    }
    case 'task_deadline':
      return <DateTime at={Number(members['timestamp'])} />
    case 'note': {
      const params = members['params'] as Record<string, unknown> | undefined
      const text = wordOf(params?.['text'])
      return text === '' ? undefined : <bdi className={styles.quote}>{text.slice(0, 200)}</bdi>
    }
    default:
      return undefined
  }
}

/** A stage: its colour behind dark text, in both themes. */
function Stage({
  name,
  color,
  about,
}: {
  name: string
  color?: string | undefined
  about?: string | undefined
}) {
  return (
    <bdi
      className={styles.stage}
      style={color ? { background: color } : undefined}
      data-known={!!color || undefined}
      title={about}
    >
      {name}
    </bdi>
  )
}

interface LinkedEntity {
  type: string
  id: number
}

/** The other record of a link. Without a name it is one that the user may not view. */
function Reference({
  entity,
  name: known,
  open,
  tabIndex,
}: {
  entity: LinkedEntity | undefined
  name: string | undefined
  open: OpenRecord
  tabIndex: -1 | undefined
}) {
  const words = useTranslations('changes')
  if (!entity) return undefined
  const page = typesOfEvents[entity.type]
  const kind = page ? words(`record.${page}`) : words('record.element')
  const name = known || `${kind} #${entity.id}`
  if (!page) return <bdi className={styles.strong}>{name}</bdi>
  return (
    <RecordLink
      type={page}
      id={entity.id}
      open={open}
      className={styles.reference}
      {...(tabIndex && { tabIndex })}
    >
      <bdi>{name}</bdi>
    </RecordLink>
  )
}
