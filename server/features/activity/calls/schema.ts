import type { Static, TSchema } from 'typebox'
import { singular } from '../../../entity-types.ts'
import type { Singular } from '../../../entity-types.ts'
import { Type } from '../../../http/type.ts'
import { Linked, UserId } from '../../../records/schema.ts'
import { Id, LooseText, Name, Nullable, Text, Timestamp } from '../../../http/types.ts'

/**
 * 1 left a message, 2 call back later, 3 not available, 4 talked, 5 wrong number, 6 no answer, 7
 * busy, 8 undefined.
 */
const CallStatus = Type.Union(Array.from({ length: 8 }, (_, index) => Type.Literal(index + 1)))

/** The params that every call has. */
export const requiredCallParams = {
  duration: Type.Integer({ minimum: 0, description: 'In seconds' }),
  source: Name(255),
  // Empty where the caller hides the number.
  phone: LooseText(255),
}

/** Those that a call may leave out. */
export const optionalCallParams = {
  uniq: Text(255),
  link: Text(4096),
  call_responsible: Type.Union([Type.Integer({ minimum: 0 }), Text(255)], {
    description: 'A user id, a phone number or a name',
  }),
  call_result: Text(65_535),
  call_status: CallStatus,
}

/** Clients send null for what they leave out (interface: Call). */
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

const eachOrNull = <Schemas extends Record<string, TSchema>>(schemas: Schemas) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, orNull(schema)])) as {
    [Name in keyof Schemas]: ReturnType<typeof orNull<Schemas[Name]>>
  }

/** A call as its source tells of it (interface: Call). */
export const NewCall = Type.Object(
  {
    direction: Type.Enum(['inbound', 'outbound']),
    ...requiredCallParams,
    phone: {
      ...requiredCallParams.phone,
      description:
        'The number of the other side. Contacts and companies are found by its last ten digits, an extension left out',
    },
    ...eachOrNull(optionalCallParams),
    uniq: orNull({
      ...optionalCallParams.uniq,
      description:
        'The name of the call at its source. The same call sent again is answered with its first note',
    }),
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
