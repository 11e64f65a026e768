// The events that a webhook can ask for (interface: Webhook event names), each with the journaled
// change that causes it.
import type { JournalAction } from '../../../changes/entity.ts'
import type { JournaledType } from '../../../entity-types.ts'

/** `entity action`, as a journal row has them. */
type Cause = `${JournaledType} ${JournalAction}`

/** Null for an event that nothing causes yet. */
const causes = {
  add_lead: 'leads add',
  update_lead: 'leads update',
  delete_lead: 'leads delete',
  restore_lead: 'leads restore',
  status_lead: 'leads status',
  responsible_lead: 'leads responsible',
  note_lead: 'leads note',
  add_contact: 'contacts add',
  update_contact: 'contacts update',
  delete_contact: 'contacts delete',
  restore_contact: 'contacts restore',
  responsible_contact: 'contacts responsible',
  note_contact: 'contacts note',
  add_company: 'companies add',
  update_company: 'companies update',
  delete_company: 'companies delete',
  restore_company: 'companies restore',
  responsible_company: 'companies responsible',
  note_company: 'companies note',
  add_customer: 'customers add',
  update_customer: 'customers update',
  delete_customer: 'customers delete',
  responsible_customer: 'customers responsible',
  note_customer: 'customers note',
  add_task: 'tasks add',
  update_task: 'tasks update',
  delete_task: 'tasks delete',
  responsible_task: 'tasks responsible',
  add_catalog_element: 'catalog_elements add',
  update_catalog_element: 'catalog_elements update',
  delete_catalog_element: null,
  add_unsorted: 'unsorted_items add',
  update_unsorted: 'unsorted_items update',
  delete_unsorted: 'unsorted_items delete',
  add_message: 'messages add',
  add_outgoing_message: 'messages send',
  add_talk: 'talks add',
  update_talk: 'talks update',
  add_chat_template_review: null,
} as const satisfies Record<string, Cause | null>

export type EventName = keyof typeof causes
/** All names, in the order in which documents show them. */
export const eventNames = Object.keys(causes) as EventName[]

export const isEventName = (name: string): name is EventName => Object.hasOwn(causes, name)

/** The name of the event that an action of a journal row is; undefined if no webhook can ask for it. */
export function eventNameOf(entity_type: string, action: string): EventName | undefined {
  return namesByCause.get(`${entity_type} ${action}`)
}

const namesByCause = new Map<string | null, EventName>(
  eventNames.flatMap((name) => (causes[name] === null ? [] : [[causes[name], name]])),
)
