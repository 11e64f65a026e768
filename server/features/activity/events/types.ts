// The types of the event log: the numeric code of each (interface: Event log types), and the
// structure of its values (values.ts).
import type { Singular } from '../../../entity-types.ts'
import type { Structure } from './values.ts'

interface EventTypeFacts {
  code: number
  /** None where no source describes the values. Kontor writes no events of such a type. */
  value?: Structure
}

export const eventTypes = {
  lead_added: { code: 1, value: 'note' },
  lead_deleted: { code: 7, value: 'nothing' },
  lead_restored: { code: 10, value: 'nothing' },
  lead_status_changed: { code: 14, value: 'lead_status' },
  lead_linked: { code: 80, value: 'link' },
  lead_unlinked: { code: 84, value: 'unlink' },
  contact_added: { code: 2, value: 'note' },
  contact_deleted: { code: 8, value: 'nothing' },
  contact_restored: { code: 11, value: 'nothing' },
  contact_linked: { code: 81, value: 'link' },
  contact_unlinked: { code: 85, value: 'unlink' },
  company_added: { code: 3, value: 'note' },
  company_deleted: { code: 9, value: 'nothing' },
  company_restored: { code: 12, value: 'nothing' },
  company_linked: { code: 82, value: 'link' },
  company_unlinked: { code: 86, value: 'unlink' },
  customer_added: { code: 20, value: 'note' },
  customer_deleted: { code: 53, value: 'nothing' },
  customer_status_changed: { code: 57, value: 'customer_status' },
  customer_linked: { code: 83, value: 'link' },
  customer_unlinked: { code: 87, value: 'unlink' },
  task_added: { code: 49, value: 'nothing' },
  task_deleted: { code: 51, value: 'nothing' },
  task_completed: { code: 29, value: 'nothing' },
  task_type_changed: { code: 76, value: 'task_type' },
  task_text_changed: { code: 77, value: 'task' },
  task_deadline_changed: { code: 78, value: 'task_deadline' },
  task_result_added: { code: 33, value: 'note' },
  incoming_call: { code: 17, value: 'note' },
  outgoing_call: { code: 30, value: 'note' },
  incoming_chat_message: { code: 89, value: 'message' },
  outgoing_chat_message: { code: 90, value: 'message' },
  incoming_sms: { code: 41, value: 'note' },
  outgoing_sms: { code: 42, value: 'note' },
  entity_tag_added: { code: 63, value: 'tag_added' },
  entity_tag_deleted: { code: 64, value: 'tag_deleted' },
  entity_linked: { code: 72, value: 'link' },
  entity_unlinked: { code: 73, value: 'unlink' },
  sale_field_changed: { code: 69, value: 'sale_field_value' },
  name_field_changed: { code: 70, value: 'name_field_value' },
  ltv_field_changed: { code: 88, value: 'ltv_field_value' },
  custom_field_value_changed: { code: 24, value: 'custom_field_value' },
  entity_responsible_changed: { code: 25, value: 'responsible_user' },
  robot_replied: { code: 74, value: 'helpbot' },
  intent_identified: { code: 75, value: 'helpbot' },
  nps_rate_added: { code: 91, value: 'nps' },
  link_followed: { code: 59, value: 'note' },
  transaction_added: { code: 26, value: 'transaction' },
  common_note_added: { code: 27, value: 'note' },
  common_note_deleted: { code: 79, value: 'note' },
  attachment_note_added: { code: 28, value: 'note' },
  targeting_in_note_added: { code: 31, value: 'note' },
  targeting_out_note_added: { code: 32, value: 'note' },
  geo_note_added: { code: 38, value: 'note' },
  service_note_added: { code: 39, value: 'note' },
  site_visit_note_added: { code: 18, value: 'note' },
  message_to_cashier_note_added: { code: 60, value: 'note' },
  key_action_completed: { code: 116, value: 'nothing' },
  entity_merged: { code: 92, value: 'nothing' },

  // Programs may ask for these types of the interface, but nothing causes them.
  incoming_mail: { code: 16 },
  dropbox_attachment: { code: 40 },
  invoice_paid: { code: 62 },
  entity_segment_attached: { code: 94 },
  entity_segment_detached: { code: 95 },
  zoom_conference: { code: 96 },
  video_opened: { code: 97 },
  video_closed: { code: 98 },
  picture_opened: { code: 99 },
  picture_closed: { code: 100 },
  segment_created: { code: 101 },
  invoice_created: { code: 118 },
  talk_created: { code: 119 },
  talk_closed: { code: 120 },
  talk_missed_event: { code: 122 },
  conversation_answered: { code: 135 },
  meta_chat_subscription_added: { code: 136 },
  meta_chat_subscription_removed: { code: 137 },
  entity_direct_message: { code: 150 },
  page_mention: { code: 151 },
  outgoing_mail: { code: 152 },
  ai_result: { code: 153 },
} as const satisfies Record<string, EventTypeFacts>

export type EventType = keyof typeof eventTypes

/** The types that stand on one sort of entity, besides those that begin with its name. */
const alone: Partial<Record<EventType, Singular>> = {
  sale_field_changed: 'lead',
  ltv_field_changed: 'customer',
  transaction_added: 'customer',
}
const ofCatalogs: EventType[] = ['name_field_changed', 'custom_field_value_changed']

/**
 * Whether events of a type may stand on an entity type. The event log looks nowhere else for them,
 * and test/events.test.ts finds no event elsewhere.
 */
export function mayStandOn(type: EventType, entity: string): boolean {
  if (entity.startsWith('catalog_')) return ofCatalogs.includes(type)
  if (entity === 'task') return type.startsWith('task_') || type === 'entity_responsible_changed'
  if (type.startsWith('task_')) return false
  const of = alone[type] ?? ofItself.exec(type)?.[1]
  return of === undefined || of === entity
}

/** Links are told on the other record. */
const ofItself = /^(lead|contact|company|customer)_(?:added|deleted|restored|status_changed)$/

export const eventTypeNames = Object.keys(eventTypes) as EventType[]

/** The types whose events Kontor writes, or will. */
export const writtenTypes = eventTypeNames.filter((type) => 'value' in eventTypes[type])

export const isEventType = (name: string): name is EventType => Object.hasOwn(eventTypes, name)

export const eventTypeFacts = (type: EventType): EventTypeFacts => eventTypes[type]
