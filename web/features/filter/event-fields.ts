// The filters of the event log, and which of them go together (interface: Event filters).
import { useMemo } from 'react'
import { useTranslations } from 'use-intl'
import type { Bootstrap } from '../../../server/features/application/bootstrap/schema.ts'
import type { Change } from '../../crm/logged.ts'
import { fieldKinds } from '../../crm/fields/types.ts'
import { wordOf } from '../../crm/logged.ts'
import { dayAfter, dayAt, startOfDay } from '../../ui/day.ts'
import { peopleOptions, stageOptions } from './fields.ts'
import type { FilterField, Option, Preset } from './fields.ts'
import type { Chip, FilterForm, Forms } from './filter.ts'

/** The most users and the most records that the interface takes. */
const mostNamed = 10

const [type, entity, entityId, author, eventId] = [
  'filter[type]',
  'filter[entity]',
  'filter[entity_id]',
  'filter[created_by]',
  'filter[id]',
]
const sides = ['value_after', 'value_before'] as const
type Side = (typeof sides)[number]
const kinds = [
  'leads_statuses',
  'customers_statuses',
  'responsible_user_id',
  'custom_field_values',
  'value',
] as const
type Kind = (typeof kinds)[number]

const nameOf = (side: Side, kind: Kind) => `filter[${side}][${kind}]`

const formsOfKinds: Record<Kind, FilterForm> = {
  leads_statuses: 'stages',
  customers_statuses: 'statuses',
  responsible_user_id: 'users',
  custom_field_values: 'choices',
  value: 'text',
}

/** All filters of the log. */
export const eventForms: Forms = new Map<string, FilterForm>([
  ['filter[created_at]', 'time'],
  [author, 'users'],
  [entity, 'names'],
  [entityId, 'ids'],
  [type, 'names'],
  ...sides.flatMap((side) =>
    kinds.map((kind): [string, FilterForm] => [nameOf(side, kind), formsOfKinds[kind]]),
  ),
  [eventId, 'names'],
])

const ofOneField = /^custom_field_(\d+)_value_changed$/

/**
 * The kinds of values that events of a type are found by, the most telling one first; none for types without one.
 */
function kindsOfType(name: string, hasChoices: (fieldId: number) => boolean): readonly Kind[] {
  const [, fieldId] = ofOneField.exec(name) ?? []
  if (fieldId !== undefined)
    return hasChoices(Number(fieldId))
      ? ['custom_field_values', 'value']
      : ['value', 'custom_field_values']
  switch (name) {
    case 'lead_status_changed':
      return ['leads_statuses']
    case 'customer_status_changed':
      return ['customers_statuses']
    case 'entity_responsible_changed':
      return ['responsible_user_id']
    case 'nps_rate_added':
    case 'sale_field_changed':
    case 'name_field_changed':
    case 'ltv_field_changed':
    case 'custom_field_value_changed':
      return ['value']
    default:
      return []
  }
}

const valuesOf = (chips: readonly Chip[], name: string): string[] =>
  chips.find((chip) => chip.name === name && !chip.isUnknown)?.values ?? []

/** The one type that chips name; undefined where they name none or several. */
function oneType(chips: readonly Chip[]): string | undefined {
  const [first, ...others] = valuesOf(chips, type)
  return others.length === 0 ? first : undefined
}

/**
 * Chips that go together: the last choice wins over what it excludes. `dropped` are the chips that had to
 * go, or that lost some of their values.
 */
export function settled(
  chips: readonly Chip[],
  hasChoices: (fieldId: number) => boolean,
): { chips: Chip[]; dropped: Chip[] } {
  const dropped: Chip[] = []
  const cut = chips.map((chip): Chip => {
    if (chip.isUnknown) return chip
    const { name, values } = chip
    if (name === type) {
      // The type of one field stands alone.
      const last = values.at(-1)
      if (values.length < 2 || !values.some((each) => ofOneField.test(each))) return chip
      return {
        ...chip,
        values: ofOneField.test(last!) ? [last!] : values.filter((each) => !ofOneField.test(each)),
      }
    }
    if ((name !== author && name !== entityId) || values.length <= mostNamed) return chip
    dropped.push({ ...chip, values: values.slice(mostNamed) })
    return { ...chip, values: values.slice(0, mostNamed) }
  })
  const only = oneType(cut)
  const fitting = only === undefined ? [] : kindsOfType(only, hasChoices)
  const kept = cut.filter((chip, index) => {
    const isFit =
      chip.isUnknown === true ||
      (chip.name === entityId
        ? valuesOf(cut, entity).length === 1
        : !isOfValue(chip.name) ||
          // One value on each side, the last one.
          (fitting.some((kind) => chip.name.endsWith(`[${kind}]`)) &&
            !cut.slice(index + 1).some(({ name }) => sideOf(name) === sideOf(chip.name))))
    if (!isFit) dropped.push(chip)
    return isFit
  })
  return { chips: kept, dropped }
}

const sideOf = (name: string): Side | undefined =>
  sides.find((side) => name.startsWith(`filter[${side}]`))
const isOfValue = (name: string) => sideOf(name) !== undefined

/** The parts of an event that one filters by. */
export type EventPart = 'time' | 'person' | 'type' | 'record' | 'change'

/**
 * The chips that find events like this one in a part of it: of the same day, person, type, record or new value (the
 * former value where there is no new one). None where the interface has no such filter.
 */
export function chipsOfEvent(
  part: EventPart,
  event: Change,
  {
    me,
    timeZone,
    hasChoices,
  }: { me: number; timeZone: string; hasChoices: (fieldId: number) => boolean },
): Chip[] {
  switch (part) {
    case 'time': {
      const day = dayAt(event.created_at, timeZone)
      const [from, to] = [startOfDay(day, timeZone), startOfDay(dayAfter(day), timeZone) - 1]
      return [{ name: 'filter[created_at]', values: [], from: String(from), to: String(to) }]
    }
    case 'person':
      return [{ name: author, values: [event.created_by === me ? 'me' : String(event.created_by)] }]
    case 'type':
      return [{ name: type, values: [event.type] }]
    case 'record':
      return [
        { name: entity, values: [event.entity_type] },
        { name: entityId, values: [String(event.entity_id)] },
      ]
    case 'change': {
      const [kind] = kindsOfType(event.type, hasChoices)
      const side = event.value_after.length > 0 ? 'value_after' : 'value_before'
      const value = kind && valueIn(event[side], kind)
      if (!value) return []
      return [
        { name: type, values: [event.type] },
        { name: nameOf(side, kind), values: [value] },
      ]
    }
  }
}

/** The first value of a side of an event as a chip has it; empty where a filter cannot name it. */
function valueIn([first]: Change['value_after'], kind: Kind): string {
  const [members] = Object.values(first ?? {})
  switch (kind) {
    case 'leads_statuses':
      return `${wordOf(members?.['pipeline_id'])}:${wordOf(members?.['id'])}`
    case 'customers_statuses':
    case 'responsible_user_id':
      return wordOf(members?.['id'])
    case 'custom_field_values':
      return wordOf(members?.['enum_id'])
    case 'value':
      return wordOf(
        members?.['text'] ??
          members?.['sale'] ??
          members?.['ltv'] ??
          members?.['name'] ??
          members?.['rate'],
      )
  }
}

/** A type of events, and its title. */
export interface EventTypeTitle {
  key: string
  lang: string
}

/** A catalog, whose elements have events. */
interface NamedCatalog {
  id: number
  name: string
}

type Vocabulary = Pick<
  Bootstrap,
  'me' | 'users' | 'pipelines' | 'customer_statuses' | 'custom_fields'
>

/** The choices of fields of records, by the ids of the fields. Those of phones and e-mails only name them. */
export const fieldChoices = ({ custom_fields }: Pick<Vocabulary, 'custom_fields'>) =>
  new Map(
    Object.values(custom_fields).flatMap(({ fields }) =>
      fields.flatMap(({ id, type: kind, enums }): [number, Option[]][] =>
        fieldKinds[kind].filter === 'choices'
          ? [[id, (enums ?? []).map((each) => ({ value: String(each.id), label: each.value }))]]
          : [],
      ),
    ),
  )

/** `filter[value_after][value]` as `value_after.value`. */
const inWords = (name: string) => name.slice('filter['.length, -1).replace('][', '.')

/** The filters of the log that go with `chips`, and those of the chips themselves. */
export function useEventFields(
  { me, users, pipelines, customer_statuses, custom_fields }: Vocabulary,
  types: readonly EventTypeTitle[],
  catalogs: readonly NamedCatalog[],
  chips: readonly Chip[],
): FilterField[] {
  const words = useTranslations('events')
  const shared = useTranslations('filter')
  const all = useMemo((): FilterField[] => {
    const people = peopleOptions({ me, users }, shared('me', { name: me.name }))
    const statuses = customer_statuses.map(({ id, name, color }) => ({
      value: String(id),
      label: name,
      color,
    }))
    const responsible = [...people, { value: '0', label: shared('nobody') }]
    const options: Record<string, Option[]> = {
      [author]: [...people, { value: '0', label: shared('system') }],
      [entity]: [
        ...(['lead', 'contact', 'company', 'customer', 'task'] as const).map((value) => ({
          value,
          label: words(`entities.${value}`),
        })),
        ...catalogs.map(({ id, name }) => ({ value: `catalog_${id}`, label: name })),
      ],
      [type]: types.map(({ key, lang }) => ({ value: key, label: lang })),
      ...Object.fromEntries(
        sides.flatMap((side) => [
          [nameOf(side, 'leads_statuses'), stageOptions(pipelines)],
          [nameOf(side, 'customers_statuses'), statuses],
          [nameOf(side, 'responsible_user_id'), responsible],
        ]),
      ),
    }
    return [...eventForms].map(([name, form]) => ({
      name,
      label: words(`fields.${inWords(name)}` as 'fields.type'),
      form,
      ...(options[name] && { options: options[name] }),
    }))
  }, [me, users, pipelines, customer_statuses, types, catalogs, words, shared])
  return useMemo(() => {
    const choices = fieldChoices({ custom_fields })
    const only = oneType(chips)
    const [kind] = only === undefined ? [] : kindsOfType(only, (id) => choices.has(id))
    const ofField = choices.get(Number(ofOneField.exec(only ?? '')?.[1]))
    return all
      .filter(({ name }) => {
        if (chips.some((chip) => chip.name === name)) return true
        if (name === entityId) return valuesOf(chips, entity).length === 1
        // Nobody types the id of an event; an address may hold it.
        if (name === eventId) return false
        return !isOfValue(name) || (kind !== undefined && name.endsWith(`[${kind}]`))
      })
      .map((field) =>
        field.name.endsWith('[custom_field_values]') ? { ...field, options: ofField ?? [] } : field,
      )
  }, [all, chips, custom_fields])
}

/** Filters of the log that are asked for every day. */
export function useEventPresets(): Preset[] {
  const words = useTranslations('events')
  return useMemo(() => {
    const of = (
      name: 'today' | 'mine' | 'stages' | 'responsible' | 'deleted',
      ...chips: Chip[]
    ): Preset => ({ name, label: words(`presets.${name}`), chips })
    return [
      of('today', { name: 'filter[created_at]', values: ['today'] }),
      of('mine', { name: author, values: ['me'] }),
      of('stages', { name: type, values: ['lead_status_changed'] }),
      of('responsible', { name: type, values: ['entity_responsible_changed'] }),
      of('deleted', {
        name: type,
        values: ['lead_deleted', 'contact_deleted', 'company_deleted', 'customer_deleted'],
      }),
    ]
  }, [words])
}
