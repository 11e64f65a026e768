// The requests to the version-2 routes of unsorted items. The alien names the pipeline and the items
// of the account.
import type { Column } from '../routes.ts'
import { mainPipeline } from '../leads.ts'
import type { Cast } from './cast.ts'
import type { Prepare } from './requests.ts'

const path = '/api/v2/incoming_leads'

let count = 0
const itemOf = ({ mark }: Cast) => ({
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
const callOf = (cast: Cast) => ({
  ...itemOf(cast),
  incoming_lead_info: {
    to: 1,
    from: '+15550100',
    date_call: 1_700_000_000,
    duration: 5,
    link: '',
    service_code: 'x',
    uniq: `${cast.mark} ${count}`,
    add_note: 1,
  },
})

/** The item itself, in the pipeline of the account where the alien sends it. */
async function sentBy(cast: Cast, column: Column, item: object) {
  if (column !== 'alien') return { body: { add: [item] } }
  return { body: { add: [{ ...item, pipeline_id: (await mainPipeline(cast.account)).id }] } }
}

async function addItem(cast: Cast): Promise<string> {
  return (await cast.account.api.post(`${path}/form`, { add: [itemOf(cast)] })).body.data[0]
}

export const incomingLeadRequests: Record<string, Prepare> = {
  [`GET ${path}`]: async (cast) => ({
    query: '?page_size=500&categories[]=forms&order_by[created_at]=desc',
    list: { of: 'items', holds: await addItem(cast) },
  }),
  [`GET ${path}/summary`]: () => ({ query: '?filter[date][from]=1' }),
  [`POST ${path}/sip`]: (cast, column) => sentBy(cast, column, callOf(cast)),
  [`POST ${path}/form`]: (cast, column) => sentBy(cast, column, itemOf(cast)),
  [`POST ${path}/accept`]: async (cast) => ({ body: { accept: [await addItem(cast)] } }),
  [`POST ${path}/decline`]: async (cast) => ({ body: { decline: [await addItem(cast)] } }),
}
