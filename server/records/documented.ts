// The schemas of the routes that every entity type has, as the OpenAPI document shows them.
import type { TSchema } from 'typebox'
import { singular } from '../entity-types.ts'
import type { Batch } from '../http/batch.ts'
import { batch, change } from '../http/body.ts'
import type { Body } from '../http/body.ts'
import {
  AddedAnswer,
  ChangedAnswer,
  hal,
  IdParams,
  nothing,
  OneChangedAnswer,
  Page,
} from '../http/hal.ts'
import { Type } from '../http/type.ts'
import type { RecordDescription, RecordType } from './description.ts'
import { Binned, OneQuery } from './schema.ts'
import type { Identified, RecordQuery } from './schema.ts'

export type RecordShape = TSchema & { properties: Record<string, TSchema> }

export const listDocumented = <Query extends TSchema>(
  type: RecordType,
  query: Query,
  record: RecordShape,
) => ({
  summary: `List ${type}`,
  tags: [type],
  querystring: query as Query & { static: RecordQuery },
  response: {
    200: hal(`A page of ${type}`, Page(type, Type.Union([record, Binned(record.properties)]))),
    204: nothing,
  },
})

export const oneDocumented = (
  { type, with: names }: Pick<RecordDescription, 'type' | 'with'>,
  record: RecordShape,
) => ({
  summary: `Read a ${singular[type]}`,
  tags: [type],
  params: IdParams,
  querystring: OneQuery(names),
  response: { 200: hal(`The ${singular[type]}`, record), 204: nothing },
})

/** `Draft` is the value that verbs take; the shape may be wider. */
export const createDocumented = <Draft>(type: RecordType, shape: TSchema) => ({
  summary: `Create ${type}`,
  tags: [type],
  body: batch(shape) as Body<Batch<Draft>>,
  response: { 200: hal(`The created ${type}, in request order`, AddedAnswer(type)) },
})

export const changeDocumented = <Draft>(type: RecordType, shape: TSchema) => ({
  summary: `Change ${type}`,
  tags: [type],
  body: batch(shape) as Body<Batch<Identified<Draft>>>,
  response: { 200: hal(`The changed ${type}, in request order`, ChangedAnswer(type)) },
})

export const oneChangeDocumented = <Draft>(type: RecordType, shape: TSchema, shown: TSchema) => ({
  summary: `Change a ${singular[type]}`,
  tags: [type],
  params: IdParams,
  body: change(shape, { shown }) as Body<Batch<Identified<Draft>>>,
  response: { 200: hal(`The ${singular[type]}`, OneChangedAnswer(type)) },
})

export const deleteDocumented = (type: RecordType) => ({
  summary: `Put a ${singular[type]} into the bin`,
  tags: [type],
  params: IdParams,
  response: { 204: Type.Null({ description: `The ${singular[type]} is in the bin` }) },
})

export const restoreDocumented = (type: RecordType, record: RecordShape) => ({
  summary: `Restore a ${singular[type]} from the bin`,
  tags: [type],
  params: IdParams,
  response: { 200: hal(`The ${singular[type]}`, record) },
})
