import { Type } from 'typebox'
import type { Static, TSchema } from 'typebox'
import { singular } from '../../entity-types.ts'
import type { Singular } from '../../entity-types.ts'
import { Linked, UserId } from '../../records/schema.ts'
import { Id, Nullable, Timestamp } from '../../http/types.ts'
import { optionalCallParams, requiredCallParams } from '../notes/schema.ts'

/** Clients send null for what they leave out (entities reference, 25). */
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

const { uniq, link, call_result, call_status, call_responsible } = optionalCallParams

/** A call as its source tells of it (entities reference, 25). */
export const NewCall = Type.Object(
  {
    direction: Type.Enum(['inbound', 'outbound']),
    ...requiredCallParams,
    phone: {
      ...requiredCallParams.phone,
      description:
        'The number of the other side. Contacts and companies are found by its last ten digits, an extension left out',
    },
    uniq: orNull({
      ...uniq,
      description:
        'The name of the call at its source. The same call sent again is answered with its first note',
    }),
    link: orNull(link),
    call_result: orNull(call_result),
    call_status: orNull(call_status),
    call_responsible: orNull(call_responsible),
    responsible_user_id: orNull({
      ...UserId,
      description: 'By default the responsible user of the record that the call is put on',
    }),
    created_by: orNull({
      ...UserId,
      description: 'Who had the call; taken as `call_responsible` where none is sent',
    }),
    updated_by: orNull(UserId),
    created_at: orNull({ ...Timestamp, description: 'When the call took place' }),
    updated_at: orNull({
      ...Timestamp,
      description: 'Accepted but not stored: Kontor sets the time of the last write',
    }),
  },
  { additionalProperties: false },
)
export type NewCall = Static<typeof NewCall>

const request_id = Type.String()

/** A call that was stored: the note, and the record that it is on. */
const AddedCall = Type.Object({
  id: Type.Integer({ minimum: 1, description: 'Id of the note' }),
  entity_id: Id,
  entity_type: Type.Enum(Object.values(singular) as Singular[]),
  account_id: Id,
  request_id,
  _embedded: Type.Object({ entity: Linked }),
})

/** A call that was not stored. */
export const CallError = Type.Object({
  request_id,
  title: Type.String(),
  status: Type.Integer({
    description:
      '404: nobody has the phone, as far as the caller may see. 403: the caller may not edit the record that the call belongs to',
  }),
  detail: Type.String(),
})
export type CallError = Static<typeof CallError>

export const AddedCalls = Type.Object({
  _total_items: Type.Integer({ description: 'The number of calls that were stored' }),
  errors: Type.Array(CallError),
  _embedded: Type.Object({ calls: Type.Array(AddedCall) }),
})
