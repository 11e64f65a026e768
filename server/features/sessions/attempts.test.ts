import { expect, test } from 'vitest'
import { openAttempts } from './attempts.ts'

const email = 'ann@example.com'

/** How many more guesses at an e-mail pass, each from a different address. */
function left(attempt: ReturnType<typeof openAttempts>): number {
  for (let passed = 0; ; passed++) {
    try {
      attempt(email, `10.1.0.${passed}`)
    } catch {
      return passed
    }
  }
}

test('an address that is turned away does not push out what is known of others', () => {
  const attempt = openAttempts(() => 0)
  for (let guess = 0; guess < 8; guess++) attempt(email, '10.0.0.1')
  for (let guess = 0; guess < 42; guess++) attempt(`${guess}@example.com`, '10.0.0.1')
  for (let guess = 0; guess < 25_000; guess++)
    expect(() => attempt(`made up ${guess}`, '10.0.0.1')).toThrow()
  expect(left(attempt)).toBe(2)
})

test('a password that was right for all who have the e-mail forgets what was wrong', () => {
  const attempt = openAttempts(() => 0)
  for (let guess = 0; guess < 9; guess++) attempt(email, '10.0.0.1')
  attempt(email, '10.0.0.1').succeed(true)
  expect(left(attempt)).toBe(10)
})

test('one that was right for some takes back itself only', () => {
  const attempt = openAttempts(() => 0)
  for (let guess = 0; guess < 9; guess++) attempt(email, '10.0.0.1')
  for (let time = 0; time < 5; time++) attempt(email, '10.0.0.1').succeed(false)
  expect(left(attempt)).toBe(1)
})
