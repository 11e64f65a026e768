import type { Static, TObject, TSchema } from 'typebox'
import { SelfLink } from '../http/hal.ts'
import { Paging } from '../http/paging.ts'
import { Type } from '../http/type.ts'
import { Id, Nullable, Text, Timestamp } from '../http/types.ts'
import { withNames } from '../http/with.ts'
import type { With } from '../http/with.ts'
import { FieldFilters } from './fields/filter.ts'
import { FieldValue, SentValues } from './fields/schema.ts'
import { longestQuery } from './search/terms.ts'
import type { RecordType } from './description.ts'
import { TagReference } from './tags.ts'
import {
  pollingHint,
  Filter,
  Filters,
  Ids,
  Names,
  Order,
  several,
  severalTexts,
  TimeRange,
  times,
  UserIds,
} from './lists/schema.ts'

const closed = { additionalProperties: false }
const open = { additionalProperties: true }

export const UserId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'User id; 0 is the system',
})

/** A time of a record in an answer, and how programs ask by it (decision 90). */
export const RecordTime = Type.Integer({
  ...Timestamp,
  description:
    'By the clock of the database, seconds before others can read the change at most. A program that asks for changes begins ten seconds before the greatest time that it has seen',
})

/** The first keys that every entity type shows. */
export const shown = {
  id: Id,
  name: Type.String(),
  responsible_user_id: UserId,
  group_id: Type.Integer({ description: 'Group of the responsible user; 0 is the default group' }),
  created_by: UserId,
  updated_by: UserId,
  created_at: RecordTime,
  updated_at: RecordTime,
  closest_task_at: Nullable(Timestamp),
  is_deleted: Type.Boolean(),
  custom_fields_values: Nullable(Type.Array(FieldValue)),
  account_id: Id,
  _links: SelfLink,
}

/** A linked record in `_embedded`. */
export const Linked = Type.Object({ id: Id, _links: SelfLink })
/** Any quantity is rounded to six decimals: a number has each of six exactly (decision 35). */
export const sixDecimals = { 'x-decimals': 6 }
/** Nine digits before the point leave room for six decimals. */
export const Quantity = Type.Number({
  ...sixDecimals,
  exclusiveMinimum: 0,
  maximum: 999_999_999,
  description: 'The quantity of an element: 1 where none is sent, rounded to six decimals',
})

/** The quantity of an element on a record, its catalog, and the field with its price. */
export const ElementMetadata = Type.Object({
  quantity: Type.Number(),
  catalog_id: Id,
  price_id: Nullable(
    Type.Integer({ ...Id, description: 'The field of the catalog with the price; null: none' }),
  ),
})
export const LinkedElement = Type.Object({ id: Id, metadata: ElementMetadata, _links: SelfLink })
export const LinkedContact = Type.Object({ id: Id, is_main: Type.Boolean(), _links: SelfLink })

/** Values of `with` whose lists are always empty, since no account has such records yet. */
export const embeddedNothing = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      Type.Optional(
        Type.Array(Type.Unknown(), {
          maxItems: 0,
          description: `with=${name}: always empty for now`,
        }),
      ),
    ]),
  )

/**
 * A record in the bin has all keys, but only those that identify the record and its deletion are
 * filled (interface: The bin).
 */
export function Binned(properties: Record<string, TSchema>) {
  const filled = {
    id: Id,
    updated_by: UserId,
    updated_at: Timestamp,
    is_deleted: Type.Literal(true),
    account_id: Id,
    _links: SelfLink,
  }
  const unfilled = Object.fromEntries(
    Object.keys(properties)
      .filter((key) => !(key in filled) && !Type.IsOptional(properties[key]))
      .map((key) => [key, Type.Null()]),
  )
  return Type.Object({ ...unfilled, ...filled })
}

/** Keys that a body may contain, so that an answer can be sent back, but that are ignored. */
export function readOnly(...keys: string[]) {
  return Object.fromEntries(keys.map((key) => [key, Type.Optional(ReadOnly)]))
}

const ReadOnly = Type.Unknown({ description: 'Read-only', readOnly: true })

/** A list that a body cannot write. With something in it, it is refused with the way to do so. */
const refusedList = (way: string) =>
  Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: 0,
      'x-refused': way,
      description: `Empty, or not sent. ${way}`,
    }),
  )

/** Linked records that a creation cannot link, by their lists. */
export const unlinkable = (type: RecordType, ...lists: string[]) =>
  Object.fromEntries(
    lists.map((list) => [
      list,
      refusedList(`A creation does not link ${list}. Use POST /api/v4/${type}/{id}/link.`),
    ]),
  )

/** `is_deleted` of a body: true is refused with the way to delete. */
export const deletedBy = (way: string) => ({
  is_deleted: Type.Optional(
    Type.Unknown({
      enum: [false, 0, '0', 'false', '', null],
      readOnly: true,
      'x-refused': `No body deletes. ${way}`,
      description: `Read-only; true is refused. ${way}`,
    }),
  ),
})

/** The lists of linked records and elements in `_embedded` of a change. */
export const sentLinkTypes = [
  'leads',
  'contacts',
  'companies',
  'customers',
  'catalog_elements',
] as const
export type SentLinkType = (typeof sentLinkTypes)[number]

const SentLink = Type.Object(
  {
    id: Id,
    is_main: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(
      Type.Object(
        { quantity: Type.Optional(Quantity), price_id: Type.Optional(Nullable(Id)) },
        open,
      ),
    ),
  },
  open,
)
export type SentLink = Static<typeof SentLink>
export type SentLinks = Partial<Record<SentLinkType, SentLink[]>>

/** Lists of what is linked already, as answers show them. */
export const sentLinks = (type: RecordType, ...lists: SentLinkType[]) =>
  Object.fromEntries(
    lists.map((list) => [
      list,
      Type.Optional(
        Type.Array(SentLink, {
          maxItems: mostSentLinks,
          description: `As an answer shows them. Links with others are made by POST /api/v4/${type}/{id}/link; nothing is unlinked`,
        }),
      ),
    ]),
  )

/** A company may show so many leads. */
const mostSentLinks = 10_000

/** The keys of a body that are ignored. */
export function readOnlyKeys({ properties }: TObject): string[] {
  return Object.keys(properties).filter((key) => 'readOnly' in properties[key]!)
}

/** The responsible user in a body (decision 30). */
export const ResponsibleUserId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'An active user. 0 is the caller in a creation, and changes nothing in a change',
})

/** The time of a change in a body. */
export const UpdatedAt = Type.Integer({
  ...Timestamp,
  description:
    'In a change, it counts only between the stored time and now. Otherwise neither it nor updated_by has an effect',
})

/** The keys that every entity type takes. */
export const sent = {
  name: Type.Optional(Text(255)),
  responsible_user_id: Type.Optional(ResponsibleUserId),
  created_by: Type.Optional(UserId),
  updated_by: Type.Optional(UserId),
  created_at: Type.Optional(Timestamp),
  updated_at: Type.Optional(UpdatedAt),
  custom_fields_values: Type.Optional(Nullable(SentValues)),
  tags_to_add: Type.Optional(Type.Array(TagReference, { maxItems: 100 })),
}

/** Tags in a body: a list replaces the set, null detaches all. */
export const EmbeddedTags = Type.Optional(Nullable(Type.Array(TagReference, { maxItems: 100 })))

/** Records to link to a new one. */
export const EmbeddedContacts = Type.Optional(
  Type.Array(
    Type.Object({ id: Id, is_main: Type.Optional(Type.Boolean()), ...readOnly('_links') }, closed),
    {
      maxItems: 40,
    },
  ),
)
export const EmbeddedCompanies = Type.Optional(
  Type.Array(Type.Object({ id: Id, ...readOnly('_links') }, closed), {
    maxItems: 1,
  }),
)

const Draft = Type.Object({
  ...sent,
  tags_to_delete: Type.Optional(Type.Array(TagReference)),
  _embedded: Type.Optional(
    Type.Object({ tags: EmbeddedTags, contacts: EmbeddedContacts, companies: EmbeddedCompanies }),
  ),
})
/** The keys of a body that the verbs of every entity type read; a change also has the `id`. */
export type SentRecord = Static<typeof Draft>
export type Identified<Draft> = Draft & { id: number }

const authors = (name: string) => `${several(name, 'user id')}; user 0 is the system`

/** The filters of every entity type (interface: Filtered lists). */
const filters = {
  id: Filter(Ids, several('id', 'id')),
  name: Filter(Names, `${severalTexts('name', 'text')}: the whole name, in any case`),
  responsible_user_id: Filter(UserIds, several('responsible_user_id', 'user id')),
  created_by: Filter(UserIds, authors('created_by')),
  updated_by: Filter(UserIds, authors('updated_by')),
  created_at: Filter(TimeRange, pollingHint(times('created_at'))),
  updated_at: Filter(TimeRange, pollingHint(times('updated_at'))),
  closest_task_at: Filter(TimeRange, times('closest_task_at', '; 0 finds records without tasks')),
  tags: Filter(Ids, several('tags', 'id of a tag')),
  custom_fields_values: Type.Optional(FieldFilters),
}

/** `only_deleted` lists the bin. */
export function ListQuery<Filters extends Record<string, TSchema>>(
  { names }: With<string>,
  own: Filters,
) {
  return Type.Object(
    {
      ...Paging,
      with: withNames(...names, 'only_deleted').parameter,
      query: Type.Optional(
        Type.String({
          maxLength: longestQuery,
          description:
            'Text search in names, phones, e-mails and text fields. A record must contain every word; case and accents are ignored',
        }),
      ),
      filter: Type.Optional(Filters({ ...filters, ...own })),
      order: Type.Optional(Order(['created_at', 'updated_at', 'id'])),
    },
    { additionalProperties: true },
  )
}
const AnyListQuery = ListQuery(withNames(), {})
export type RecordQuery = Static<typeof AnyListQuery>

export const OneQuery = ({ parameter }: With<string>) =>
  Type.Object({ with: parameter }, { additionalProperties: true })
