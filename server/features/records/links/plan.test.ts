import { expect, test } from 'vitest'
import { planOf } from './plan.ts'
import type { Link, MovedLink } from './plan.ts'
import type { RecordRef } from '../../../records/link-rules.ts'

const lead: RecordRef = { type: 'leads', id: 1 }
const contact = (id: number): RecordRef => ({ type: 'contacts', id })
const company = (id: number): RecordRef => ({ type: 'companies', id })
/**
 * The existing links, the main one marked: `['10', '11 main']` are contacts, `['c5']` is a company.
 */
const read = (text: string): Link => {
  const [, kind, id, main] = /^(c?)(\d+)( main)?$/.exec(text)!
  return {
    holder: lead,
    linked: kind ? company(Number(id)) : contact(Number(id)),
    is_main: main !== undefined,
  }
}
const write = ({ linked, is_main, by }: MovedLink) =>
  `${linked.type === 'companies' ? 'c' : ''}${linked.id}${is_main ? ' main' : ''} by ${by}`

/**
 * Requests: `+10` links, `+10 main` makes it the main one, `-10` unlinks; each is made by the user
 * with its number, from 1.
 */
test.for<
  [
    there: string[],
    wishes: string[],
    moved: Partial<Record<'added' | 'removed' | 'flagged', string[]>>,
  ]
>([
  [[], ['+10', '+11'], { added: ['10 main by 1', '11 by 2'] }],
  [[], ['+10', '+11 main'], { added: ['10 by 2', '11 main by 2'] }],
  [[], ['+10', '-10'], {}],
  [['10 main'], ['+10', '+10 main'], {}],
  [['10 main'], ['-10', '+10'], {}],
  [['10 main', '11'], ['+11 main'], { flagged: ['10 by 1', '11 main by 1'] }],
  [['10 main', '11'], ['+11 main', '+10 main'], {}],
  [['10 main', '11', '12'], ['-10'], { removed: ['10 main by 1'], flagged: ['11 main by 1'] }],
  [['10', '11 main', '12'], ['-11'], { removed: ['11 main by 1'], flagged: ['10 main by 1'] }],
  [
    ['10 main', '11', '12'],
    ['-11', '-10'],
    { removed: ['10 main by 2', '11 by 1'], flagged: ['12 main by 2'] },
  ],
  // A lead whose main contact was purged while it was locked gets another with the next change.
  [['10', '11'], ['+12'], { added: ['12 by 1'], flagged: ['10 main by 1'] }],
  [['c5'], ['+c6'], { added: ['c6 by 1'], removed: ['c5 by 1'] }],
  [['c5'], ['+c6', '+c7'], { added: ['c7 by 2'], removed: ['c5 by 1'] }],
  [['c5'], ['+c6', '+c5'], {}],
  [['c5'], ['-c6', '-c5'], { removed: ['c5 by 2'] }],
])('of %j the wishes %j move %j', ([there, wishes, moved]) => {
  const plan = planOf(there.map(read))
  for (const [index, wish] of wishes.entries()) {
    const { holder, linked, is_main } = read(wish.slice(1))
    if (wish.startsWith('+')) expect(plan.link({ holder, linked }, is_main, index + 1)).toBe(true)
    else plan.unlink({ holder, linked }, index + 1)
  }
  const { added, removed, flagged } = plan.moved()
  expect({
    added: added.map(write),
    removed: removed.map(write),
    flagged: flagged.map(write),
  }).toEqual({
    added: [],
    removed: [],
    flagged: [],
    ...moved,
  })
})

test.for<[there: string[], wish: string, displaces: boolean]>([
  [[], '10 main', false],
  [['10 main'], '11', false],
  [['10 main'], '11 main', true],
  [['10 main'], '10 main', false],
  [['10', '11'], '11 main', false],
  [[], 'c5', false],
  [['c5'], 'c5', false],
  [['c5'], 'c6', true],
])('of %j the link %s displaces one: %s', ([there, wish, displaces]) => {
  const { holder, linked, is_main } = read(wish)
  const plan = planOf(there.map(read))
  expect(plan.displaces({ holder, linked }, is_main)).toBe(displaces)
  // Links of the same batch do not count as existing.
  for (const id of [20, 21]) plan.link({ holder, linked: contact(id) }, false, 1)
  expect(plan.displaces({ holder, linked }, is_main)).toBe(displaces)
})
