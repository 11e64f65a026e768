// The events that each write causes (interface: Side effects of writes), oldest first: the entity type of the event,
// and its type. A row is a route, and after a colon what a request changes, where that decides. {records} stands for
// leads, contacts, companies and customers, and {record} for their singular; a row that names one of them stands for
// that one instead. test/events.test.ts asks every row.
import { entityTypes, singular } from '../../server/entity-types.ts'

const table = `
POST /api/v4/{records}                                              | {record} {record}_added
POST /api/v4/leads: contacts and companies                          | lead lead_added, lead contact_linked, lead company_linked, contact lead_linked, company lead_linked
POST /api/v4/contacts: companies                                    | contact contact_added, contact company_linked, company contact_linked
POST /api/v4/customers: contacts                                    | customer customer_added, customer contact_linked, contact customer_linked

PATCH /api/v4/{records}: name                                       | {record} name_field_changed
PATCH /api/v4/{records}/{id}: name                                  | {record} name_field_changed
PATCH /api/v4/{records}/{id}: responsible_user_id                   | {record} entity_responsible_changed
PATCH /api/v4/{records}/{id}: tags_to_add                           | {record} entity_tag_added
PATCH /api/v4/{records}/{id}: tags_to_delete                        | {record} entity_tag_deleted
PATCH /api/v4/{records}/{id}: tags                                  | {record} entity_tag_added, {record} entity_tag_deleted
PATCH /api/v4/{records}/{id}: custom_fields_values                  | {record} custom_field_{id}_value_changed
PATCH /api/v4/{records}/{id}: the same values                       | nothing
PATCH /api/v4/{records}/{id}: created_by and updated_at             | nothing
PATCH /api/v4/leads/{id}: price                                     | lead sale_field_changed
PATCH /api/v4/leads/{id}: status_id                                 | lead lead_status_changed
PATCH /api/v4/leads/{id}: loss_reason_id                            | nothing
PATCH /api/v4/leads/{id}: everything                                | lead name_field_changed, lead sale_field_changed, lead lead_status_changed, lead entity_responsible_changed, lead entity_tag_added
PATCH /api/v4/contacts/{id}: first_name                             | contact name_field_changed
PATCH /api/v4/customers/{id}: status_id                             | customer customer_status_changed
PATCH /api/v4/customers/{id}: next_date                             | customer customer_status_changed
PATCH /api/v4/customers/{id}: next_price, periodicity and segments  | nothing
DELETE /api/v4/{records}/{id}                                       | {record} {record}_deleted
POST /web/v1/users/{id}/handover: a record of {records}             | {record} entity_responsible_changed
POST /api/v4/{records}/{id}/restore                                 | {record} {record}_restored
POST /api/v4/customers/{id}/restore                                 | nothing

POST /web/v1/merges                                                 | contact entity_merged, contact contact_deleted
POST /web/v1/merges/{id}/undo                                       | contact contact_restored

POST /api/v4/leads/complex                                          | lead lead_added, company company_added, lead contact_linked, lead company_linked, contact lead_linked, contact company_linked, company lead_linked, company contact_linked
POST /api/v2/incoming_leads/accept                                  | lead lead_added, contact contact_added, company company_added, lead contact_linked, lead company_linked, contact lead_linked, contact company_linked, company lead_linked, company contact_linked, lead common_note_added
POST /api/v4/leads/complex: a duplicate                             | lead entity_merged

POST /api/v4/leads/unsorted/{uid}/link                              | contact contact_added, lead contact_linked, contact lead_linked
POST /v2/origin/custom/{scope_id}: a message of the client          | lead incoming_chat_message
POST /v2/origin/custom/{scope_id}: a message of the bot             | lead outgoing_chat_message
POST /v2/origin/custom/{scope_id}: a silent message                 | nothing

POST /api/v4/leads/unsorted/sip                                     | nothing
POST /api/v4/leads/unsorted/forms                                   | nothing
POST /api/v4/leads/unsorted/{uid}/accept                            | lead lead_added, contact contact_added, company company_added, lead contact_linked, lead company_linked, contact lead_linked, contact company_linked, company lead_linked, company contact_linked
POST /api/v4/leads/unsorted/{uid}/accept: a form without parts      | lead lead_added
POST /api/v4/leads/unsorted/{uid}/accept: a call with its note      | lead lead_added, contact contact_added, company company_added, lead contact_linked, lead company_linked, contact lead_linked, contact company_linked, company lead_linked, company contact_linked, lead incoming_call, contact incoming_call, company incoming_call
PATCH /api/v4/leads/{id}: out of the unsorted status                | lead lead_added, contact contact_added, company company_added, lead contact_linked, lead company_linked, contact lead_linked, contact company_linked, company lead_linked, company contact_linked
DELETE /api/v4/leads/unsorted/{uid}/decline                         | nothing

POST /web/v1/chats/{id}/messages                                    | contact outgoing_chat_message
POST /web/v1/chats/{id}/messages: of a lead                         | lead outgoing_chat_message
POST /api/v4/talks/{id}/send_message                                | contact outgoing_chat_message

POST /api/v4/leads/{id}/link                                        | lead contact_linked, contact lead_linked
POST /api/v4/leads/{id}/unlink                                      | lead contact_unlinked, contact lead_unlinked
POST /api/v4/leads/link                                             | lead contact_linked, contact lead_linked
POST /api/v4/leads/unlink                                           | lead contact_unlinked, contact lead_unlinked
POST /api/v4/contacts/{id}/link                                     | contact company_linked, company contact_linked
POST /api/v4/contacts/{id}/unlink                                   | contact company_unlinked, company contact_unlinked
POST /api/v4/contacts/link                                          | contact company_linked, company contact_linked
POST /api/v4/contacts/unlink                                        | contact company_unlinked, company contact_unlinked
POST /api/v4/companies/{id}/link                                    | company lead_linked, lead company_linked
POST /api/v4/companies/{id}/unlink                                  | company lead_unlinked, lead company_unlinked
POST /api/v4/companies/link                                         | company lead_linked, lead company_linked
POST /api/v4/companies/unlink                                       | company lead_unlinked, lead company_unlinked
POST /api/v4/customers/{id}/link                                    | customer contact_linked, contact customer_linked
POST /api/v4/customers/{id}/unlink                                  | customer contact_unlinked, contact customer_unlinked
POST /api/v4/customers/link                                         | customer contact_linked, contact customer_linked
POST /api/v4/customers/unlink                                       | customer contact_unlinked, contact customer_unlinked
POST /api/v4/{records}/{id}/link: an element                        | {record} entity_linked
POST /api/v4/{records}/{id}/unlink: an element                      | {record} entity_unlinked
POST /api/v4/leads/{id}/link: a company in place of another         | lead company_unlinked, lead company_linked, company lead_unlinked, company lead_linked
POST /api/v4/leads/{id}/link: another main contact                  | nothing

POST /api/v4/catalogs/{catalog_id}/elements                         | nothing
PATCH /api/v4/catalogs/{catalog_id}/elements: name                  | catalog_{id} name_field_changed
PATCH /api/v4/catalogs/{catalog_id}/elements/{id}: name             | catalog_{id} name_field_changed
PATCH /api/v4/catalogs/{catalog_id}/elements/{id}: values           | catalog_{id} custom_field_{id}_value_changed
POST /api/v4/catalogs/{catalog_id}/elements/{id}/link: a lead       | lead entity_linked
POST /api/v4/catalogs/{catalog_id}/elements/{id}/link: a quantity   | nothing
POST /api/v4/catalogs/{catalog_id}/elements/{id}/unlink             | lead entity_unlinked

POST /api/v4/{records}/notes: common                                | {record} common_note_added
POST /api/v4/{records}/{entity_id}/notes: common                    | {record} common_note_added
POST /api/v4/leads/notes: call_in                                   | lead incoming_call
POST /api/v4/leads/notes: call_out                                  | lead outgoing_call
POST /api/v4/leads/notes: sms_in                                    | lead incoming_sms
POST /api/v4/leads/notes: sms_out                                   | lead outgoing_sms
POST /api/v4/leads/notes: attachment                                | lead attachment_note_added
POST /api/v4/leads/notes: geolocation                               | lead geo_note_added
POST /api/v4/leads/notes: service_message                           | lead service_note_added
POST /api/v4/leads/notes: extended_service_message                  | lead service_note_added
POST /api/v4/leads/notes: message_cashier                           | lead message_to_cashier_note_added
POST /api/v4/leads/notes: site_visit                                | lead site_visit_note_added
POST /api/v4/leads/notes: targeting_in                              | lead targeting_in_note_added
POST /api/v4/leads/notes: targeting_out                             | lead targeting_out_note_added
POST /api/v4/leads/notes: invoice_paid                              | lead service_note_added
POST /api/v4/leads/notes: bill_paid                                 | lead service_note_added
POST /api/v4/leads/notes: zoom_meeting                              | lead service_note_added
POST /api/v4/leads/notes: ai_result                                 | lead service_note_added
DELETE /api/v4/{records}/notes/{id}                                 | {record} common_note_deleted
DELETE /api/v4/{records}/{entity_id}/notes/{id}                     | {record} common_note_deleted

POST /api/v4/calls: inbound                                         | contact incoming_call
POST /api/v4/calls: outbound                                        | contact outgoing_call
POST /api/v4/calls: to a lead                                       | lead incoming_call

POST /api/v4/tasks                                                  | task task_added
POST /api/v4/tasks: a completed one with a result                   | task task_added, task task_completed, task task_result_added
PATCH /api/v4/tasks: text                                           | task task_text_changed
PATCH /api/v4/tasks/{id}: text                                      | task task_text_changed
PATCH /api/v4/tasks/{id}: complete_till                             | task task_deadline_changed
PATCH /api/v4/tasks/{id}: task_type_id                              | task task_type_changed
PATCH /api/v4/tasks/{id}: responsible_user_id                       | task entity_responsible_changed
PATCH /api/v4/tasks/{id}: result                                    | task task_result_added
PATCH /api/v4/tasks/{id}: is_completed                              | task task_completed
PATCH /api/v4/tasks/{id}: is_completed and result                   | task task_completed, task task_result_added
PATCH /api/v4/tasks/{id}: entity_id and duration                    | nothing
DELETE /api/v4/tasks/{id}                                           | task task_deleted

POST /api/v4/customers/{customer_id}/transactions                   | customer transaction_added, customer ltv_field_changed, customer customer_status_changed
POST /api/v4/customers/{customer_id}/transactions: a price of 0     | customer transaction_added, customer customer_status_changed
DELETE /api/v4/customers/transactions/{id}                          | customer ltv_field_changed, customer customer_status_changed
DELETE /api/v4/customers/{customer_id}/transactions/{id}            | customer ltv_field_changed, customer customer_status_changed

DELETE /api/v4/leads/pipelines/{pipeline_id}/statuses/{id}          | nothing
DELETE /api/v4/leads/pipelines/{pipeline_id}/statuses/{id}: a lead  | lead lead_status_changed
DELETE /api/v4/customers/statuses/{id}                              | nothing
DELETE /api/v4/customers/statuses/{id}: a customer                  | customer customer_status_changed
DELETE /api/v4/{records}/tags/{id}: a tag of a record               | nothing
DELETE /api/v4/{records}/custom_fields/{id}: a field with a value   | nothing
`

/** Writes that cause no event. */
const silent = `
PATCH /api/v4/{records}/notes
PATCH /api/v4/{records}/notes/{id}
POST /api/v4/{records}/notes/{id}/pin
POST /api/v4/{records}/notes/{id}/unpin
PATCH /api/v4/{records}/{entity_id}/notes
PATCH /api/v4/{records}/{entity_id}/notes/{id}

POST /api/v4/{records}/tags
PATCH /api/v4/{records}/tags
PATCH /api/v4/{records}/tags/{id}

POST /api/v4/{records}/custom_fields
PATCH /api/v4/{records}/custom_fields
PATCH /api/v4/{records}/custom_fields/{id}
POST /api/v4/{records}/custom_fields/groups
PATCH /api/v4/{records}/custom_fields/groups/{id}
DELETE /api/v4/{records}/custom_fields/groups/{id}
POST /api/v4/customers/segments/custom_fields
PATCH /api/v4/customers/segments/custom_fields
PATCH /api/v4/customers/segments/custom_fields/{id}
DELETE /api/v4/customers/segments/custom_fields/{id}
POST /web/v1/fields/{entity}/{id}/move
POST /web/v1/fields/{entity}/groups/{id}/move
PUT /web/v1/fields/{entity}/{id}/stages/{list}/{pipeline_id}/{status_id}
DELETE /web/v1/fields/{entity}/{id}/stages/{list}/{pipeline_id}/{status_id}
POST /web/v1/fields/{entity}/{id}/enums
PATCH /web/v1/fields/{entity}/{id}/enums/{enum_id}
POST /web/v1/fields/{entity}/{id}/enums/{enum_id}/move
DELETE /web/v1/fields/{entity}/{id}/enums/{enum_id}
POST /web/v1/fields/{entity}/{id}/categories
PATCH /web/v1/fields/{entity}/{id}/categories/{category_id}
POST /web/v1/fields/{entity}/{id}/categories/{category_id}/move
DELETE /web/v1/fields/{entity}/{id}/categories/{category_id}
POST /api/v4/catalogs/{catalog_id}/custom_fields
PATCH /api/v4/catalogs/{catalog_id}/custom_fields
PATCH /api/v4/catalogs/{catalog_id}/custom_fields/{id}
DELETE /api/v4/catalogs/{catalog_id}/custom_fields/{id}
POST /api/v4/catalogs/{catalog_id}/custom_fields/groups
PATCH /api/v4/catalogs/{catalog_id}/custom_fields/groups/{id}
DELETE /api/v4/catalogs/{catalog_id}/custom_fields/groups/{id}

POST /api/v4/catalogs
PATCH /api/v4/catalogs
PATCH /api/v4/catalogs/{id}
POST /web/v1/catalogs/{id}/move
PATCH /api/v4/catalogs/products/settings

POST /api/v4/leads/pipelines
PATCH /api/v4/leads/pipelines/{id}
DELETE /api/v4/leads/pipelines/{id}
POST /api/v4/leads/pipelines/{pipeline_id}/statuses
PATCH /api/v4/leads/pipelines/{pipeline_id}/statuses/{id}
PUT /web/v1/pipelines/{id}/archive
DELETE /web/v1/pipelines/{id}/archive
POST /web/v1/pipelines/{id}/copy
PATCH /web/v1/pipelines/{pipeline_id}/statuses/{id}
POST /web/v1/pipelines/{pipeline_id}/statuses/{id}/move
POST /api/v4/leads/loss_reasons
PATCH /api/v4/leads/loss_reasons/{id}
DELETE /api/v4/leads/loss_reasons/{id}
POST /web/v1/loss-reasons
PATCH /web/v1/loss-reasons/{id}
POST /web/v1/loss-reasons/{id}/move
DELETE /web/v1/loss-reasons/{id}
POST /api/v4/sources
PATCH /api/v4/sources
PATCH /api/v4/sources/{id}
DELETE /api/v4/sources
DELETE /api/v4/sources/{id}

POST /api/v4/customers/statuses
PATCH /api/v4/customers/statuses/{id}
PATCH /web/v1/customers/statuses/{id}
POST /web/v1/customers/statuses/{id}/move
POST /api/v4/customers/segments
PATCH /api/v4/customers/segments/{id}
DELETE /api/v4/customers/segments/{id}
PUT /web/v1/customers/segments/{id}/conditions
POST /api/v4/customers/{id}/bonus_points

POST /api/v4/users
POST /api/v4/users/activate
POST /api/v4/users/deactivate
PATCH /web/v1/users/{id}
POST /web/v1/groups
PATCH /web/v1/groups/{id}
DELETE /web/v1/groups/{id}
POST /web/v1/presence
POST /web/v1/views
PATCH /web/v1/views/{id}
DELETE /web/v1/views/{id}
PUT /web/v1/views/{id}/pin
DELETE /web/v1/views/{id}/pin
POST /web/v1/bulk
POST /web/v1/definition-jobs
POST /web/v1/jobs/{id}/cancel
POST /web/v1/jobs/{id}/undo
POST /web/v1/task-types
PATCH /web/v1/task-types/{id}
POST /web/v1/task-types/{id}/move
DELETE /web/v1/task-types/{id}
POST /api/v4/roles
PATCH /api/v4/roles/{id}
DELETE /api/v4/roles/{id}

POST /login
POST /logout
POST /setup
POST /reset/{token}
POST /invite/{token}
POST /oauth
POST /oauth2/access_token
POST /web/v1/setup
DELETE /web/v1/demo-data
POST /web/v1/session
DELETE /web/v1/session
DELETE /web/v1/sessions
DELETE /web/v1/sessions/{id}
POST /web/v1/password
POST /web/v1/users/{id}/reset-link
POST /web/v1/password-resets/{token}
POST /web/v1/invitations
POST /web/v1/invitations/several
POST /web/v1/invitations/{id}/link
DELETE /web/v1/invitations/{id}
POST /web/v1/invites/{token}
POST /web/v1/second-factor
POST /web/v1/second-factor/confirm
POST /web/v1/second-factor/recovery-codes
DELETE /web/v1/second-factor
DELETE /web/v1/users/{id}/second-factor
PATCH /web/v1/profile
PATCH /web/v1/preferences
PATCH /web/v1/account-settings
PUT /web/v1/account-logo
DELETE /web/v1/account-logo
POST /web/v1/integrations
PATCH /web/v1/integrations/{client_id}
DELETE /web/v1/integrations/{client_id}
POST /web/v1/integrations/{client_id}/secret
POST /web/v1/integrations/{client_id}/secret/read
PUT /web/v1/integrations/{client_id}/installation
DELETE /web/v1/integrations/{client_id}/installation
POST /web/v1/integrations/{client_id}/code
POST /web/v1/integrations/{client_id}/token
DELETE /web/v1/integrations/{client_id}/grants/{id}
POST /web/v1/webhooks/{id}/deliveries/{delivery_id}/replay
POST /web/v1/webhooks/{id}/deliveries/replay
POST /web/v1/webhooks/{id}/test
POST /web/v1/webhooks/{id}/secret
DELETE /web/v1/webhooks/{id}/secret
POST /web/v1/webhooks/unbuilt/replay
POST /web/v1/notifications/read
POST /web/v1/channels
PATCH /web/v1/channels/{id}
DELETE /web/v1/channels/{id}
POST /web/v1/channels/{id}/secret
POST /web/v1/channels/{id}/try
POST /web/v1/channels/{id}/signature
POST /v2/origin/custom/{channel_id}/connect
DELETE /v2/origin/custom/{channel_id}/disconnect
POST /web/v1/chats/{id}/read
POST /web/v1/chats/{id}/unread
POST /web/v1/chats/{id}/close
POST /web/v1/chat-templates
PATCH /web/v1/chat-templates/{id}
POST /web/v1/chat-templates/{id}/move
DELETE /web/v1/chat-templates/{id}
POST /api/v4/talks/{id}/close
POST /api/v4/contacts/chats
POST /web/v1/chats
POST /web/v1/messages/{id}/send-again
POST /v2/origin/custom/{scope_id}/{msgid}/delivery_status
POST /v2/origin/custom/{scope_id}
POST /v2/origin/custom/{scope_id}/chats
POST /v2/origin/custom/{scope_id}/typing
POST /v2/origin/custom/{scope_id}/react
POST /web/v1/files
POST /web/v1/api-keys
DELETE /web/v1/api-keys/{id}
DELETE /web/v1/account/api-keys/{id}

PATCH /api/v4/customers/mode


POST /api/v4/webhooks
DELETE /api/v4/webhooks
POST /api/v2/webhooks/subscribe
POST /api/v2/webhooks/unsubscribe
PATCH /web/v1/webhooks/{id}

POST /api/v2/incoming_leads/sip
POST /api/v2/incoming_leads/form
POST /api/v2/incoming_leads/decline
`

export interface EventsOfWrite {
  /** As the table has it, with its route and what the request changes. */
  row: string
  route: string
  /** `lead lead_added` */
  events: string[]
}

export const eventsOfWrites: EventsOfWrite[] = [
  ...ofEachType(table).map((line) => {
    const [row, events] = line.split('|').map((cell) => cell.trim()) as [string, string]
    return {
      row,
      route: row.split(': ', 1)[0]!,
      events: events === 'nothing' ? [] : events.split(', '),
    }
  }),
  ...ofEachType(silent).map((row) => ({ row, route: row, events: [] })),
]

/** The lines of a table, with those of {records} once for each type. */
function ofEachType(lines: string): string[] {
  const all = lines.split('\n').filter(Boolean)
  const rowOf = (line: string) => line.split('|', 1)[0]!.trim()
  const named = new Set(all.map(rowOf))
  return all.flatMap((line) => {
    if (!line.includes('{records}')) return line
    const ofTypes = entityTypes.map((type) =>
      line.replaceAll('{records}', type).replaceAll('{record}', singular[type]),
    )
    return ofTypes.filter((each) => !named.has(rowOf(each)))
  })
}
