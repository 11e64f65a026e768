// Reads one record or a page of records, for the routes of every entity type.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../access/actor.ts'
import { requireRight } from '../../access/record-rights.ts'
import type { Reader, Tx } from '../../database/connect.ts'
import { halAnswer, recordAnswer, sendRecord } from '../../http/hal.ts'
import type { Answer } from '../../http/hal.ts'
import { sendPage } from '../../http/paging.ts'
import type { RecordDescription } from '../description.ts'
import type { ChangedRecord } from '../writing/change.ts'
import type { CreatedRecord } from '../writing/create.ts'
import type { RecordQuery } from '../schema.ts'
import { embed, withoutEmbedded } from './embed.ts'
import { findRecords, isOfBin } from './find.ts'
import { binnedLinesOf, linesOf, oneRecord, writtenRecords } from './select.ts'

/** Answers a page of the records that the actor may view. */
export function sendRecords(
  reply: FastifyReply,
  reader: Reader,
  description: RecordDescription,
  query: RecordQuery,
): Promise<FastifyReply> {
  const { actor, base } = reply.request
  requireRight(actor, description.type, 'view')
  const wanted = description.with.wanted(query.with)
  return sendPage(reply, { collection: description.type }, async (seek) => {
    const rows = await findRecords(reader, actor, base, description, query, seek)
    if (isOfBin(query)) return withoutEmbedded(base, description, binnedLinesOf(description, rows))
    const lines = linesOf(description, actor, wanted, rows)
    return embed(reader, actor, base, description, wanted, lines)
  })
}

/** Answers one record: 404 where it does not exist, 403 where the actor may not view it. */
export async function sendOneRecord(
  reply: FastifyReply,
  reader: Reader,
  description: RecordDescription,
  id: number,
  names?: string[],
): Promise<FastifyReply> {
  const { actor, base } = reply.request
  return sendRecord(reply, await readRecord(reader, actor, base, description, id, names))
}

/** A record as the answer to a write; a 403 problem where the actor may not view it. */
export async function oneRecordAnswer(
  tx: Tx,
  { actor, base }: Pick<FastifyRequest, 'actor' | 'base'>,
  description: RecordDescription,
  id: number,
): Promise<Answer> {
  return recordAnswer(await readRecord(tx, actor, base, description, id, undefined))
}

/**
 * Created records as the answer, whole and in the order of the request. Their author sees them also
 * where the actor may not view them later.
 */
export async function writtenRecordsAnswer(
  tx: Tx,
  actor: Actor,
  base: string,
  description: RecordDescription,
  written: CreatedRecord[],
): Promise<Answer> {
  const texts = await textsOfWritten(tx, actor, base, description, written)
  const records = written.map(
    ({ id, request_id }) =>
      `${texts.get(id)!.slice(0, -1)},"request_id":${JSON.stringify(request_id)}}`,
  )
  const self = JSON.stringify({ self: { href: `${base}/api/v4/${description.type}` } })
  return halAnswer(`{"_links":${self},"_embedded":{"${description.type}":[${records.join()}]}}`)
}

/** The changed record as the answer, whole, and named once more in `_embedded`. */
export async function writtenRecordAnswer(
  tx: Tx,
  actor: Actor,
  base: string,
  description: RecordDescription,
  changed: ChangedRecord,
): Promise<Answer> {
  const { type } = description
  const text = (await textsOfWritten(tx, actor, base, description, [changed])).get(changed.id)!
  const self = { href: `${base}/api/v4/${type}/${changed.id}` }
  const again = JSON.stringify([{ ...changed, _links: { self } }])
  // The text ends with `_embedded`, whose last member this is.
  return halAnswer(`${text.slice(0, -2)},"${type}":${again}}}`)
}

async function textsOfWritten(
  tx: Tx,
  actor: Actor,
  base: string,
  description: RecordDescription,
  written: CreatedRecord[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(written.map(({ id }) => id))]
  const nothing = new Set<string>()
  const rows = await tx.cells('rows', writtenRecords(description, actor, base, ids))
  const lines = linesOf(description, actor, nothing, rows)
  const records = await embed(tx, actor, base, description, nothing, lines)
  return new Map(records.map(({ id, json }) => [Number(id), json]))
}

/** Undefined where the record does not exist; without text where the actor may not view it. */
async function readRecord(
  reader: Reader,
  actor: Actor,
  base: string,
  description: RecordDescription,
  id: number,
  names: string[] | undefined,
): Promise<{ json: string | null } | undefined> {
  const wanted = description.with.wanted(names)
  const [row] = await reader.cells('page', oneRecord(description, actor, base, id, wanted))
  if (!row) return undefined
  const [isVisible, ...cells] = row
  if (isVisible !== 't') return { json: null }
  const lines = linesOf(description, actor, wanted, [cells])
  return (await embed(reader, actor, base, description, wanted, lines))[0]
}
