// A right to a status says of each action what may be done there, also to records of one's own.
import { expect, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { admin } from '../../test/plans.ts'
import { may } from './record-rights.ts'
import { normalise } from './rights.ts'
import type { RightsDraft } from './rights.ts'

const all = { view: 'A', edit: 'A', add: 'A', delete: 'A' } as const

test.each([
  [{ view: 'A', edit: 'A', delete: 'A' }, [200, 200, 204]],
  [{ view: 'A', edit: 'A', delete: 'D' }, [200, 200, 403]],
  [{ view: 'A', edit: 'D', delete: 'D' }, [200, 403, 403]],
  [{ view: 'D', edit: 'D', delete: 'D' }, [403, 403, 403]],
] as const)(
  'with %j for a status, reading, changing and deleting a lead there answer %j',
  async (rights, answers) => {
    const account = await newAccount()
    const [pipeline] = (await account.api.get('/api/v4/leads/pipelines')).body._embedded.pipelines
    const { id: status_id } = pipeline._embedded.statuses.find(
      ({ name }: { name: string }) => name === 'Discussions',
    )
    const place = { pipeline_id: pipeline.id, status_id }
    const user = await account.addUser({
      rights: { leads: all, status_rights: [{ entity_type: 'leads', ...place, rights }] },
    })
    const drafts = [
      { ...place, responsible_user_id: user.id },
      place,
      { responsible_user_id: user.id },
    ]
    const [own, foreign, elsewhere] = (await account.api.post('/api/v4/leads', drafts)).body
      ._embedded.leads
    const tried = async ({ id }: { id: number }) => [
      (await user.api.get(`/api/v4/leads/${id}`)).status,
      (await user.api.patch(`/api/v4/leads/${id}`, { price: 5 })).status,
      (await user.api.delete(`/api/v4/leads/${id}`)).status,
    ]
    expect([await tried(own), await tried(foreign)]).toEqual([answers, answers])
    expect(await tried(elsewhere)).toEqual([200, 200, 204])
  },
)

test.each<[RightsDraft['leads'], 'A' | 'D']>([
  [{ view: 'D' }, 'A'],
  [{ view: 'A' }, 'D'],
  [{ view: 'M' }, 'A'],
])(
  'the text of a condition does not grow with the pipelines that rights name: %j, %s',
  (leads, letter) => {
    const text = (count: number) => {
      const status_rights = Array.from({ length: count }, (_, n) => ({
        entity_type: 'leads' as const,
        pipeline_id: 1000 + n,
        status_id: 5000 + n,
        rights: { view: letter, edit: letter, delete: letter },
      }))
      const actor = { ...admin, isAdmin: false, rights: normalise({ leads, status_rights }) }
      return may(actor, 'leads', 'view').text
    }
    expect(text(41)).toBe(text(1))
  },
)
