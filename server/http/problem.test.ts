import pg from 'pg'
import { expect, test } from 'vitest'
import { ConnectionLost } from '../database/connect.ts'
import {
  asProblem,
  badRequest,
  constraintProblems,
  faultAt,
  internal,
  invalid,
  methodNotAllowed,
  notFound,
  Problem,
  tooManyRequests,
} from './problem.ts'
import type { ItemFaults } from './problem.ts'

test('a problem names its status in three ways', () => {
  expect(notFound().body()).toEqual({
    title: 'Not Found',
    type: 'https://httpstatus.es/404',
    status: 404,
    detail: 'Entity not found',
  })
})

test('faults are listed item by item', () => {
  const items: ItemFaults[] = [
    {
      request_id: 'x',
      errors: [faultAt('price', 'TooLow', 'This value should be 0 or more.', 0)],
    },
  ]
  expect(invalid(items).body()).toEqual({
    'validation-errors': items,
    title: 'Bad Request',
    type: 'https://httpstatus.es/400',
    status: 400,
    detail: 'Request validation failed',
  })
})

test('some problems have headers', () => {
  expect(methodNotAllowed(['GET', 'PATCH']).headers).toEqual({ allow: 'GET, PATCH' })
  expect(tooManyRequests(1.2).headers).toEqual({ 'retry-after': '2' })
})

const fastify = (code: string, statusCode = 400) =>
  Object.assign(new Error('details'), { code, statusCode })

test.each<[string, unknown, number]>([
  ['a problem', badRequest('x'), 400],
  ['broken JSON', fastify('FST_ERR_CTP_INVALID_JSON_BODY'), 400],
  ['a body of another length', fastify('FST_ERR_CTP_INVALID_CONTENT_LENGTH'), 400],
  ['a body that ended early', fastify('ECONNRESET'), 400],
  ['a broken address', fastify('FST_ERR_BAD_URL'), 400],
  ['no route', fastify('FST_ERR_NOT_FOUND'), 404],
  ['a large body', fastify('FST_ERR_CTP_BODY_TOO_LARGE'), 413],
  ['a long path', fastify('FST_ERR_MAX_PARAM_LENGTH'), 414],
  ['a strange content type', fastify('FST_ERR_CTP_INVALID_MEDIA_TYPE'), 415],
  ['a lost connection', new ConnectionLost('gone'), 503],
  ['a database that stops', databaseError({ code: '57P01' }), 503],
  ['a full disk', databaseError({ code: '53100' }), 503],
  ['a full disk, met by the server itself', Object.assign(new Error('x'), { code: 'ENOSPC' }), 503],
  ['a database without a free connection', databaseError({ code: '53300' }), 503],
  ['a deadlock after all retries', databaseError({ code: '40P01' }), 503],
  ['a known constraint', databaseError({ code: '23505', constraint: 'users_email' }), 400],
])('%s is answered with its status', (_, error, status) => {
  expect(asProblem(error)?.status).toBe(status)
})

test.each<[string, unknown]>([
  ['an error of our own', new TypeError('undefined is not a function')],
  ['an unknown constraint', databaseError({ code: '23505', constraint: 'toString' })],
  ['a statement PostgreSQL does not understand', databaseError({ code: '42601' })],
  [
    'a connection of our own that was reset',
    Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  ],
  ['no error at all', 'thrown text'],
])('%s is a bug', (_, error) => {
  expect(asProblem(error)).toBeUndefined()
})

test('a bug tells nothing about itself, a passing trouble when to come back', () => {
  expect(internal().body().detail).toBe('Something went wrong on the server')
  expect(asProblem(new ConnectionLost('gone'))?.headers).toEqual({ 'retry-after': '1' })
})

test('every constraint has its problem', () => {
  for (const problem of Object.values(constraintProblems)) expect(problem()).toBeInstanceOf(Problem)
})

function databaseError(fields: { code: string; constraint?: string }): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('details', 0, 'error'), fields)
}
