import type { Static, TSchema } from 'typebox'
import { entityTypes } from '../../../entity-types.ts'
import { Type } from '../../../http/type.ts'
import { CommaList, Id, notBlank, Nullable } from '../../../http/types.ts'
import { longestQuery } from '../../../records/search/terms.ts'

/** The types of the command menu, in its order. */
export const searchedTypes = [...entityTypes, 'tasks'] as const
export type SearchedType = (typeof searchedTypes)[number]

/** The most hits of one type. */
const mostHits = 20

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      maxLength: longestQuery,
      pattern: notBlank,
      description: 'Words, a number (with or without #), or a phone in any notation',
    }),
    similar: Type.Optional(
      Type.Boolean({
        description: 'Also names with one wrong letter, of a type of which nothing else is found',
      }),
    ),
    types: Type.Optional(CommaList(Type.Enum([...searchedTypes]), searchedTypes.length, 1)),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostHits,
        description: 'Hits of each type; 10 by default',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Why something was found, the best reason first; hits come in this order. */
export const matchKinds = ['id', 'phone', 'name', 'word', 'other', 'similar'] as const
export type MatchKind = (typeof matchKinds)[number]

const hit = {
  id: Id,
  name: Type.String(),
  match: Type.Enum([...matchKinds], {
    description:
      'The id is the number; a phone has the digits; the name begins so; each word begins one of the name; anything else that the search finds; a word of the name differs by one letter that is other, missing, added or swapped',
  }),
}

const phone = Nullable(Type.String({ description: 'The first one' }))

/** The hits of one type. One that could not be searched does not keep the others from answering. */
const hits = <Shape extends TSchema>(items: Shape) =>
  Type.Optional(Type.Object({ has_failed: Type.Boolean(), items: Type.Array(items) }))

/** Only the types that were asked for. A type of which the caller may view nothing has no hits. */
export const SearchAnswer = Type.Object({
  leads: hits(Type.Object({ ...hit, price: Type.Integer(), pipeline_id: Id, status_id: Id })),
  contacts: hits(Type.Object({ ...hit, phone, company: Nullable(Type.String()) })),
  companies: hits(Type.Object({ ...hit, phone })),
  customers: hits(
    Type.Object({ ...hit, next_date: Type.Integer(), next_price: Type.Integer(), status_id: Id }),
  ),
  tasks: hits(
    Type.Object({
      ...hit,
      complete_till: Type.Integer(),
      entity_type: Nullable(Type.String()),
      entity_id: Nullable(Id),
    }),
  ),
})
export type SearchAnswer = Static<typeof SearchAnswer>
