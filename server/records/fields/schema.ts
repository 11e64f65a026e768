// The shapes of custom field values in bodies and answers (interface: Custom field value; Values by
// type).
import type { Static } from 'typebox'
import { Type } from '../../http/type.ts'
import { Id, Nullable } from '../../http/types.ts'
import { Chain } from './chains.ts'
import { fieldTypes } from './types.ts'

const strict = { additionalProperties: false }

/** The most values of one field in a body. */
const mostValues = 250

/** One value in a body. Its keys and the type of `value` are checked once the field is known. */
const SentValue = Type.Object(
  {
    value: Type.Optional(
      Type.Unknown({
        description:
          'Depends on the field type: a text; a number, or its text; a boolean; a time in Unix seconds or RFC 3339; the text of a choice; an object',
      }),
    ),
    enum_id: Type.Optional(
      Nullable(
        Type.Integer({
          ...Id,
          description: 'Id of a choice, or of the type of a phone, an e-mail or an address part',
        }),
      ),
    ),
    enum_code: Type.Optional(
      Nullable(
        Type.String({ maxLength: 255, description: 'Code of the choice, if no enum_id is sent' }),
      ),
    ),
    enum: Type.Optional(
      Type.Union([Id, Type.String({ maxLength: 255 }), Type.Null()], {
        description: 'Legacy name: takes an enum_id or an enum_code',
      }),
    ),
    catalog_id: Type.Optional(Nullable(Id)),
    catalog_element_id: Type.Optional(Nullable(Id)),
  },
  strict,
)
export type SentValue = Static<typeof SentValue>

/**
 * `custom_fields_values` in a body: fields that are not named keep their values, named fields are
 * replaced as a whole.
 */
export const SentValues = Type.Array(
  Type.Object(
    {
      field_id: Type.Optional(Nullable(Id)),
      field_code: Type.Optional(
        Nullable(
          Type.String({ maxLength: 255, description: 'Code of the field, if no field_id is sent' }),
        ),
      ),
      field_name: Type.Optional(Type.Unknown({ description: 'Read-only' })),
      field_type: Type.Optional(Type.Unknown({ description: 'Read-only' })),
      values: Chain(
        Type.Array(SentValue, {
          maxItems: mostValues,
          description: 'null or an empty list clears the field',
        }),
        SentValue,
        mostValues,
      ),
    },
    strict,
  ),
  { maxItems: 250 },
)
export type SentValues = Static<typeof SentValues>

/** A filled field in an answer. */
export const FieldValue = Type.Object({
  field_id: Id,
  field_name: Type.String(),
  field_code: Nullable(Type.String()),
  field_type: Type.String({ description: `One of ${Object.keys(fieldTypes).join(', ')}` }),
  values: Type.Array(
    Type.Object({
      value: Type.Optional(
        Type.Unknown({
          description:
            'A text, which numbers are too; a boolean; a time in Unix seconds; an object. Absent in a chained list',
        }),
      ),
      enum_id: Type.Optional(Id),
      enum_code: Type.Optional(Nullable(Type.String())),
      catalog_id: Type.Optional(Id),
      catalog_element_id: Type.Optional(Id),
    }),
  ),
})
