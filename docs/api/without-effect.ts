// The members of bodies that are accepted without effect, and why: a part of docs/compatibility.md. test/routes/effects.test.ts sends every
// member of every body, and finds nothing without effect but what stands here and what the OpenAPI document marks as read-only.

export interface WithoutEffect {
  /** The last keys of the member; `[]` stands for the items of a list. */
  member: string
  /** The member that counts where both are sent; alone, this one has its effect. */
  beside?: string
  /** The requests, as `PATCH /api/v4/leads`; `*` stands for any part of a path, and `**` for any rest. */
  requests: string[]
  why: string
}

const all = ['** /api/**']
const changes = ['PATCH /api/**']

export const withoutEffect: WithoutEffect[] = [
  {
    member: 'custom_fields_values[].field_name',
    requests: all,
    why: '`field_id` or `field_code` names the field.',
  },
  {
    member: 'custom_fields_values[].field_type',
    requests: all,
    why: 'The field has its type.',
  },
  {
    member: 'custom_fields_values[].field_code',
    beside: 'custom_fields_values[].field_id',
    requests: all,
    why: 'The id names the field.',
  },
  {
    member: 'values[].enum_code',
    beside: 'values[].enum_id',
    requests: all,
    why: 'The id names the option.',
  },
  {
    member: 'values[].enum',
    beside: 'values[].enum_id',
    requests: all,
    why: 'It is an older name of `enum_id` and `enum_code`.',
  },
  {
    member: 'values[].enum',
    beside: 'values[].enum_code',
    requests: all,
    why: 'It is an older name of `enum_id` and `enum_code`.',
  },
  {
    member: 'values[].value',
    beside: 'values[].enum_id',
    requests: all,
    why: 'The id names the option, and the option has the text.',
  },
  {
    member: 'values[].value',
    beside: 'values[].enum_code',
    requests: all,
    why: 'The code names the option, and the option has the text.',
  },
  {
    member: 'tags_to_add[].color',
    requests: all,
    why: 'A color belongs to the tag. `PATCH /api/v4/leads/tags` sets it.',
  },
  {
    member: 'tags_to_delete[].color',
    requests: changes,
    why: 'The id or the name names the tag.',
  },
  {
    member: '_embedded.tags[].color',
    requests: all,
    why: 'A color belongs to the tag. `PATCH /api/v4/leads/tags` sets it.',
  },
  { member: 'tags[].name', beside: 'tags[].id', requests: all, why: 'The id names the tag.' },
  {
    member: 'tags_to_add[].name',
    beside: 'tags_to_add[].id',
    requests: all,
    why: 'The id names the tag.',
  },
  {
    member: 'tags_to_delete[].name',
    beside: 'tags_to_delete[].id',
    requests: changes,
    why: 'The id names the tag.',
  },
  {
    member: 'tags_to_add',
    beside: '_embedded.tags',
    requests: all,
    why: 'The list of all tags says which tags the record has.',
  },
  {
    member: 'tags_to_delete',
    beside: '_embedded.tags',
    requests: changes,
    why: 'The list of all tags says which tags the record has.',
  },
  {
    member: 'color',
    requests: [
      '** /api/v4/contacts/tags**',
      '** /api/v4/companies/tags**',
      '** /api/v4/customers/tags**',
    ],
    why: 'Only tags of leads have a color.',
  },
  {
    member: 'visitor_uid',
    requests: ['** /api/v4/leads**'],
    why: 'Kontor has no statistics of visitors.',
  },
  {
    member: 'closed_at',
    requests: ['** /api/v4/leads**'],
    why: 'Only a lead that is won or lost has been closed.',
  },
  {
    member: 'source.type',
    requests: ['POST /api/v4/leads', 'POST /api/v4/leads/complex'],
    why: 'The external id names the source.',
  },
  {
    member: 'contacts[].is_main',
    requests: ['POST /api/**'],
    why: 'The only contact is the main one.',
  },
  {
    member: 'updated_at',
    requests: changes,
    why: 'It counts only between the stored time and now, so that an old copy does not move a record into the past.',
  },
  {
    member: 'updated_at',
    requests: ['POST /api/v4/calls', 'POST /api/v4/*/notes', 'POST /api/v4/*/*/notes'],
    why: 'The note bears the time at which it is written.',
  },
  {
    member: 'is_need_to_trigger_digital_pipeline',
    requests: ['** /api/v4/*/notes**', '** /api/v4/*/*/notes**'],
    why: 'No automatic actions follow notes.',
  },
  {
    member: 'metadata.is_main',
    requests: ['POST /api/v4/*/link', 'POST /api/v4/*/*/link'],
    why: 'The only contact is the main one.',
  },
  {
    member: 'metadata.is_main',
    requests: ['POST /api/v4/*/unlink', 'POST /api/v4/*/*/unlink'],
    why: 'The link goes, whatever it is.',
  },
  {
    member: 'metadata.quantity',
    requests: ['POST /api/v4/*/unlink', 'POST /api/v4/*/*/unlink'],
    why: 'The link goes, whatever it is.',
  },
  {
    member: 'metadata.price_id',
    requests: ['POST /api/v4/*/unlink', 'POST /api/v4/*/*/unlink'],
    why: 'The link goes, whatever it is.',
  },
  {
    member: 'descriptions[].id',
    requests: [
      'POST /api/v4/leads/pipelines',
      'POST /api/v4/leads/pipelines/{pipeline_id}/statuses',
    ],
    why: 'A new status has no descriptions yet.',
  },
  {
    member: 'sort',
    beside: 'is_main',
    requests: ['PATCH /api/v4/leads/pipelines/{id}'],
    why: 'The main pipeline comes first.',
  },
  {
    member: 'statuses[].type',
    beside: 'statuses[].id',
    requests: ['POST /api/v4/leads/pipelines'],
    why: 'The id says that the status is that of won or of lost leads.',
  },
  {
    member: 'statuses[].color',
    beside: 'statuses[].id',
    requests: ['POST /api/v4/leads/pipelines'],
    why: 'The statuses of won and of lost leads have colors of their own.',
  },
  {
    member: 'statuses[].color',
    beside: 'statuses[].type',
    requests: ['POST /api/v4/leads/pipelines'],
    why: 'The status of unsorted leads has a color of its own.',
  },
  {
    member: 'nested[].request_id',
    requests: ['** /api/v4/catalogs/{catalog_id}/custom_fields**'],
    why: 'It counts where the `parent_request_id` of another option names it.',
  },
  {
    member: 'notes[].note_type',
    requests: ['POST /api/v2/incoming_leads/*'],
    why: 'The note is a text.',
  },
  {
    member: 'values[].subtype',
    requests: ['POST /api/v2/incoming_leads/*'],
    why: 'It counts in fields of addresses.',
  },
  {
    member: 'contacts[].company_name',
    requests: ['POST /api/v2/incoming_leads/*'],
    why: 'It counts where the item has no company of its own.',
  },
  {
    member: 'request_id',
    requests: ['POST /api/v4/customers/segments'],
    why: 'The answer is the segment alone.',
  },
  {
    member: 'force_close',
    requests: ['POST /api/v4/talks/{id}/close'],
    why: 'No bot asks before the end.',
  },
  {
    member: 'payload',
    beside: 'event_type',
    requests: ['POST /v2/origin/custom/{scope_id}'],
    why: 'A new message whose `msgid` is known has been published before, and stays as it is.',
  },
  {
    member: 'emoji',
    beside: 'type',
    requests: ['POST /v2/origin/custom/{scope_id}/react'],
    why: 'A reaction is taken back whatever it is.',
  },
  {
    member: 'rights',
    beside: 'rights.is_free',
    requests: ['POST /api/v4/users'],
    why: 'Such a user has no rights.',
  },
  {
    member: 'source',
    requests: ['POST /v2/origin/custom/{scope_id}', 'POST /v2/origin/custom/{scope_id}/chats'],
    why: 'It counts where the integration of the channel has such a source.',
  },
  {
    member: 'payload.id',
    requests: ['POST /v2/origin/custom/{scope_id}'],
    why: 'It names the message of an edit. A new message has none.',
  },
  {
    member: 'sender.ref_id',
    requests: ['POST /v2/origin/custom/{scope_id}'],
    why: 'It names a user or the bot. A message without a receiver comes from a client, whom `id` names.',
  },
  {
    member: 'user.ref_id',
    requests: ['POST /v2/origin/custom/{scope_id}/chats'],
    why: 'The chat belongs to a client, whom `id` names.',
  },
]
