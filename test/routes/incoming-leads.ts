// The requests to the version-2 routes of unsorted items. The alien names the pipeline and the items
// of the account.
import type { Column } from '../routes.ts'
import { mainPipeline } from '../leads.ts'
import type { RouteFixture } from './fixture.ts'
import type { Prepare } from './requests.ts'

const path = '/api/v2/incoming_leads'

let count = 0
const itemOf = ({ mark }: RouteFixture) => ({
  source_name: `A form ${mark}`,
  source_uid: `${mark} ${++count}`,
  incoming_entities: {
    leads: [{ name: `A lead ${mark}`, notes: [{ note_type: 4, text: 'A note' }], tags: 'a,b' }],
    contacts: [
      {
        name: `A contact ${mark}`,
        custom_fields: [{ code: 'PHONE', values: [{ value: '+15550100', enum: 'MOB' }] }],
      },
    ],
    companies: [{ name: `A company ${mark}` }],
  },
  incoming_lead_info: { form_id: 1, form_page: 'x', ip: '192.0.2.1', service_code: 'x' },
})
const callOf = (fixture: RouteFixture) => ({
  ...itemOf(fixture),
  incoming_lead_info: {
    to: 1,
    from: '+15550100',
    date_call: 1_700_000_000,
    duration: 5,
    link: '',
    service_code: 'x',
    uniq: `${fixture.mark} ${count}`,
    add_note: 1,
  },
})

/** The item itself, in the pipeline of the account where the alien sends it. */
async function sentBy(fixture: RouteFixture, column: Column, item: object) {
  if (column !== 'alien') return { body: { add: [item] } }
  return { body: { add: [{ ...item, pipeline_id: (await mainPipeline(fixture.account)).id }] } }
}

async function addItem(fixture: RouteFixture): Promise<string> {
  return (await fixture.account.api.post(`${path}/form`, { add: [itemOf(fixture)] })).body.data[0]
}

export const incomingLeadRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (fixture) => ({
    query: '?page_size=500&categories[]=forms&order_by[created_at]=desc',
    list: { of: 'items', holds: await addItem(fixture) },
  }),
  [`GET ${path}/summary`]: () => ({ query: '?filter[date][from]=1' }),
  [`POST ${path}/sip`]: (fixture, column) => sentBy(fixture, column, callOf(fixture)),
  [`POST ${path}/form`]: (fixture, column) => sentBy(fixture, column, itemOf(fixture)),
  [`POST ${path}/accept`]: async (fixture) => ({ body: { accept: [await addItem(fixture)] } }),
  [`POST ${path}/decline`]: async (fixture) => ({ body: { decline: [await addItem(fixture)] } }),
}
