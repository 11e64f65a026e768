// The words that every schema of the interface is built from. Their bounds keep out of PostgreSQL what it could only refuse.
import { Type } from 'typebox'
import type { TSchema } from 'typebox'

/** An id of a record: 1 to 2^53-1. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** Any whole number that JavaScript and `bigint` agree on. */
export const SafeInteger = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})

/** Unix seconds, up to the end of the year 9999. */
export const Timestamp = Type.Integer({ minimum: 0, maximum: 253_402_300_799 })

/** A price in whole units; a fraction is cut (decision: type leniency). */
export const Price = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, 'x-cut': true })

/** Text of at most `max` characters (code points). U+0000 and lone surrogates never come this far: the parsers refuse them. */
export const Text = (max: number) => Type.String({ maxLength: max })

/** What text matches that is more than spaces. */
export const notBlank = String.raw`\S`

/** As `Text`, but not blank: neither empty nor made of spaces alone. */
export const Name = (max: number) => Type.String({ maxLength: max, pattern: notBlank })

/** The largest `integer` of PostgreSQL. */
export const highestSort = 2_147_483_647
/** The place of a record among others. */
export const Sort = Type.Integer({ minimum: 0, maximum: highestSort })

/** Text that a number or a boolean may stand for: phones, form ids (decision: type leniency). */
export const LooseText = (max: number) => Type.String({ maxLength: max, 'x-text': true })

/** In query strings and forms also one value, or several in one text with commas between: `with=contacts,loss_reason`. */
export const CommaList = <Item extends TSchema>(item: Item, max = 250) =>
  Type.Array(item, { maxItems: max, 'x-comma': true })

export const Nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()])
