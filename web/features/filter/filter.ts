// The filter of a screen as chips. A chip is one filter of the list's method in the interface
// (`filter[price]`, `query`), and stands in the address under the same name. Three things are
// shorter there: `me` for the user, names of spans for dates, and `1:2` for a pipeline and its stage.
// Parameters that nobody knows, and values that do not fit, become chips that say so: nothing that
// an address holds is dropped.
import { pairsOf } from '../../data/search.ts'
import type { SearchParams } from '../../data/search.ts'
import { dayAt, startOfDay } from '../../ui/day.ts'
import { dayText, endsOfSpan, isSpan } from './dates.ts'

/** How the values of a filter are written (interface: Filter forms). */
export type FilterForm =
  /** Words to look for, one text, and several of them. */
  | 'words'
  | 'text'
  | 'texts'
  /** Ids: of records, of users, of the choices of a field, of a stage with its pipeline. */
  | 'ids'
  | 'users'
  | 'choices'
  | 'stages'
  /** Statuses of customers, which stand in no pipeline. */
  | 'statuses'
  /** Words of the interface, such as types of events. */
  | 'names'
  | 'flag'
  /** A number, or a range of them; fields know several numbers too. */
  | 'number'
  | 'numbers'
  /** A range of moments; the next task knows `0`, without one, too; `due`: of days that come, at their beginnings. */
  | 'time'
  | 'task'
  | 'due'
  /** A day, several of them, or a range. */
  | 'day'

export interface Chip {
  /** The parameter: `query`, `filter[price]`, `filter[custom_fields_values][12]`. */
  name: string
  /** Empty for a range. */
  values: string[]
  from?: string
  to?: string
  /** A parameter that the list does not have, or a value that does not fit. It filters nothing. */
  isUnknown?: boolean
}

/** The forms of the filters that a list knows, by parameter. */
export type Forms = ReadonlyMap<string, FilterForm>

const isFieldName = (name: string) => name.startsWith('filter[custom_fields_values]')

/** Whether a name in an address belongs to the filter. */
export const isOfFilter = (name: string): boolean => /^(?:query|filter)(?:\[|$)/.test(name)

/** The change of an address that takes its filter out. */
export const filterTakenOut = (search: Record<string, unknown>): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(search)
      .filter(isOfFilter)
      .map((name) => [name, undefined]),
  )

/** The chips of an address, in its order. */
export function chipsOf(search: Record<string, unknown>, forms: Forms): Chip[] {
  const chips = new Map<string, Chip>()
  const stages = new Map<string, { name: string; pipeline_id?: string; status_id?: string }>()
  const unknown = (name: string, value: string, isFirst = false) => {
    const key = `? ${name}`
    const others = chips.get(key)?.values ?? []
    const values = isFirst ? [value, ...others] : [...others, value]
    chips.set(key, { name, values, isUnknown: true })
  }
  for (const [key, value] of pairsOf(search)) {
    if (!isOfFilter(key) || value === '') continue
    const [, name, index, part] = /^(.+)\[(\d+)\]\[(pipeline_id|status_id)\]$/.exec(key) ?? []
    if (name && part === 'status_id' && forms.get(name) === 'statuses' && isId(value)) {
      if (!add(chips, { name, values: [value] }, 'statuses')) unknown(key, value)
      continue
    }
    const at = `${name}[${index}]`
    const isStage = name !== undefined && forms.get(name) === 'stages'
    if (isStage && isId(value) && !stages.get(at)?.[part as 'status_id']) {
      stages.set(at, { ...stages.get(at), name, [part!]: value })
      // Keeps its place among the others.
      if (!chips.has(name)) chips.set(name, { name, values: [] })
      continue
    }
    const read = readPair(key, value, forms)
    if (!read || !add(chips, read, forms.get(read.name)!)) unknown(key, value)
  }
  for (const [at, { name, pipeline_id, status_id }] of stages) {
    if (pipeline_id && status_id)
      add(chips, { name, values: [`${pipeline_id}:${status_id}`] }, 'stages')
    else if (pipeline_id) unknown(`${at}[pipeline_id]`, pipeline_id, true)
    else unknown(`${at}[status_id]`, status_id!, true)
  }
  return [...chips.values()].filter((chip) => !isEmptyChip(chip))
}

export const isEmptyChip = ({ values, from, to }: Chip): boolean =>
  values.length === 0 && from === undefined && to === undefined

interface Read {
  name: string
  values?: string[]
  end?: ['from' | 'to', string]
}

function readPair(key: string, value: string, forms: Forms): Read | undefined {
  const [, name = key, inner] = /^(.*?)\[(from|to|\d*)\]$/.exec(key) ?? []
  // `filter[custom_fields_values][12]` ends in a number that is no index.
  const isWhole = forms.has(key)
  const at = isWhole ? key : name
  const form = forms.get(at)
  if (!form) return undefined
  if (!isWhole && (inner === 'from' || inner === 'to'))
    return fits(form, value, true) ? { name: at, end: [inner, value] } : undefined
  const values = isList(form) ? value.split(',') : [value]
  if (!values.every((each) => fits(form, each, false))) return undefined
  // A moment alone means from then on.
  if (
    (form === 'time' || form === 'task' || form === 'due') &&
    /^\d+$/.test(value) &&
    !(form === 'task' && value === '0')
  )
    return { name: at, end: ['from', value] }
  return { name: at, values }
}

/** Adds to a chip; answers false where it has no place for more. */
function add(chips: Map<string, Chip>, { name, values, end }: Read, form: FilterForm): boolean {
  const chip = chips.get(name)
  if (end) {
    if (chip && (chip.values.length > 0 || chip[end[0]] !== undefined)) return false
    chips.set(name, { ...chip, name, values: [], [end[0]]: end[1] })
    return true
  }
  const isOne = !isList(form) && form !== 'texts'
  if (chip && (chip.from ?? chip.to) !== undefined) return false
  if (chip && isOne && chip.values.length > 0) return false
  const all = [...(chip?.values ?? []), ...values!]
  // A span stands alone, and `0` of the next task is a value.
  if (all.length > 1 && all.some((each) => form === 'day' && isSpan(each))) return false
  chips.set(name, { name, values: [...new Set(all)] })
  return true
}

/** Whether a comma divides the values. */
const isList = (form: FilterForm) =>
  ['ids', 'users', 'choices', 'stages', 'statuses', 'names', 'numbers', 'day'].includes(form)
/** Whether the name of a span is a value. To a text it is a word as any other. */
export const hasSpans = (form: FilterForm | undefined): boolean =>
  form === 'time' || form === 'task' || form === 'due' || form === 'day'
const isId = (text: string) => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
const isMoment = (text: string) => /^\d{1,12}$/.test(text) && Number(text) <= 253_402_300_799
const isDay = (text: string) => /^\d{1,2}\.\d{1,2}\.\d{4}$/.test(text) || isMoment(text)

function fits(form: FilterForm, value: string, isEnd: boolean): boolean {
  switch (form) {
    case 'words':
    case 'text':
    case 'texts':
      return !isEnd
    case 'ids':
    case 'choices':
    case 'statuses':
      return !isEnd && isId(value)
    case 'names':
      return !isEnd && /^[a-z\d][a-z_\d]{0,99}$/.test(value)
    case 'users':
      return !isEnd && (value === 'me' || value === '0' || isId(value))
    case 'stages':
      return !isEnd && /^\d+:\d+$/.test(value) && value.split(':').every(isId)
    case 'flag':
      return !isEnd && /^[01]$/.test(value)
    case 'number':
    case 'numbers':
      return /^-?\d{1,15}(?:\.\d{1,10})?$/.test(value)
    case 'time':
    case 'task':
    case 'due':
      return isMoment(value) || (!isEnd && isSpan(value))
    case 'day':
      return isDay(value) || (!isEnd && isSpan(value))
  }
}

/** The part of an address that holds the chips. */
export function searchOfChips(chips: readonly Chip[], forms: Forms): SearchParams {
  const search: SearchParams = {}
  const put = (name: string, values: string[]) => {
    const all = [search[name] ?? [], values].flat()
    search[name] = all.length === 1 ? all[0]! : all
  }
  for (const { name, values, from, to, isUnknown } of chips) {
    if (isUnknown) put(name, values)
    else if (values.length > 0) {
      const form = forms.get(name)
      const hasList = isFieldName(name) || form === 'texts'
      const isSpanned = hasSpans(form) && values.some(isSpan)
      put(
        hasList && !isSpanned ? `${name}[]` : name,
        form && isList(form) ? [values.join(',')] : values,
      )
    }
    if (from !== undefined) put(`${name}[from]`, [from])
    if (to !== undefined) put(`${name}[to]`, [to])
  }
  return search
}

/** The user who asks, the zone of the user, that of the account, whose days fields have, its weeks, and the moment. */
export interface Asker {
  me: number
  timeZone: string
  dayZone: string
  /** Of the account: 0 for Sunday to 6 for Saturday. */
  weekStartsOn: number
  /** Unix seconds. */
  now: number
}

/**
 * The parameters of a request to the interface, in the order of the chips. `me` and spans have become
 * an id and moments; unknown chips are left out.
 */
export function parametersOf(
  chips: readonly Chip[],
  forms: Forms,
  asker: Asker,
): [string, string][] {
  return chips.flatMap((chip): [string, string][] => {
    const { name, values, from, to, isUnknown } = chip
    if (isUnknown) return []
    const form = forms.get(name)
    const [first] = values
    if (first !== undefined && hasSpans(form) && isSpan(first))
      return spanned(name, first, form, asker)
    if (form === 'stages')
      return values.flatMap((value, index): [string, string][] => {
        const [pipeline, status] = value.split(':')
        const at = `${name}[${index}]`
        return [
          [`${at}[pipeline_id]`, pipeline!],
          [`${at}[status_id]`, status!],
        ]
      })
    if (form === 'statuses')
      return values.map((value, index) => [`${name}[${index}][status_id]`, value])
    const own =
      form === 'users' ? values.map((value) => (value === 'me' ? `${asker.me}` : value)) : values
    const listed: [string, string][] =
      own.length === 0
        ? []
        : isFieldName(name) || form === 'texts'
          ? own.map((value) => [`${name}[]`, value])
          : [[name, own.join(',')]]
    return [
      ...listed,
      ...(from === undefined ? [] : [[`${name}[from]`, from] as [string, string]]),
      ...(to === undefined ? [] : [[`${name}[to]`, to] as [string, string]]),
    ]
  })
}

function spanned(
  name: string,
  span: Parameters<typeof endsOfSpan>[0],
  form: FilterForm | undefined,
  { timeZone, dayZone, weekStartsOn, now }: Asker,
): [string, string][] {
  // Days of fields and of purchases are those of the account, whatever the zone of the user.
  const zone = form === 'day' || form === 'due' ? dayZone : timeZone
  const { from, to } =
    form === 'due' && span === 'overdue'
      ? // What is due today is not late yet.
        { to: startOfDay(dayAt(now, zone), zone) - 1 }
      : endsOfSpan(span, zone, now, weekStartsOn)
  const shown = (at: number) => (form === 'day' ? dayText(dayAt(at, zone)) : String(at))
  return [
    ...(from === undefined ? [] : [[`${name}[from]`, shown(from)] as [string, string]]),
    ...(to === undefined ? [] : [[`${name}[to]`, shown(to)] as [string, string]]),
  ]
}

/** Parameters as a query string, without `?`. */
export const queryStringOf = (parameters: readonly [string, string][]): string =>
  parameters
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&')

/** A chip in place of the one of the same parameter, or at the end. An empty one goes. */
export function withChip(chips: readonly Chip[], chip: Chip): Chip[] {
  const isSame = (other: Chip) => other.name === chip.name && !other.isUnknown
  const kept = isEmptyChip(chip) ? [] : [chip]
  return chips.some(isSame)
    ? chips.flatMap((other) => (isSame(other) ? kept : [other]))
    : [...chips, ...kept]
}

export const withoutChip = (chips: readonly Chip[], chip: Chip): Chip[] =>
  chips.filter((other) => other.name !== chip.name || !!other.isUnknown !== !!chip.isUnknown)
