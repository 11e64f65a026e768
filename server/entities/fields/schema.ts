// The shapes of custom field values in bodies and answers (specification, Custom field value; entities reference, 16).
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { Id, Nullable } from '../../http/types.ts'

const strict = { additionalProperties: false }

/** One value as it is sent. Which keys a type takes, and what `value` may be, is checked where the field is known. */
const SentValue = Type.Object(
  {
    value: Type.Optional(Type.Unknown({ description: 'Text, number, boolean, time in Unix seconds, or an object, by type' })),
    enum_id: Type.Optional(Nullable(Id)),
    enum_code: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
    enum: Type.Optional(Type.Union([Id, Type.String({ maxLength: 255 }), Type.Null()], { description: 'Older name of both' })),
    catalog_id: Type.Optional(Nullable(Id)),
    catalog_element_id: Type.Optional(Nullable(Id)),
  },
  strict,
)
export type SentValue = Static<typeof SentValue>

/** `custom_fields_values` as it is sent: fields that are not named keep their values, named ones are replaced as a whole. */
export const SentValues = Type.Array(
  Type.Object(
    {
      field_id: Type.Optional(Nullable(Id)),
      field_code: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
      field_name: Type.Optional(Type.Unknown({ description: 'Read only' })),
      field_type: Type.Optional(Type.Unknown({ description: 'Read only' })),
      values: Nullable(Type.Array(SentValue, { maxItems: 250, description: 'null or none clears the field' })),
    },
    strict,
  ),
  { maxItems: 250 },
)
export type SentValues = Static<typeof SentValues>

/** A filled field as it is read. */
export const FieldValue = Type.Object({
  field_id: Id,
  field_name: Type.String(),
  field_code: Nullable(Type.String()),
  field_type: Type.String(),
  values: Type.Array(
    Type.Object({
      value: Type.Optional(Type.Unknown()),
      enum_id: Type.Optional(Id),
      enum_code: Type.Optional(Nullable(Type.String())),
      catalog_id: Type.Optional(Id),
      catalog_element_id: Type.Optional(Id),
    }),
  ),
})
