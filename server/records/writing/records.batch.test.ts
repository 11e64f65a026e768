// Changing many contacts and companies in one request, and their tags.
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { faultsOf, listen } from '../../../test/leads.ts'
import {
  addRecord,
  addRecords,
  kinds,
  namesIn,
  pathOf,
  readRecord,
  tagNames,
} from '../../../test/records.ts'

describe.for(kinds)('%s', (kind) => {
  const path = pathOf(kind)

  test('a batch of changes is answered in its order; one bad item refuses it whole', async () => {
    const account = await newAccount()
    const { api } = account
    const theirs = await addRecord((await newAccount()).api, kind)
    const [a, b, c] = await addRecords(api, kind, [{ name: 'A' }, { name: 'B' }, { name: 'C' }])
    const newsSince = await listen(account)
    const refused = await api.patch(path, [
      { id: a, name: 'changed', tags_to_add: [{ name: 'made for nobody' }] },
      { id: theirs, name: 'changed', request_id: 'theirs' },
      { name: 'no id' },
      { id: b, name: 7 },
      { id: b, price: 7 },
      { id: b, responsible_user_id: 999_999_999 },
    ])
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      {
        theirs: ['EntityNotFound id'],
        2: ['FieldMissing id'],
        3: ['InvalidType name'],
        4: ['FieldNotExpected price'],
        5: ['NotSupportedChoice responsible_user_id'],
      },
    ])
    expect(await newsSince()).toEqual({ journal: [], events: [] })
    expect((await api.get(`${path}/tags`)).body._embedded.tags).toEqual([])

    const { status, body } = await api.patch(path, [
      { id: c, name: 'New C', request_id: 'last' },
      { id: String(a), name: 'New A' },
    ])
    const answered = body._embedded[kind].map(
      ({ id, request_id }: { id: number; request_id: string }) => [id, request_id],
    )
    expect([status, answered]).toEqual([
      200,
      [
        [c, 'last'],
        [a, '1'],
      ],
    ])
    expect(namesIn(await api.get(path), kind)).toEqual(['New A', 'B', 'New C'])
  })

  test('two items for one record count one after the other and are told as one change', async () => {
    const account = await newAccount()
    const id = await addRecord(account.api, kind, {
      name: 'One',
      _embedded: { tags: [{ name: 'a' }] },
    })
    const newsSince = await listen(account)
    const { body } = await account.api.patch(path, [
      { id, name: 'Two', tags_to_add: [{ name: 'b' }] },
      { id, name: 'Three', tags_to_delete: [{ name: 'b' }], tags_to_add: [{ name: 'c' }] },
    ])
    expect(body._embedded[kind]).toHaveLength(2)
    const record = await readRecord(account.api, kind, id)
    expect([record.name, ...tagNames(record)]).toEqual(['Three', 'a', 'c'])
    const { journal, events } = await newsSince()
    expect(journal).toMatchObject([{ entity_id: id, actions: ['update'], before: { name: 'One' } }])
    expect(events.map(({ type }) => type)).toEqual(['name_field_changed', 'entity_tag_added'])
  })

  test('tags are replaced by a list, added and deleted singly, detached by null, and belong to their kind', async () => {
    const { api } = await newAccount()
    const id = await addRecord(api, kind, {
      _embedded: { tags: [{ name: 'a' }, { name: ' B ' }, { name: 'A' }] },
    })
    const change = async (body: object) => {
      expect((await api.patch(`${path}/${id}`, body)).status).toBe(200)
      return tagNames(await readRecord(api, kind, id))
    }
    expect(await change({})).toEqual(['a', 'B'])
    expect(
      await change({
        tags_to_add: [{ name: 'c' }],
        tags_to_delete: [{ name: 'b' }, { name: 'nothing' }],
      }),
    ).toEqual(['a', 'c'])
    expect(await change({ _embedded: { tags: [{ name: 'd' }, { name: 'C' }] } })).toEqual([
      'd',
      'c',
    ])
    expect(await change({ _embedded: { tags: null } })).toEqual([])
    const { tags } = (await api.get(`${path}/tags`)).body._embedded
    expect(tags.map(({ name }: { name: string }) => name)).toEqual(['a', 'B', 'c', 'd'])
    // The same name is a different tag for another entity type.
    await addRecord(api, 'leads', { _embedded: { tags: [{ name: 'a' }] } })
    const [ofLeads] = (await api.get('/api/v4/leads/tags')).body._embedded.tags
    expect(tags[0].id).not.toBe(ofLeads.id)
    expect(faultsOf(await api.patch(path, [{ id, tags_to_add: [{ id: ofLeads.id }] }]))).toEqual({
      0: ['NotSupportedChoice tags_to_add.0.id'],
    })
  })

  test('batches that overlap in opposite order are all taken, each whole', async () => {
    const { api } = await newAccount()
    const ids = await addRecords(
      api,
      kind,
      Array.from({ length: 12 }, () => ({})),
    )
    for (let round = 1; round <= 4; round++) {
      const calls = Array.from({ length: 8 }, (_, caller) => {
        const order = caller % 2 ? ids : ids.toReversed()
        const tags_to_add = ['x', 'y', 'z'].map((name) => ({ name: `${name} ${round}` }))
        return api.patch(
          path,
          order.map((id) => ({ id, name: `${round} ${caller}`, tags_to_add })),
        )
      })
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
      expect(new Set(namesIn(await api.get(path), kind)).size).toBe(1)
    }
    for (const record of (await api.get(path)).body._embedded[kind])
      expect(tagNames(record)).toHaveLength(12)
  })
})
