import { beforeAll, describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import type { TestAccount } from '../../../test/account.ts'
import { addNote, addNotes, notesIn, text } from '../../../test/notes.ts'
import { addRecords, letters } from '../../../test/records.ts'

const sms = { note_type: 'sms_in', params: { text: 'x', phone: '1' } }
const geo = { note_type: 'geolocation', params: { longitude: '1', latitude: '2' } }

describe('filters and orders', () => {
  let account: TestAccount
  let [one, two, three] = [0, 0, 0]
  let ids: number[]
  let now: number

  // Four notes, changed 10 seconds apart, the latest first.
  beforeAll(async () => {
    account = await newAccount()
    const { api, clock, kontor } = account
    ;[one, two, three] = (await addRecords(api, 'leads', letters(3))) as [number, number, number]
    now = kontor.now()
    ids = []
    for (const [place, [lead, draft]] of (
      [
        [one, text('a')],
        [one, sms],
        [two, text('b')],
        [two, geo],
      ] as const
    ).entries()) {
      clock.ahead = now + 1000 - 10 * place - Math.floor(Date.now() / 1000)
      ids.push(await addNote(api, 'leads', lead, draft))
    }
    clock.ahead = 0
    await api.post(`/api/v4/leads/notes/${ids[1]}/pin`)
  })

  const find = async (query: string, record?: number) =>
    notesIn(
      await account.api.get(
        `/api/v4/leads/${record === undefined ? '' : `${record}/`}notes?${query}`,
      ),
    ).map((id) => ids.indexOf(id))

  test('notes are found by ids, records, types and the time of their change', async () => {
    expect(await find('')).toEqual([0, 1, 2, 3])
    expect(await find(`filter[id]=${ids[2]}`)).toEqual([2])
    expect(
      await find(`filter[id][]=${ids[2]}&filter[id][]=${ids[0]}&filter[id][]=999999999`),
    ).toEqual([0, 2])
    expect(await find(`filter[entity_id][]=${two}`)).toEqual([2, 3])
    expect(await find(`filter[entity_id][]=${two}&filter[entity_id][]=${one}`)).toEqual([
      0, 1, 2, 3,
    ])
    expect(
      await find(
        `filter[entity_id][]=${two}&filter[entity_id][]=${two}&filter[entity_id][]=${three}`,
      ),
    ).toEqual([2, 3])
    expect(await find(`filter[entity_id]=${three}`)).toEqual([])
    expect(await find('filter[note_type]=common')).toEqual([0, 2])
    expect(await find('filter[note_type][]=sms_in&filter[note_type][]=geolocation')).toEqual([1, 3])
    expect(await find('filter[note_type]=sms_in,common')).toEqual([0, 1, 2])
    expect(await find('filter[note_type]=amomail_message')).toEqual([])
    expect(await find(`filter[entity_id]=${one}&filter[note_type]=sms_in`)).toEqual([1])
  })

  test('one time finds what was changed after it, a range has both its ends', async () => {
    const middle = (await account.api.get(`/api/v4/leads/notes/${ids[1]}`)).body.updated_at
    expect(await find(`filter[updated_at]=${middle}`)).toEqual([0])
    expect(await find(`filter[updated_at]=${middle - 1}`)).toEqual([0, 1])
    expect(await find(`filter[updated_at][from]=${middle}`)).toEqual([0, 1])
    expect(await find(`filter[updated_at][to]=${middle}`)).toEqual([1, 2, 3])
    expect(
      await find(`filter[updated_at][from]=${middle}&filter[updated_at][to]=${middle}`),
    ).toEqual([1])
  })

  test('they come in the order of ids or of changes, either way', async () => {
    expect(await find('order[id]=desc')).toEqual([3, 2, 1, 0])
    expect(await find('order[updated_at]=asc')).toEqual([3, 2, 1, 0])
    expect(await find('order[updated_at]=desc')).toEqual([0, 1, 2, 3])
  })

  test('those of one record are found by the same filters', async () => {
    expect(await find('', one)).toEqual([0, 1])
    expect(await find('order[updated_at]=asc', two)).toEqual([3, 2])
    expect(await find('filter[note_type]=common', two)).toEqual([2])
    expect(await find(`filter[id]=${ids[0]}`, two)).toEqual([])
    expect(await find('', three)).toEqual([])
  })

  test('with=is_pinned says which are pinned', async () => {
    const pinned = async (path: string) =>
      (await account.api.get(path)).body._embedded.notes.map(
        ({ is_pinned }: { is_pinned?: boolean }) => is_pinned,
      )
    expect(await pinned('/api/v4/leads/notes?with=is_pinned')).toEqual([false, true, false, false])
    expect(await pinned(`/api/v4/leads/${one}/notes?with=nothing,is_pinned`)).toEqual([false, true])
    expect(await pinned('/api/v4/leads/notes')).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test.for([
    ['filter[text]=x', 'filter[text]'],
    ['filter[id]=x', 'filter[id][0]'],
    ['filter[id]=0', 'filter[id][0]'],
    ['filter[entity_id]=x', 'filter[entity_id][0]'],
    ['filter[note_type]=', 'filter[note_type]'],
    ['filter[updated_at]=soon', 'filter[updated_at]'],
    ['filter[updated_at][after]=1', 'filter[updated_at][after]'],
    ['order[created_at]=asc', 'order[created_at]'],
    ['order[id]=up', 'order[id]'],
    ['order[id]=asc&order[updated_at]=asc', 'order'],
    ['page=0', 'page'],
    ['limit=0', 'limit'],
  ] as const)('%s is refused, and the parameter named', async ([query, parameter]) => {
    for (const path of ['/api/v4/leads/notes', `/api/v4/leads/${one}/notes`]) {
      const { status, body } = await account.api.get(`${path}?${query}`)
      expect(status).toBe(400)
      const expected =
        path.includes(`${one}`) && parameter.includes('entity_id') ? 'filter[entity_id]' : parameter
      expect(body['validation-errors'][0].errors[0].path).toBe(expected)
    }
  })

  test('500 records may be named, not one more; those of one record are not asked for by record', async () => {
    const named = (count: number) =>
      Array.from({ length: count }, (_, place) => `filter[entity_id][]=${one + place}`).join('&')
    expect((await account.api.get(`/api/v4/leads/notes?${named(500)}`)).status).toBe(200)
    expect((await account.api.get(`/api/v4/leads/notes?${named(501)}`)).status).toBe(400)
    expect(
      (await account.api.get(`/api/v4/leads/${one}/notes?filter[entity_id]=${one}`)).status,
    ).toBe(400)
  })
})

test('a walk by links or by page numbers comes by every note once, in every order', async () => {
  const { api } = await newAccount()
  const leads = await addRecords(api, 'leads', letters(3))
  const all: number[] = []
  for (const lead of leads)
    all.push(
      ...(await addNotes(
        api,
        'leads',
        lead,
        Array.from({ length: 90 }, () => text('x')),
      )),
    )
  for (const order of [
    '',
    '&order[id]=desc',
    '&order[updated_at]=asc',
    '&order[updated_at]=desc',
  ]) {
    const expected = order.includes('desc') ? all.toReversed() : all
    const linked: number[] = []
    for (let next = `/api/v4/leads/notes?limit=100${order}`; next;) {
      const answer = await api.get(next)
      linked.push(...notesIn(answer))
      next = answer.body._links.next?.href
    }
    expect(linked).toEqual(expected)
    const counted: number[] = []
    for (let page = 1; page <= 6; page++)
      counted.push(...notesIn(await api.get(`/api/v4/leads/notes?limit=50&page=${page}${order}`)))
    expect(counted).toEqual(expected)
  }
  const most = await api.get('/api/v4/leads/notes?limit=1000')
  expect(notesIn(most)).toHaveLength(250)
  expect(most.body._links.self.href).toContain('limit=250')
  expect(notesIn(await api.get('/api/v4/leads/notes?page=9'))).toEqual([])
})
