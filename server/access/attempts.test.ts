import { expect, test } from 'vitest'
import { openAttempts } from './attempts.ts'
import type { Attempts } from './attempts.ts'

const email = 'ann@example.com'
const home = '10.0.0.1'

/** Guesses until one has to wait; answers how many passed. */
function left(guess: (place: number) => { wait: number }): number {
  for (let passed = 0; ; passed++) if (guess(passed).wait > 0) return passed
}

const here = (attempts: Attempts) => () => attempts.ofEmail(email, home)
const elsewhere = (attempts: Attempts) => (index: number) =>
  attempts.ofEmail(email, `10.1.0.${index}`)

test('failures for an e-mail from one address close it for that address alone', () => {
  const attempts = openAttempts(() => 0)
  expect(left(here(attempts))).toBe(10)
  expect(attempts.ofEmail('bob@example.com', home).wait).toBe(0)
  expect(left(elsewhere(attempts))).toBe(90)
  expect(attempts.ofEmail(email, '10.2.0.1').wait).toBe(900)
  expect(left(() => attempts.ofBrowser(Buffer.from('a browser')))).toBe(10)
})

test('all addresses of one IPv6 network count as one', () => {
  const attempts = openAttempts(() => 0)
  expect(left((index) => attempts.ofEmail(email, `2001:db8::${index}`))).toBe(10)
})

test('an address that is turned away does not push out what is known of others', () => {
  const attempts = openAttempts(() => 0)
  for (let guess = 0; guess < 8; guess++) attempts.ofEmail(email, home)
  for (let guess = 0; guess < 42; guess++) attempts.ofEmail(`${guess}@example.com`, home)
  for (let guess = 0; guess < 25_000; guess++)
    expect(attempts.ofEmail(`made up ${guess}`, home).wait).toBeGreaterThan(0)
  expect(left(elsewhere(attempts))).toBe(92)
})

test('a right password forgets the wrong ones from there, and not those of strangers', () => {
  const attempts = openAttempts(() => 0)
  for (let index = 0; index < 50; index++) elsewhere(attempts)(index)
  for (let guess = 0; guess < 9; guess++) attempts.ofEmail(email, home)
  attempts.ofEmail(email, home).succeed()
  expect(left(here(attempts))).toBe(10)
  expect(left((index) => elsewhere(attempts)(index + 100))).toBe(40)
})

test('a clock that is put back does not make anybody wait longer', () => {
  let now = 10_000
  const attempts = openAttempts(() => now)
  expect(left(here(attempts))).toBe(10)
  now -= 5000
  expect(attempts.ofEmail(email, home).wait).toBe(0)
})
