// Texts that name days, by the rule of days (interface: Values by type), for all that reads one.

/** The zone of the account, what is sent, and the day it names; null where it names none. */
export const dayCases: [timezone: string, sent: string | number, day: string | null][] = [
  // A bare date, and a text at 00:00:00 of its own offset, keep the day that is written.
  ['UTC', '2021-10-19', '2021-10-19'],
  ['UTC', '2021-10-19T00:00:00+03:00', '2021-10-19'],
  ['UTC', '2021-10-19T00:00:00-11:00', '2021-10-19'],
  ['UTC', '2021-10-19t00:00:00.000z', '2021-10-19'],
  ['Europe/Moscow', '2021-10-19T00:00:00+03:00', '2021-10-19'],
  ['America/New_York', '2021-10-19', '2021-10-19'],
  ['America/New_York', '2021-10-19T00:00:00Z', '2021-10-19'],
  ['Pacific/Auckland', '2021-10-19T00:00:00-10:00', '2021-10-19'],
  // Any other text is a moment, and so is a time stamp.
  ['UTC', '2021-10-19T00:00:01+03:00', '2021-10-18'],
  ['UTC', '2021-10-19T02:59:59+03:00', '2021-10-18'],
  ['UTC', '2021-10-19T03:00:00+03:00', '2021-10-19'],
  ['America/New_York', '2021-10-19T03:59:59Z', '2021-10-18'],
  ['Pacific/Auckland', '2021-10-19T12:00:00Z', '2021-10-20'],
  ['UTC', 1_634_590_800, '2021-10-18'],
  ['UTC', '1634590800', '2021-10-18'],
  ['Europe/Moscow', 1_634_590_800, '2021-10-19'],
  ['America/New_York', 1_634_590_800, '2021-10-18'],
  ['Pacific/Auckland', 1_634_590_800, '2021-10-19'],
  // Before 1970, and where no midnight is.
  ['America/New_York', '1961-05-17', '1961-05-17'],
  ['America/New_York', -272_232_000, '1961-05-17'],
  ['America/Sao_Paulo', '2018-11-04T00:00:00-03:00', '2018-11-04'],
  // Texts that name no day.
  ['UTC', '2021-02-29', null],
  ['UTC', '2021-02-29T00:00:00+03:00', null],
  ['UTC', '2021-10-19T00:00:00', null],
  ['UTC', '2021-10-19T00:00:00+03', null],
  ['UTC', '2021-10-19T00:00', null],
  ['UTC', '2021-10-19 00:00:00', null],
  ['UTC', '0000-12-31', null],
  ['UTC', 'today', null],
]

/** The zones of the table. */
export const dayZones = [...new Set(dayCases.map(([timezone]) => timezone))]
