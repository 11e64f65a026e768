// Which changes others have overtaken; pure rules of cards, links and boards.
import { expect, test, vi } from 'vitest'

vi.stubGlobal('addEventListener', () => undefined)
vi.stubGlobal(
  'BroadcastChannel',
  class {
    name = 'kontor'
  },
)
vi.stubGlobal('document', {
  querySelector: () => null,
  getElementById: () => null,
  documentElement: { dataset: {} },
})
const { isOvertaken, isSameValue } = await import('../../web/data/conflicts.ts')
const { overtakenMembers, recordChange } = await import('../../web/crm/changes.ts')

test.each<[string, unknown, unknown, unknown, boolean]>([
  ['a value that nobody changed', 'a', 'a', 'b', false],
  ['a value that another changed', 'a', 'c', 'b', true],
  ['a value that another changed to the same', 'a', 'b', 'b', false],
  ['a field that another emptied', [{ value: 'a' }], null, [{ value: 'b' }], true],
  ['a field that another emptied as the user does', [{ value: 'a' }], null, null, false],
])('%s', (_, base, present, wanted, isLate) => {
  expect(isOvertaken(base, present, wanted)).toBe(isLate)
})

test.each<[unknown, unknown, boolean]>([
  [[{ value: ' a ' }], [{ value: 'a' }], true],
  [[{ value: 12 }], [{ value: '12' }], true],
  [[{ value: '+47', enum_id: 1 }], [{ value: '+47', enum_id: 1, enum_code: 'WORK' }], true],
  [[{ value: '+47', enum_id: 1 }], [{ value: '+47', enum_id: 2 }], false],
  [[{ value: { vat_id: '', name: 'A' } }], [{ value: { name: 'A' } }], true],
  [[], null, true],
  [[{ value: 'a' }, { value: 'b' }], [{ value: 'a' }], false],
  [0, null, false],
])('%j and %j are the same to a reader: %s', (one, other, isSame) => {
  expect(isSameValue(one, other)).toBe(isSame)
})

test('a move is overtaken by another move, and not by its own reason, its moments or tags', () => {
  const shown = { status_id: 1, pipeline_id: 5, loss_reason_id: null, closed_at: null, tags: [] }
  const change = recordChange(7, shown, {
    status_id: 143,
    pipeline_id: 5,
    loss_reason_id: 3,
    closed_at: 99,
    tags: [{ id: 1 }],
  })
  expect(Object.keys(change.after)).toEqual(['status_id', 'pipeline_id', 'loss_reason_id'])
  const now = { ...shown, loss_reason_id: 8, closed_at: 5, tags: [{ id: 2 }] }
  expect(overtakenMembers(change, now)).toEqual([])
  expect(overtakenMembers(change, { ...now, status_id: 2 })).toEqual(['status_id'])
  expect(overtakenMembers(change, { ...now, status_id: 143 })).toEqual([])
})
