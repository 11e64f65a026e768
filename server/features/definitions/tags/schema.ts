import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { readOnly } from '../../../records/schema.ts'
import { Tag } from '../../../records/tags.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Id, Name, Nullable, Text } from '../../../http/types.ts'
import { mostUses } from '../../../records/placement.ts'

/** A tag in a list of tags: like every listed record, it carries its link. */
export const ListedTag = Type.Object({ ...Tag.properties, _links: SelfLink })

/** The colors that tags of leads may have (interface: Tag). */
export const tagColors =
  'EBEBEB D0D0D0 F2DDF7 D1A4DC FF8F92 FFC8C8 C7DB8C DDEBB5 8699DA AABDFF FFCE5A FFE193 90CDB0 C6F4DE A9A5D7 D8D5FF 86C0FC 832161 6A0F49 0C7C59 10599D 9D2B32 247BA0'.split(
    ' ',
  )

const closed = { additionalProperties: false }

const color = Type.Optional(
  Nullable(
    Type.String({
      description: 'A color of the palette, in any case; ignored for other types than leads',
    }),
  ),
)

export const NewTag = Type.Object({ name: Name(255), color }, closed)
export type NewTag = Static<typeof NewTag>

const changed = { name: Type.Optional(Name(255)), color }

/** One item of a batch of changes. */
export const TagChange = Type.Object({ id: Id, ...changed, ...readOnly('_links') }, closed)
export type TagChange = Static<typeof TagChange>
/** The change of the tag that the path names. */
export const OneTagChange = Type.Object({ ...readOnly('id', '_links'), ...changed }, closed)

/** Tags of a page of those who manage them, at most. */
export const mostManaged = 50

/** A tag with its uses. */
export const ManagedTag = Type.Object({
  ...Tag.properties,
  used: Type.Integer({
    description: `How many records have the tag, those of the bin too; ${mostUses + 1}: more than ${mostUses}`,
  }),
})
export type ManagedTag = Static<typeof ManagedTag>

export const ManagedTagQuery = Type.Object(
  {
    query: Type.Optional(
      Type.String({ ...Text(255), description: 'Part of the name, in any case' }),
    ),
    after: Type.Optional(
      Type.String({ ...Text(255), description: 'The name of the last tag of the page before' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostManaged, default: mostManaged })),
  },
  closed,
)
export type ManagedTagQuery = Static<typeof ManagedTagQuery>

export const ManagedTags = Type.Object({
  _embedded: Type.Object({ tags: Type.Array(ManagedTag, { maxItems: mostManaged }) }),
  has_more: Type.Boolean(),
})
export type ManagedTags = Static<typeof ManagedTags>
