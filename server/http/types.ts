// The types that all schemas of the interface are built from. Their bounds refuse values that
// PostgreSQL cannot store.
import type { TSchema } from 'typebox'
import { Type } from './type.ts'

/** The id of a record: 1 to 2^53-1. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** A whole number that JavaScript and `bigint` both hold exactly. */
export const SafeInteger = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})

/** The end of the year 9999. */
export const latestTime = 253_402_300_799
/** Unix seconds, up to the end of the year 9999. */
export const Timestamp = Type.Integer({ minimum: 0, maximum: latestTime })

/** A price in whole units. A fraction is cut off (interface: Type leniency). */
export const Price = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, 'x-cut': true })

/**
 * Text of at most `max` characters (code points). The parsers have already refused U+0000 and lone
 * surrogates.
 */
export const Text = (max: number) => Type.String({ maxLength: max })

/** Matches a text that holds more than spaces. */
export const notBlank = String.raw`\S`

/** Like `Text`, but neither empty nor only spaces. */
export const Name = (max: number) => Type.String({ maxLength: max, pattern: notBlank })

/** The largest `integer` of PostgreSQL. */
export const highestSort = 2_147_483_647
/** A record's position among others. */
export const Sort = Type.Integer({ minimum: 0, maximum: highestSort })

/** A colour that people choose. */
export const HexColor = Type.String({
  pattern: '^[0-9A-Fa-f]{6}$',
  description: 'Six hexadecimal digits without #',
})
/** The number of an icon; what it looks like is up to the web application. */
export const IconId = Type.Integer({ minimum: 1, maximum: highestSort })

/**
 * Text for which clients may send a number or a boolean: phones, form ids (interface: Type
 * leniency).
 */
export const LooseText = (max: number) => Type.String({ maxLength: max, 'x-text': true })

/**
 * A list. Query strings and forms may also send one value, or several separated by commas:
 * `with=contacts,loss_reason`.
 */
export const CommaList = <Item extends TSchema>(item: Item, max = 250, min = 0) =>
  Type.Array(item, { ...(min > 0 && { minItems: min }), maxItems: max, 'x-comma': true })

export const Nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

/** Whether a text is a UUID, in any case of letters. */
export const isUuid = (text: string): boolean =>
  /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
