import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Id, LooseText, Name, Nullable, Text } from '../../../http/types.ts'

const closed = { additionalProperties: false }

/** The integration's own name for a source: 1 to 36 printable ASCII characters. */
export const ExternalId = Type.String({ pattern: '^[ -~]{1,36}$', maxLength: 36 })

const Service = Type.Object({
  type: Type.Literal('whatsapp'),
  params: Type.Object({ waba: Type.Boolean(), is_supports_list_message: Type.Boolean() }),
  pages: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), link: Type.String() })),
})
export type Service = Static<typeof Service>

/** A source as it is read (interface: Source). */
export const Source = Type.Object({
  id: Id,
  name: Type.String(),
  external_id: Type.String(),
  pipeline_id: Id,
  default: Type.Boolean(),
  origin_code: Nullable(Type.String()),
  services: Type.Array(Service),
  _links: SelfLink,
})
export type Source = Static<typeof Source>

/** Services as sent: at most 10, of at most 50 pages each. */
const params = {
  waba: Type.Optional(Type.Boolean()),
  is_supports_list_message: Type.Optional(Type.Boolean()),
}
const SentPage = Type.Object({ id: LooseText(255), name: Text(255), link: Text(1000) }, closed)
const SentService = Type.Object(
  {
    type: Type.Literal('whatsapp'),
    params: Type.Optional(Nullable(Type.Object(params, closed))),
    pages: Type.Optional(Nullable(Type.Array(SentPage, { maxItems: 50 }))),
  },
  closed,
)
export type SentService = Static<typeof SentService>

const settings = {
  pipeline_id: Type.Optional(Type.Integer({ ...Id, description: 'The main pipeline by default' })),
  default: Type.Optional(
    Type.Boolean({
      description: 'True: this becomes the only default source of the integration',
    }),
  ),
  origin_code: Type.Optional(Nullable(Text(255))),
  services: Type.Optional(Nullable(Type.Array(SentService, { maxItems: 10 }))),
}

export const NewSource = Type.Object(
  { name: Name(255), external_id: ExternalId, ...settings, ...readOnly('id', '_links') },
  closed,
)
export type NewSource = Static<typeof NewSource>

const changed = {
  name: Type.Optional(Name(255)),
  external_id: Type.Optional(Text(255)),
  ...settings,
}

/** One item of a batch of changes; an unchanged `external_id` may be sent. */
export const SourceChange = Type.Object({ id: Id, ...changed, ...readOnly('_links') }, closed)
export type SourceChange = Static<typeof SourceChange>
/** The change of the source that the path names. */
export const OneSourceChange = Type.Object({ ...readOnly('id', '_links'), ...changed }, closed)

/** One item of a batch of deletions; other keys of the source may be sent with its id. */
export const SourceReference = Type.Object(
  {
    id: Id,
    ...readOnly(
      'name',
      'external_id',
      'pipeline_id',
      'default',
      'origin_code',
      'services',
      '_links',
    ),
  },
  closed,
)
export type SourceReference = Static<typeof SourceReference>
