// How the composer of the feed reads typed dates (web/features/feed/due.ts).
import { describe, expect, test } from 'vitest'
import { presetDue, readDue } from '../../web/features/feed/due.ts'
import { clockAt } from '../../web/ui/day.ts'

const timeZone = 'Europe/Riga'
/** Monday, the 23rd of November 2026, 11:00 in Riga. */
const now = Date.parse('2026-11-23T09:00:30Z') / 1000
const read = (text: string, isMonthFirst = false) => {
  const at = readDue(text, { now, timeZone, isMonthFirst })
  return at === undefined ? undefined : clockAt(at, timeZone)
}

describe('a typed date', () => {
  test.each([
    // English
    ['tomorrow 10', '2026-11-24T10:00'],
    ['Tomorrow at 10:30', '2026-11-24T10:30'],
    ['tomorrow', '2026-11-24T09:00'],
    ['today', '2026-11-23T23:59'],
    ['today 3 pm', '2026-11-23T15:00'],
    ['at 3pm', '2026-11-23T15:00'],
    ['12 am', '2026-11-24T00:00'],
    ['9:15', '2026-11-24T09:15'],
    ['11:05', '2026-11-23T11:05'],
    ['in 2 hours', '2026-11-23T13:00'],
    ['in an hour', '2026-11-23T12:00'],
    ['in half an hour', '2026-11-23T11:30'],
    ['in 15 min', '2026-11-23T11:15'],
    ['in 3 days', '2026-11-26T11:00'],
    ['in 3 days at 10', '2026-11-26T10:00'],
    ['in a week', '2026-11-30T11:00'],
    ['+30m', '2026-11-23T11:30'],
    ['day after tomorrow 8', '2026-11-25T08:00'],
    ['friday', '2026-11-27T09:00'],
    ['next friday 14:00', '2026-11-27T14:00'],
    ['monday', '2026-11-30T09:00'],
    ['monday 15:00', '2026-11-23T15:00'],
    ['next monday 15:00', '2026-11-30T15:00'],
    ['on tue at 9', '2026-11-24T09:00'],
    ['nov 25', '2026-11-25T09:00'],
    ['25 November 2027, 12:00', '2027-11-25T12:00'],
    ['tomorrow morning', '2026-11-24T09:00'],
    ['tomorrow evening', '2026-11-24T18:00'],
    ['tonight', '2026-11-23T18:00'],
    ['noon', '2026-11-23T12:00'],
    // Russian
    ['завтра в 10', '2026-11-24T10:00'],
    ['Завтра 10:30', '2026-11-24T10:30'],
    ['сегодня в 15', '2026-11-23T15:00'],
    ['послезавтра', '2026-11-25T09:00'],
    ['через 2 часа', '2026-11-23T13:00'],
    ['через час', '2026-11-23T12:00'],
    ['через полчаса', '2026-11-23T11:30'],
    ['через 15 минут', '2026-11-23T11:15'],
    ['через неделю', '2026-11-30T11:00'],
    ['через 3 дня', '2026-11-26T11:00'],
    ['в пятницу в 14', '2026-11-27T14:00'],
    ['во вторник', '2026-11-24T09:00'],
    ['в следующую среду 9:00', '2026-11-25T09:00'],
    ['пн', '2026-11-30T09:00'],
    ['12 декабря в 15:00', '2026-12-12T15:00'],
    ['завтра в 7 вечера', '2026-11-24T19:00'],
    ['завтра в 8 утра', '2026-11-24T08:00'],
    ['завтра вечером', '2026-11-24T18:00'],
    ['завтра в 3 дня', '2026-11-24T15:00'],
    // Spanish
    ['mañana a las 10', '2026-11-24T10:00'],
    ['manana 10', '2026-11-24T10:00'],
    ['hoy a las 18:30', '2026-11-23T18:30'],
    ['pasado mañana', '2026-11-25T09:00'],
    ['mañana por la mañana', '2026-11-24T09:00'],
    ['mañana por la tarde', '2026-11-24T14:00'],
    ['en 2 horas', '2026-11-23T13:00'],
    ['dentro de una hora', '2026-11-23T12:00'],
    ['en media hora', '2026-11-23T11:30'],
    ['dentro de 15 minutos', '2026-11-23T11:15'],
    ['en una semana', '2026-11-30T11:00'],
    ['el viernes a las 9', '2026-11-27T09:00'],
    ['el miércoles', '2026-11-25T09:00'],
    ['próximo sábado 12', '2026-11-28T12:00'],
    ['12 de diciembre', '2026-12-12T09:00'],
    ['mañana a las 3 de la tarde', '2026-11-24T15:00'],
    // Portuguese
    ['amanhã às 10', '2026-11-24T10:00'],
    ['amanha as 10h30', '2026-11-24T10:30'],
    ['hoje 15h', '2026-11-23T15:00'],
    ['depois de amanhã', '2026-11-25T09:00'],
    ['em 2 horas', '2026-11-23T13:00'],
    ['daqui a 3 dias', '2026-11-26T11:00'],
    ['em meia hora', '2026-11-23T11:30'],
    ['segunda-feira', '2026-11-30T09:00'],
    ['na sexta às 9', '2026-11-27T09:00'],
    ['terça', '2026-11-24T09:00'],
    ['12 de dezembro às 8', '2026-12-12T08:00'],
    ['amanhã de manhã', '2026-11-24T09:00'],
    ['amanhã à tarde', '2026-11-24T14:00'],
    // Numbers
    ['12.12 15:00', '2026-12-12T15:00'],
    ['12.11 15:00', '2027-11-12T15:00'],
    ['23.11. 15:00', '2026-11-23T15:00'],
    ['12.12.26', '2026-12-12T09:00'],
    ['2026-12-01 08:05', '2026-12-01T08:05'],
    ['29.02', '2028-02-29T09:00'],
    ['01/12', '2026-12-01T09:00'],
    ['10', '2026-11-24T10:00'],
  ])('%s is %s', (text, clock) => {
    expect(read(text)).toBe(clock)
  })

  test('has its month first where the user writes so', () => {
    expect(read('12/01 10:00', true)).toBe('2026-12-01T10:00')
  })

  test.each([
    '',
    'soon',
    'tomorrow soon',
    'tomorrow today',
    '31.02',
    '32.12',
    '2026-02-30',
    'tomorrow 25',
    'tomorrow 10:75',
    '13 pm',
    'in 2 hours tomorrow',
    'tomorrow in 2 hours',
    'tomorrow 10 11',
    'monday friday',
    'x'.repeat(200),
  ])('%j is not understood', (text) => {
    expect(read(text)).toBeUndefined()
  })

  test('keeps the clock over a change of it', () => {
    const friday = Date.parse('2026-10-23T09:00Z') / 1000
    expect(clockAt(readDue('in 3 days', { now: friday, timeZone })!, timeZone)).toBe(
      '2026-10-26T12:00',
    )
  })

  test('is one of the user’s zone', () => {
    const zone = 'Pacific/Kiritimati'
    expect(clockAt(readDue('tomorrow 10', { now, timeZone: zone })!, zone)).toBe('2026-11-24T10:00')
  })

  test.each([
    ['in15', '2026-11-23T11:15'],
    ['inHour', '2026-11-23T12:00'],
    ['today', '2026-11-23T23:59'],
    ['tomorrow', '2026-11-24T09:00'],
    ['inWeek', '2026-11-30T09:00'],
  ] as const)('offered as %s is %s', (preset, clock) => {
    expect(clockAt(presetDue(preset, { now, timeZone }), timeZone)).toBe(clock)
  })
})
