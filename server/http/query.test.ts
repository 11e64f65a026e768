import { expect, test } from 'vitest'
import { badRequest } from './problem.ts'
import { brokenQuery, querystringParser } from './query.ts'

test('a query string that can be read has nothing to complain about', () => {
  const query = querystringParser('filter[id]=1')
  expect(query).toEqual({ filter: { id: '1' } })
  expect(brokenQuery(query)).toBeUndefined()
})

test('one that cannot is an empty query with a complaint beside it', () => {
  const query = querystringParser('filter[id=1')
  expect(query).toEqual({})
  expect(brokenQuery(query)).toEqual(
    badRequest('The brackets of the parameter "filter[id" do not match'),
  )
})
