// The requests to the routes of notes; the alien asks by all that it could know.
import type { TestUser } from '../account.ts'
import type { Column } from '../routes.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import * as seed from './seed.ts'

interface Added {
  id: number
  entity_id: number
}

async function addNote(
  fixture: RouteFixture,
  kind: seed.Kind,
  responsible: TestUser,
): Promise<Added> {
  const entity_id = await seed.addRecord(fixture, kind, responsible)
  const draft = { entity_id, note_type: 'common', params: { text: `A note ${fixture.mark}` } }
  return (await fixture.account.api.post(`/api/v4/${kind}/notes`, [draft])).body._embedded.notes[0]
}

/** A call of a lead with a recording. */
const call =
  (path: string, tail: string, address: string): Prepare =>
  async (fixture, column) => {
    const lead = await seed.addRecord(fixture, 'leads', responsibleFor(fixture, column))
    const params = {
      duration: 1,
      source: 'pbx',
      phone: '1',
      link: `${address}/${fixture.mark}.mp3`,
    }
    const { body } = await fixture.account.api.post(`/api/v4/leads/${lead}/notes`, [
      { note_type: 'call_in', params },
    ])
    return { path: `${path}/${body._embedded.notes[0].id}${tail}` }
  }

export const fileOfNoteRequests: Record<string, Prepare> = {
  'GET /web/v1/notes/{id}/file': call('/web/v1/notes', '/file', 'https://pbx.example.com'),
  // No server is asked at a private address: who gets that far is told that it cannot be played.
  'GET /web/v1/recordings/notes/{id}': call('/web/v1/recordings/notes', '', 'http://10.0.0.1'),
}

export function noteRequests(kind: seed.Kind): Record<string, Prepare> {
  const path = `/api/v4/${kind}`
  const add = (fixture: RouteFixture, column: Column) =>
    addNote(fixture, kind, responsibleFor(fixture, column))
  const draft = { note_type: 'common', params: { text: 'Taken' } }
  const about = async (fixture: RouteFixture, column: Column) =>
    seed.addRecord(fixture, kind, responsibleFor(fixture, column))
  const one =
    (tail = '', body?: unknown): Prepare =>
    async (fixture, column) => ({
      path: `${path}/notes/${(await add(fixture, column)).id}${tail}`,
      body,
    })
  const oneOfRecord =
    (body?: unknown): Prepare =>
    async (fixture, column) => {
      const { id, entity_id } = await add(fixture, column)
      return { path: `${path}/${entity_id}/notes/${id}`, body }
    }
  return {
    [`GET ${path}/notes`]: async (fixture, column) => {
      const { callers, colleague, outsider } = fixture
      for (const user of [callers['M-own'].user, callers['G-own'].user, colleague])
        await addNote(fixture, kind, user)
      const { id, entity_id } = await addNote(fixture, kind, outsider)
      const byOurs = [
        `?filter[id]=${id}`,
        `?filter[entity_id]=${entity_id}`,
        `?page=2&after=${id - 1}`,
      ]
      return (column === 'alien' ? byOurs : ['?limit=250']).map((query) => ({
        query,
        list: { of: 'notes' },
      }))
    },
    [`GET ${path}/notes/{id}`]: one(),
    [`POST ${path}/notes`]: async (fixture, column) => ({
      body: [{ ...draft, entity_id: await about(fixture, column) }],
    }),
    [`PATCH ${path}/notes`]: async (fixture, column) => ({
      body: [{ id: (await add(fixture, column)).id, params: { text: 'Taken' } }],
    }),
    [`PATCH ${path}/notes/{id}`]: one('', { params: { text: 'Taken' } }),
    [`DELETE ${path}/notes/{id}`]: one(),
    [`POST ${path}/notes/{id}/pin`]: one('/pin'),
    [`POST ${path}/notes/{id}/unpin`]: one('/unpin'),
    [`GET ${path}/{entity_id}/notes`]: async (fixture, column) => ({
      path: `${path}/${(await add(fixture, column)).entity_id}/notes`,
    }),
    [`GET ${path}/{entity_id}/notes/{id}`]: oneOfRecord(),
    [`POST ${path}/{entity_id}/notes`]: async (fixture, column) => ({
      path: `${path}/${await about(fixture, column)}/notes`,
      body: [draft],
    }),
    [`PATCH ${path}/{entity_id}/notes`]: async (fixture, column) => {
      const { id, entity_id } = await add(fixture, column)
      return { path: `${path}/${entity_id}/notes`, body: [{ id, params: { text: 'Taken' } }] }
    },
    [`PATCH ${path}/{entity_id}/notes/{id}`]: oneOfRecord({ params: { text: 'Taken' } }),
    [`DELETE ${path}/{entity_id}/notes/{id}`]: oneOfRecord(),
  }
}
