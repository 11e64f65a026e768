import { SelfLink } from '../../../http/hal.ts'
import { Type } from '../../../http/type.ts'
import { Id, Nullable, Text, Timestamp } from '../../../http/types.ts'
import { longestName } from './media-type.ts'

const Uuid = Type.String({ format: 'uuid' })

/** A file as its uploader sees it. */
export const FileAnswer = Type.Object({
  id: Id,
  uid: Uuid,
  version_uid: Type.String({
    format: 'uuid',
    description: 'With the uid it names the file in fields of the type file',
  }),
  name: Type.String(),
  type: Type.String({ description: 'The media type; of pictures judged by the content' }),
  size: Nullable(Type.Integer({ minimum: 0, description: 'Bytes' })),
  state: Type.Enum(['fetching', 'stored', 'failed']),
  error: Nullable(Type.String({ description: 'Why the latest attempt to fetch it failed' })),
  address: Nullable(
    Type.String({
      format: 'uri',
      description: 'Signed; whoever has it may read the file for a time',
    }),
  ),
  created_by: Type.Integer({ ...Id, minimum: 0 }),
  created_at: Timestamp,
  _links: SelfLink,
})

/** The members by which answers show the attachment of a message or a note. */
export const attachmentMembers = {
  media: Nullable(Type.String({ description: 'The address of what is attached' })),
  file_name: Nullable(Type.String()),
  file_size: Nullable(Type.Integer()),
}

export const UploadQuery = Type.Object({ name: Type.Optional(Text(longestName)) })

export const FilePath = Type.Object({ account: Id, uid: Uuid, name: Type.String() })

/** A value that is not right here makes a wrong signature, so the schema refuses none. */
export const SignedQuery = Type.Object(
  { expires: Type.Optional(Type.String()), signature: Type.Optional(Type.String()) },
  { additionalProperties: true },
)
