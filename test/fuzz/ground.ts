// Where the fuzz takes place: an account with an administrator and a limited user, and beside it another account with things of its own
// that must stay as they are, and unseen. The ids of both are among those that are asked for.
import { newAccount } from '../account.ts'
import type { TestAccount } from '../account.ts'
import { idsOf, newMark, openTraces, rowsOf } from '../account-data.ts'
import { addGroup, mainPipeline } from '../leads.ts'
import { allKinds, needed } from '../records.ts'
import { newPair } from '../oauth.ts'
import type { RouteScope } from './headers.ts'

export interface Ground extends RouteScope {
  /** The traces of the other account that an answer gives away. */
  traces: Awaited<ReturnType<typeof openTraces>>
  /** Every row of the other account, as it was and as it is. */
  before: object
  now(): Promise<object>
}

/** Limits would answer most of the requests; they have tests of their own. */
export const withoutLimits = {
  rateLimitAddress: 0,
  rateLimitScope: 0,
  privateHooks: 'none',
} as const

export async function newGround(): Promise<Ground> {
  const [account, other] = [await newAccount(withoutLimits), await newAccount(withoutLimits)]
  const mark = newMark()
  const secrets = await seed(other, mark)
  await seed(account, 'Ours')
  const letters = { view: 'M', edit: 'M', add: 'A', delete: 'M', export: 'M' } as const
  const limited = await account.addUser({
    rights: { leads: letters, contacts: letters, companies: letters },
  })
  const [ownIds, foreign] = [await idsOf(account), await idsOf(other)]
  // Nothing asks for those who ask: whoever is shut out early learns little.
  ownIds['statuses'] = (await mainPipeline(account)).statuses
  ownIds['users'] = ownIds['users']!.filter(
    (id) => ![account.admin.id, limited.id].includes(Number(id)),
  )
  return {
    account,
    other,
    ownIds,
    ids: Object.fromEntries(
      Object.entries(ownIds).map(([kind, each]) => [kind, [...each, ...foreign[kind]!.slice(-4)]]),
    ),
    callers: {
      admin: `Bearer ${account.admin.token}`,
      limited: `Bearer ${limited.token}`,
      nobody: undefined,
    },
    traces: await openTraces(other, mark, secrets),
    before: await rowsOf(other),
    now: () => rowsOf(other),
  }
}

/** Some of everything; answers what nobody may see of it. Anybody may see the name of an integration, in the access-granting window. */
async function seed(account: TestAccount, mark: string): Promise<string[]> {
  const { addIntegration, addUser, api, integration } = account
  const responsible = await addUser({ name: `Somebody ${mark}`, password: 'Correct horse 1' })
  for (const kind of allKinds) {
    const draft = {
      ...needed(kind),
      name: `One ${mark}`,
      responsible_user_id: responsible.id,
      tags_to_add: [{ name: `A tag ${mark}` }],
    }
    const { body } = await api.post(
      `/api/v4/${kind}`,
      Array.from({ length: 10 }, () => draft),
    )
    const params = { text: `A note ${mark}` }
    await api.post(
      `/api/v4/${kind}/notes`,
      body._embedded[kind].map(({ id }: { id: number }) => ({
        entity_id: id,
        note_type: 'common',
        params,
      })),
    )
  }
  for (const kind of allKinds) {
    const path = `/api/v4/${kind}/custom_fields`
    const [text, list] = [
      { name: `A field ${mark}`, type: 'text' },
      { type: 'select', enums: [{ value: mark }] },
    ]
    await api.post(path, [text, text, text, { ...text, ...list }])
    await api.post(
      `${path}/groups`,
      [0, 1, 2].map((sort) => ({ name: `A group ${mark}`, sort })),
    )
  }
  await api.post(
    '/api/v4/roles',
    Array.from({ length: 5 }, () => ({ name: `A role ${mark}`, rights: {} })),
  )
  const some = Array.from({ length: 10 }, (_, index) => ({
    name: `One ${mark}`,
    external_id: `${mark} ${index}`,
  }))
  await api.post(
    '/api/v4/leads/loss_reasons',
    some.map(({ name }) => ({ name })),
  )
  await api.post('/api/v4/sources', some)
  for (const index of some.keys())
    await api.post('/api/v4/webhooks', {
      destination: `https://example.com/${mark}/${index}`,
      settings: ['add_lead'],
    })
  const { body: catalogs } = await api.post('/api/v4/catalogs', [
    { name: `A catalog ${mark}` },
    { name: `Another catalog ${mark}` },
  ])
  for (const { id } of catalogs._embedded.catalogs)
    await api.post(
      `/api/v4/catalogs/${id}/elements`,
      some.map(({ name }) => ({ name })),
    )
  for (let more = 0; more < 8; more++) {
    await addUser({ name: `Another ${mark}` })
    await addGroup(account)
    await newPair(account, await addIntegration({}))
  }
  const { access_token, refresh_token } = await newPair(account, integration)
  return [responsible.token, access_token, refresh_token]
}
