import { expect, test } from 'vitest'
import { badRequest } from './problem.ts'
import { querystringParser, readQuery } from './query.ts'

test('a query string is read when it is asked for, once', () => {
  const request: { query: unknown } = { query: querystringParser('filter[id]=1') }
  expect(request.query).toEqual({ text: 'filter[id]=1' })
  readQuery(request)
  expect(request.query).toEqual({ filter: { id: '1' } })
  const { query } = request
  readQuery(request)
  expect(request.query).toBe(query)
})

test('no query string is an empty query', () => {
  expect(querystringParser('')).toEqual({})
})

test('one that cannot be read is refused then, and not before', () => {
  const request = { query: querystringParser('filter[id=1') }
  expect(() => readQuery(request)).toThrow(
    badRequest('The brackets of the parameter "filter[id" do not match'),
  )
})
