import type { Static } from 'typebox'
import { Type } from '../../../http/type.ts'
import { Filter } from '../../../records/lists/schema.ts'
import { readOnly } from '../../../records/schema.ts'
import { SelfLink } from '../../../http/hal.ts'
import { Id, Name, Sort } from '../../../http/types.ts'
import { EmbeddedStatus, Status } from './statuses/schema.ts'

const closed = { additionalProperties: false }

/** A pipeline as it is read (interface: Pipeline). */
export const Pipeline = Type.Object({
  id: Id,
  name: Type.String(),
  sort: Type.Integer({ description: 'Position; the main pipeline has 1' }),
  is_main: Type.Boolean(),
  is_unsorted_on: Type.Boolean({ description: 'Whether the status of unsorted leads is listed' }),
  is_archive: Type.Boolean(),
  account_id: Id,
  _links: SelfLink,
  _embedded: Type.Object({ statuses: Type.Array(Status, { description: 'Sorted by `sort`' }) }),
})

const switches = {
  is_main: Type.Optional(Type.Boolean()),
  is_unsorted_on: Type.Optional(Type.Boolean()),
}

export const NewPipeline = Type.Object(
  {
    name: Name(255),
    sort: Type.Optional(Sort),
    ...switches,
    _embedded: Type.Optional(
      Type.Object(
        { statuses: Type.Optional(Type.Array(EmbeddedStatus, { maxItems: 250 })) },
        closed,
      ),
    ),
    ...readOnly('id', 'is_archive', 'account_id', '_links'),
  },
  closed,
)
export type NewPipeline = Static<typeof NewPipeline>

export const PipelineChange = Type.Object(
  {
    name: Type.Optional(Name(255)),
    sort: Type.Optional(Sort),
    ...switches,
    ...readOnly('id', 'is_archive', 'account_id', '_links', '_embedded'),
  },
  closed,
)
export type PipelineChange = Static<typeof PipelineChange>

const Statuses = Type.Array(Type.Object({ pipeline_id: Id, status_id: Id }, closed), {
  minItems: 1,
  maxItems: 500,
})

/** A filter by one of several statuses, each with its pipeline. */
export const StatusesFilter = (name: string) =>
  Filter(
    Statuses,
    `filter[${name}][0][pipeline_id]=<id> and filter[${name}][0][status_id]=<id>, both with 1 instead of 0 for the next, and so on`,
  )
