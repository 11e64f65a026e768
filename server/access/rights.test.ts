import fc from 'fast-check'
import { expect, test } from 'vitest'
import { actions, rightLevels, normalise, withUnsorted } from './rights.ts'
import type { RightLevel, RightsDraft } from './rights.ts'

/** Letters as one word: view, edit, add, delete, export. */
const word = (rights: Record<string, RightLevel>) =>
  actions.map((action) => rights[action] ?? '-').join('')
const sent = (text: string) =>
  Object.fromEntries(
    actions.map((action, index) => [action, text[index]]).filter(([, letter]) => letter !== '-'),
  )

test.each([
  ['AAAAA', 'AAAAA', 'all of it'],
  ['-----', 'DDDDD', 'what is not said is denied'],
  ['MA---', 'MMDDD', 'edit needs view'],
  ['AGAAA', 'AGAGA', 'delete needs edit'],
  ['GMAAA', 'GMAMG', 'delete needs edit, export needs view'],
  ['DAAAA', 'DDADD', 'adding needs nothing'],
  ['AAGAA', 'AADAA', 'adding is allowed or denied'],
  ['LAAAA', 'DDADD', 'no record is reached through a link'],
])('records: %s becomes %s: %s', (before, after) => {
  const rights = normalise({ leads: sent(before) })
  expect(word(rights.leads)).toBe(after)
  expect(word(rights.contacts)).toBe('DDDDD')
})

test.each([
  ['LA---', 'LLDDD'],
  ['GA---', 'DDDDD'],
  ['ALLAA', 'ALDLA'],
])('catalogs: %s becomes %s', (before, after) => {
  const { catalog_rights } = normalise({
    catalog_rights: [{ catalog_id: 1, rights: sent(before) }],
  })
  expect(word(catalog_rights[0]!.rights)).toBe(after)
})

test.each([
  ['AA-AA', 'AA-AA'],
  ['AG-A-', 'AD-D-'],
  ['DA-AA', 'DD-DD'],
])('statuses: %s becomes %s', (before, after) => {
  const stage = { entity_type: 'leads' as const, pipeline_id: 1, status_id: 2 }
  const { status_rights } = normalise({ status_rights: [{ ...stage, rights: sent(before) }] })
  expect(word(status_rights![0]!.rights)).toBe(after)
})

test('tasks are deleted by who may edit them', () => {
  expect(normalise({ tasks: { edit: 'M', delete: 'A' } }).tasks).toEqual({ edit: 'M', delete: 'M' })
})

test('statuses of unsorted leads are closed unless they are opened, and never exported', () => {
  const open = { view: 'A', edit: 'A', delete: 'A', export: 'A' } as const
  const rights = normalise({
    status_rights: [{ entity_type: 'leads', pipeline_id: 1, status_id: 10, rights: open }],
  })
  const unsorted = [
    { pipeline_id: 1, status_id: 10 },
    { pipeline_id: 2, status_id: 20 },
  ]
  expect(withUnsorted(rights, unsorted).status_rights).toEqual([
    {
      entity_type: 'leads',
      pipeline_id: 1,
      status_id: 10,
      rights: { view: 'A', edit: 'A', delete: 'A' },
    },
    {
      entity_type: 'leads',
      pipeline_id: 2,
      status_id: 20,
      rights: { view: 'D', edit: 'D', delete: 'D' },
    },
  ])
})

test('what is kept is whole, stays the same when it is sent again, and is never stronger than what was sent', () => {
  const letter = fc.constantFrom(...rightLevels)
  const some = (...names: string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, letter])), { requiredKeys: [] })
  const kind = some(...actions)
  const status = fc.record({
    entity_type: fc.constant('leads' as const),
    pipeline_id: fc.nat(3),
    status_id: fc.nat(3),
    rights: some('view', 'edit', 'delete', 'export'),
  })
  const drafts = fc.record(
    {
      leads: kind,
      contacts: kind,
      companies: kind,
      tasks: some('edit', 'delete'),
      status_rights: fc.option(fc.array(status, { maxLength: 3 })),
      catalog_rights: fc.array(
        fc.record({
          catalog_id: fc.nat(3),
          rights: kind,
        }),
        { maxLength: 3 },
      ),
      mail_access: fc.boolean(),
      catalog_access: fc.boolean(),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<RightsDraft>
  const strength = (each: RightLevel | undefined) => -rightLevels.indexOf(each ?? 'D')
  fc.assert(
    fc.property(drafts, (draft) => {
      const kept = normalise(draft)
      expect(normalise(kept)).toEqual(kept)
      for (const type of ['leads', 'contacts', 'companies', 'tasks'] as const)
        for (const [action, each] of Object.entries(kept[type]))
          expect(strength(each)).toBeLessThanOrEqual(strength(draft[type]?.[action as 'edit']))
      for (const [index, { rights }] of (kept.status_rights ?? []).entries())
        for (const [action, each] of Object.entries(rights))
          expect(strength(each)).toBeLessThanOrEqual(
            strength(draft.status_rights![index]!.rights[action as 'edit']),
          )
      for (const { view, edit, delete: remove, export: out } of [
        kept.leads,
        kept.contacts,
        kept.companies,
      ]) {
        expect(strength(edit)).toBeLessThanOrEqual(strength(view))
        expect(strength(remove)).toBeLessThanOrEqual(strength(edit))
        expect(strength(out)).toBeLessThanOrEqual(strength(view))
      }
    }),
  )
})
