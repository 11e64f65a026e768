// The types of notes that clients may write (interface: Note types), with their params and the
// event that each records. Where the event log has no type of its own for a note, it is
// service_note_added. All other types are written only by the system.
import type { TObject, TSchema } from 'typebox'
import { Type } from '../../../http/type.ts'
import { readOnly } from '../../../records/schema.ts'
import { LooseText, Name, Nullable, Text } from '../../../http/types.ts'
import { optionalCallParams, requiredCallParams } from '../calls/schema.ts'

interface NoteTypeFacts {
  params: TObject
  /** The event on the record of the note. */
  event: string
  /** Params that only answers add: accepted in a body and ignored. */
  shown?: readonly string[]
}

/** The most characters of a text. */
const longest = 65_535
/** The most elements of a list. */
const most = 250

const params = (properties: Record<string, TSchema>) =>
  Type.Object(properties, { additionalProperties: false })
const { Optional } = Type

const Prose = Name(longest)
const Word = Name(255)
/** The address of a recording or a page; signed addresses are long. */
const Address = Text(4096)
/** May be empty, since callers may hide their number. */
const Phone = LooseText(255)
const Whole = Type.Integer({ minimum: 0 })

const call = params({
  ...requiredCallParams,
  ...Type.Partial(Type.Object(optionalCallParams)).properties,
})
const service = params({ service: Word, text: Prose })
const sms = params({ text: Prose, phone: Phone })
const targeting = params({
  contacts: Type.Array(Type.Unknown(), { maxItems: most }),
  campaign: Word,
  service: Type.Enum(['facebook', 'vkontakte', 'mailchimp', 'adwords']),
})
const payment = params({ service: Word, text: Prose, icon_url: Optional(Address) })

const drive = ['original_name', 'text', 'is_drive_attachment'] as const

const noteTypes = {
  common: { params: params({ text: Prose }), event: 'common_note_added' },
  call_in: { params: call, event: 'incoming_call' },
  call_out: { params: call, event: 'outgoing_call' },
  service_message: { params: service, event: 'service_note_added' },
  extended_service_message: { params: service, event: 'service_note_added' },
  message_cashier: {
    params: params({ status: Type.Enum(['created', 'shown', 'canceled']), text: Prose }),
    event: 'message_to_cashier_note_added',
  },
  geolocation: {
    params: params({
      text: Optional(Text(longest)),
      address: Optional(Text(longest)),
      longitude: LooseText(255),
      latitude: LooseText(255),
    }),
    event: 'geo_note_added',
  },
  sms_in: { params: sms, event: 'incoming_sms' },
  sms_out: { params: sms, event: 'outgoing_sms' },
  attachment: {
    params: params({
      file_uuid: Type.String({ format: 'uuid' }),
      version_uuid: Optional(
        Nullable(Type.String({ format: 'uuid', description: 'The latest version by default' })),
      ),
      file_name: Word,
      ...readOnly(...drive),
    }),
    event: 'attachment_note_added',
    shown: drive,
  },
  site_visit: { params: params({ url: Name(4096) }), event: 'site_visit_note_added' },
  targeting_in: { params: targeting, event: 'targeting_in_note_added' },
  targeting_out: { params: targeting, event: 'targeting_out_note_added' },
  invoice_paid: { params: payment, event: 'service_note_added' },
  bill_paid: { params: payment, event: 'service_note_added' },
  zoom_meeting: {
    params: params({
      conference: Type.Unknown(),
      recordings: Optional(Type.Array(Type.Unknown(), { maxItems: most })),
    }),
    event: 'service_note_added',
  },
  ai_result: {
    params: params({
      text: Prose,
      answer_id: Optional(Type.Union([Whole, Text(255)])),
      talk_id: Optional(Whole),
      is_error: Optional(Type.Boolean()),
    }),
    event: 'service_note_added',
  },
} satisfies Record<string, NoteTypeFacts>

export type NoteType = keyof typeof noteTypes

export const noteTypeNames = Object.keys(noteTypes) as NoteType[]

export const noteTypeFacts = (type: NoteType): NoteTypeFacts => noteTypes[type]

export const isNoteType = (name: string): name is NoteType => Object.hasOwn(noteTypes, name)
