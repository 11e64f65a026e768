// Reads when a task is due from what people type: "tomorrow 10", "завтра в 10", "el lunes a las 9",
// "in 2 hours", "12.11 15:00". The words of all four languages are understood at once, without their
// accents. A text is understood as a whole or not at all, and the composer shows what was understood.
import { clockAt, dayAfter, dayAt, momentAt } from '../../ui/day.ts'

/** Where and when a text is read. */
export interface DueContext {
  /** Unix seconds. */
  now: number
  timeZone: string
  /** Whether 11/12 is the 12th of November. */
  isMonthFirst?: boolean
}

/** The meaning of a text so far. Dates and times are those of the user's clocks. */
interface Said {
  /** Days from today. */
  days?: number
  /** From Monday, 0; `isNext` leaves out today. */
  weekday?: number
  isNext?: boolean
  date?: { day: number; month: number; year?: number | undefined }
  /** Minutes since midnight. */
  minutes?: number
  /** "At 3" alone may be completed by "in the afternoon". */
  isHalfDay?: boolean
  /** Seconds from now. */
  seconds?: number
}

const day = 86_400
const noTime = 9 * 60

/** The moment that a text means, in Unix seconds; undefined where it is not understood. */
export function readDue(text: string, reading: DueContext): number | undefined {
  const said = understood(plain(text), reading.isMonthFirst ?? false)
  return said && momentOf(said, reading)
}

/** In small letters and without accents: `mañana` and `manana` are one word. */
const plain = (text: string): string =>
  text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').trim()

type Rule = [RegExp, (said: Said, parts: string[], isMonthFirst: boolean) => boolean]

/** Follows the rules from the left until nothing is left; each says whether it fits. */
function understood(text: string, isMonthFirst: boolean): Said | undefined {
  if (text === '' || text.length > 100) return undefined
  const said: Said = {}
  let rest = text
  while (rest !== '') {
    const next = rules.find(([pattern]) => pattern.test(rest))
    const parts = next?.[0].exec(rest)
    if (!next || !parts || !next[1](said, [...parts], isMonthFirst)) return undefined
    rest = rest.slice(parts[0].length).replace(/^[\s,]+/, '')
  }
  return said
}

const words = (list: string): string => plain(list).split(/\s+/).join('|')
/** A rule begins where the text does, and ends with a word. */
const rule = (pattern: string, does: Rule[1]): Rule => [
  new RegExp(`^(?:${plain(pattern)})(?=$|[\\s,])`, 'u'),
  does,
]

const units: [seconds: number, names: string][] = [
  [60, words('m min mins minute minutes мин минуту минуты минут minuto minutos')],
  [3600, words('h hr hrs hour hours ч час часа часов hora horas')],
  [day, words('d day days д день дня дней dia dias')],
  [7 * day, words('w week weeks нед неделю недели недель semana semanas')],
]
const allUnits = units.map(([, names]) => names).join('|')
const secondsOf = (name: string): number =>
  units.find(([, names]) => names.split('|').includes(name))![0]

const weekdays = [
  'monday mon понедельник понедельника пн lunes lun segunda segunda-feira seg',
  'tuesday tue tues вторник вторника вт martes mar terca terca-feira ter',
  'wednesday wed среда среду среды ср miercoles mie quarta quarta-feira qua',
  'thursday thu thur thurs четверг четверга чт jueves jue quinta quinta-feira qui',
  'friday fri пятница пятницу пятницы пт viernes vie sexta sexta-feira sex',
  'saturday sat суббота субботу субботы сб sabado sab',
  'sunday sun воскресенье воскресенья вс domingo dom',
].map((names) => words(names).split('|'))
const allWeekdays = weekdays.flat().toSorted(longest).join('|')

const months = [
  'january jan января янв enero ene janeiro',
  'february feb февраля фев febrero fevereiro fev',
  'march mar марта мар marzo marco',
  'april apr апреля апр abril abr',
  'may мая май mayo maio mai',
  'june jun июня июн junio junho',
  'july jul июля июл julio julho',
  'august aug августа авг agosto ago',
  'september sep sept сентября сен сент septiembre setembro set',
  'october oct октября окт octubre outubro out',
  'november nov ноября ноя noviembre novembro',
  'december dec декабря дек diciembre dic dezembro dez',
].map((names) => words(names).split('|'))
const allMonths = months.flat().toSorted(longest).join('|')

function longest(one: string, other: string): number {
  return other.length - one.length
}

/** Words before a time, and before a day. */
const at = '(?:(?:at|@|в|к|до|a las?|a la|as|by) ?)'
const on = '(?:on|by|в|во|к|до|el|na|no|para el|ate) '
const next =
  '(?:next|this|следующий|следующую|следующее|следующая|ближайший|ближайшую|эту|этот|это|proximo|proxima|este|esta) '

const rules: Rule[] = [
  // Spans from now: "in 2 hours", "через неделю", "dentro de 15 minutos", "+30m".
  rule(
    `(?:in|after|через|en|dentro de|em|daqui a) (?:half an hour|полчаса|media hora|meia hora)`,
    (said) => span(said, 1800),
  ),
  rule(
    `(?:in|after|через|en|dentro de|em|daqui a) (?:(an?|one|один|одну|una?|uma?|\\d{1,4}) ?)?(${allUnits})`,
    (said, [, count, unit]) => span(said, numberOf(count) * secondsOf(unit!)),
  ),
  rule(`\\+ ?(\\d{1,4}) ?(${allUnits})`, (said, [, count, unit]) =>
    span(said, Number(count) * secondsOf(unit!)),
  ),
  // Parts of the day; before "mañana", which is also the morning.
  rule(
    '(?:(?:in the|por la|de la|da|de|pela|a) )?(?:morning|утром|утра|manana|manha)(?<!^manana)',
    (said) => part(said, 9 * 60, 0),
  ),
  rule('(?:(?:in the|por la|de la|da|de|pela|a) )?(?:afternoon|днем|дня|tarde)', (said) =>
    part(said, 14 * 60, 12 * 60),
  ),
  rule(
    '(?:(?:in the|at|por la|de la|da|de|pela|a) )?(?:evening|night|tonight|вечером|вечера|noche|noite)',
    (said) => part(said, 18 * 60, 12 * 60),
  ),
  rule('(?:at )?(?:noon|midday)|в полдень|полдень|(?:al )?mediodia|(?:ao )?meio-dia', (said) =>
    time(said, 12 * 60),
  ),
  // Days.
  rule('(?:the )?day after tomorrow|послезавтра|pasado manana|depois de amanha', (said) =>
    days(said, 2),
  ),
  rule('tomorrow|tmrw?|завтра|manana|amanha', (said) => days(said, 1)),
  rule('today|сегодня|hoy|hoje', (said) => days(said, 0)),
  rule(`(?:${on})?(${next})?(${allWeekdays})`, (said, [, isNext, name]) => {
    if (hasDay(said)) return false
    said.weekday = weekdays.findIndex((names) => names.includes(name!))
    said.isNext = isNext !== undefined
    return true
  }),
  // Dates: 2026-11-12, 12.11., 12.11.26, 11/12, "12 ноября 2026", "nov 12", "12 de noviembre".
  rule('(\\d{4})-(\\d{1,2})-(\\d{1,2})', (said, [, year, month, date]) =>
    setDate(said, date, Number(month), year),
  ),
  rule(`(?:${on})?(\\d{1,2})\\.(\\d{1,2})(?:\\.(\\d{4}|\\d{2})?)?`, (said, [, date, month, year]) =>
    setDate(said, date, Number(month), year),
  ),
  rule(
    `(?:${on})?(\\d{1,2})/(\\d{1,2})(?:/(\\d{4}|\\d{2}))?`,
    (said, [, one, other, year], isMonthFirst) =>
      isMonthFirst
        ? setDate(said, other, Number(one), year)
        : setDate(said, one, Number(other), year),
  ),
  rule(
    `(?:${on})?(?:the )?(\\d{1,2})(?:st|nd|rd|th|-?го)? ?(?:of |de )?(${allMonths})\\.?(?:,? ?(?:de )?(\\d{4}))?`,
    (said, [, date, month, year]) => setDate(said, date, monthOf(month!), year),
  ),
  rule(
    `(?:${on})?(${allMonths})\\.? (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?`,
    (said, [, month, date, year]) => setDate(said, date, monthOf(month!), year),
  ),
  // Times: 15:00, "at 3 pm", "в 10", "a las 9", 10h30, 15ч.
  rule(`${at}?(\\d{1,2}):(\\d{2}) ?(am|pm)?`, (said, [, hour, minute, half]) =>
    clock(said, Number(hour), Number(minute), half),
  ),
  rule(`${at}?(\\d{1,2}) ?(am|pm)`, (said, [, hour, half]) => clock(said, Number(hour), 0, half)),
  rule(`${at}?(\\d{1,2}) ?(?:h|ч|час|часов|часа|hs?|horas?|o'clock)(\\d{2})?`, (said, parts) =>
    clock(said, Number(parts[1]), Number(parts[2] ?? 0), undefined),
  ),
  rule(`${at}?(\\d{1,2})`, (said, [, hour]) => clock(said, Number(hour), 0, undefined)),
]

const numberOf = (text: string | undefined): number =>
  text !== undefined && /^\d/.test(text) ? Number(text) : 1

const monthOf = (name: string): number => months.findIndex((names) => names.includes(name)) + 1

const hasDay = ({ days: some, weekday, date }: Said): boolean =>
  some !== undefined || weekday !== undefined || date !== undefined

function span(said: Said, seconds: number): boolean {
  if (said.seconds !== undefined || hasDay(said) || said.minutes !== undefined) return false
  said.seconds = seconds
  return true
}

function days(said: Said, number: number): boolean {
  if (hasDay(said)) return false
  said.days = number
  return true
}

function setDate(said: Said, date: string | undefined, month: number, year?: string): boolean {
  if (hasDay(said)) return false
  const full = year === undefined ? undefined : Number(year.length === 2 ? `20${year}` : year)
  said.date = { day: Number(date), month, year: full }
  return isDate(full ?? 2028, month, Number(date))
}

const isDate = (year: number, month: number, date: number): boolean => {
  const made = new Date(Date.UTC(year, month - 1, date))
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === date
}

function time(said: Said, minutes: number): boolean {
  if (said.minutes !== undefined) return false
  said.minutes = minutes
  return true
}

function clock(said: Said, hour: number, minute: number, half: string | undefined): boolean {
  if (half !== undefined && (hour < 1 || hour > 12)) return false
  if (hour > 23 || minute > 59) return false
  said.isHalfDay = half === undefined && hour >= 1 && hour <= 12
  const hours = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  return time(said, hours * 60 + minute)
}

/** "In the evening" alone is a time of its own; after "at 7" it says which seven. */
function part(said: Said, usual: number, shift: number): boolean {
  if (said.minutes === undefined) return time(said, usual)
  if (!said.isHalfDay) return false
  said.minutes = (said.minutes % 720) + shift
  said.isHalfDay = false
  return true
}

function momentOf(said: Said, { now, timeZone }: DueContext): number | undefined {
  const today = dayAt(now, timeZone)
  if (said.seconds !== undefined) {
    if (hasDay(said)) return undefined
    // "In 2 days at 10": whole days keep the clock, whatever the zone does in between.
    if (said.seconds % day === 0) {
      const clocks =
        said.minutes === undefined ? clockAt(now, timeZone).slice(11) : text(said.minutes)
      return momentAt(`${dayAfter(today, said.seconds / day)}T${clocks}`, timeZone)
    }
    return said.minutes === undefined ? now + said.seconds : undefined
  }
  const moment = (date: string) => momentAt(`${date}T${text(said.minutes ?? noTime)}`, timeZone)
  if (said.date) {
    const { day: date, month, year } = said.date
    const iso = (of: number) => `${of}-${two(month)}-${two(date)}`
    const thisYear = Number(today.slice(0, 4))
    if (year !== undefined) return isDate(year, month, date) ? moment(iso(year)) : undefined
    // Without a year, the next such day.
    const years = Array.from({ length: 9 }, (_, more) => thisYear + more)
    const of = years.find((each) => isDate(each, month, date) && iso(each) >= today)
    return of === undefined ? undefined : moment(iso(of))
  }
  if (said.weekday !== undefined) {
    const present = (new Date(`${today}T00:00Z`).getUTCDay() + 6) % 7
    const ahead = (said.weekday - present + 7) % 7
    // The name of today means today only with a time that is still ahead.
    const isToday = ahead === 0 && !said.isNext && said.minutes !== undefined && moment(today) > now
    return moment(dayAfter(today, ahead === 0 && !isToday ? 7 : ahead))
  }
  if (said.days === 0 && said.minutes === undefined) return momentAt(`${today}T23:59`, timeZone)
  if (said.days !== undefined) return moment(dayAfter(today, said.days))
  // A time alone: its next one.
  return moment(today) > now ? moment(today) : moment(dayAfter(today, 1))
}

const two = (number: number): string => String(number).padStart(2, '0')
const text = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

/** The ways to say when that the composer offers. */
export const presets = ['in15', 'inHour', 'today', 'tomorrow', 'inWeek'] as const

/** The moment of an offered way, in Unix seconds. */
export function presetDue(preset: (typeof presets)[number], { now, timeZone }: DueContext): number {
  const today = dayAt(now, timeZone)
  const whole = now - (now % 60)
  switch (preset) {
    case 'in15':
      return whole + 15 * 60
    case 'inHour':
      return whole + 3600
    case 'today':
      return momentAt(`${today}T23:59`, timeZone)
    case 'tomorrow':
      return momentAt(`${dayAfter(today, 1)}T09:00`, timeZone)
    case 'inWeek':
      return momentAt(`${dayAfter(today, 7)}T09:00`, timeZone)
  }
}
