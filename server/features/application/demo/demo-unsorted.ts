// The requests that wait in the demo account: two forms and a missed call.
import type { NewItem } from '../../records/unsorted/schema.ts'

const form = (at: number, id: string, name: string) => ({
  form_id: id,
  form_name: name,
  form_page: 'https://shop.example/contact',
  form_sent_at: at,
  ip: '192.0.2.9',
  referer: 'https://search.example/',
})

const phone = (value: string) => ({ field_code: 'PHONE', values: [{ value, enum_code: 'MOB' }] })
const email = (value: string) => ({ field_code: 'EMAIL', values: [{ value, enum_code: 'WORK' }] })

/** The items, the newest last; `at` is now, in Unix seconds. */
export const unsortedDrafts = (at: number): NewItem[] => [
  {
    category: 'forms',
    source_name: 'Shop',
    source_uid: 'demo-form-1',
    created_at: at - 90_000,
    metadata: form(at - 90_000, 'quote', 'Ask for a quote'),
    leads: [{ name: 'Lamps for a café', price: 1800, _embedded: { tags: [{ name: 'website' }] } }],
    contacts: [
      {
        first_name: 'Ines',
        last_name: 'Pereira',
        custom_fields_values: [email('ines@cafe.example')],
      },
    ],
    companies: [{ name: 'Café Central' }],
    notes: [{ type: 'leads', note_type: 'common', text: 'Twelve tables, opening in spring.' }],
  },
  {
    category: 'sip',
    source_name: 'Telephone system',
    source_uid: 'demo-call-1',
    created_at: at - 12_000,
    metadata: {
      from: '+351 210 555 014',
      phone: '+351 210 555 014',
      called_at: at - 12_000,
      duration: 0,
      service_code: 'pbx',
      uniq: 'demo-call-1',
      is_call_event_needed: true,
    },
    leads: [],
    contacts: [{ name: 'Unknown caller', custom_fields_values: [phone('+351 210 555 014')] }],
    companies: [],
    notes: [],
  },
  {
    category: 'forms',
    source_name: 'Shop',
    source_uid: 'demo-form-2',
    created_at: at - 3600,
    metadata: form(at - 3600, 'callback', 'Call me back'),
    leads: [],
    contacts: [
      { first_name: 'Tom', last_name: 'Okafor', custom_fields_values: [phone('+44 20 5550 0177')] },
    ],
    companies: [],
    notes: [],
  },
]
