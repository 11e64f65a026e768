// The requests to the routes of files: each caller asks for an own upload, `other` for one of a colleague, and strangers for ours.
import { Readable } from 'node:stream'
import { addressOf, storeFile } from '../../server/features/activity/files/files.ts'
import type { Column } from '../routes.ts'
import { addField } from '../fields.ts'
import { addCatalog } from '../links.ts'
import { responsibleFor } from './fixture.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'
import { addRecord } from './seed.ts'

const path = '/web/v1/files'

function addFile({ account, callers, colleague, mark }: RouteFixture, column: Column) {
  const isOwn = !['nobody', 'alien', 'M-other', 'G-other', 'app', 'scope'].includes(column)
  const user = isOwn ? callers[column as 'admin'].user : colleague
  const actor = { accountId: account.id, userId: user.id, at: account.kontor.now() }
  const file = { name: `${mark}.txt`, type: 'text/plain' }
  return storeFile(account.kontor, actor, file, Readable.from([Buffer.from(mark)]))
}

export const fileRequests: Record<string, Prepare> = {
  [`GET ${path}/{id}`]: async (fixture, column) => ({
    path: `${path}/${(await addFile(fixture, column)).id}`,
  }),
  [`POST ${path}`]: () => ({ query: '?name=a.txt', body: 'a text' }),
  'GET /web/v1/cards/{type}/{id}/files/{field}': async (fixture, column) => {
    const { account, mark } = fixture
    const { uid, version_uid } = await addFile(fixture, column)
    const { id: field } = await addField(account, 'contacts', { type: 'file', name: mark })
    const value = { file_uuid: uid, version_uuid: version_uid }
    const id = await addRecord(fixture, 'contacts', responsibleFor(fixture, column))
    await account.api.patch(`/api/v4/contacts/${id}`, {
      custom_fields_values: [{ field_id: field, values: [{ value }] }],
    })
    return { path: `/web/v1/cards/contacts/${id}/files/${field}` }
  },
  'GET /web/v1/catalogs/{catalog_id}/elements/{id}/files/{field}': async (fixture, column) => {
    const { api } = fixture.account
    const { uid, version_uid } = await addFile(fixture, column)
    const path = `/api/v4/catalogs/${await addCatalog(api)}`
    const made = await api.post(`${path}/custom_fields`, [{ name: fixture.mark, type: 'file' }])
    const field: number = made.body._embedded.custom_fields[0].id
    const values = [{ value: { file_uuid: uid, version_uuid: version_uid } }]
    const added = await api.post(`${path}/elements`, [
      { name: 'An element', custom_fields_values: [{ field_id: field, values }] },
    ])
    const id: number = added.body._embedded.elements[0].id
    return { path: `${path.replace('/api/v4', '/web/v1')}/elements/${id}/files/${field}` }
  },
  'GET /files/{account}/{uid}/{name}': async (fixture, column) => {
    const { account } = fixture
    const address = new URL(addressOf(account.kontor, account.id, await addFile(fixture, column)))
    // An address opens its file to whoever has it: the alien has only guessed one.
    if (column === 'alien') address.searchParams.set('signature', '0'.repeat(64))
    return { path: decodeURI(address.pathname), query: address.search }
  },
}
