// Reads one record or a page of records, for the routes of every entity type.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../access/actor.ts'
import { requireRight } from '../../access/record-rights.ts'
import type { Reader, Tx } from '../../database/connect.ts'
import { recordAnswer, sendRecord } from '../../http/hal.ts'
import type { Answer } from '../../http/hal.ts'
import { sendPage } from '../../http/paging.ts'
import type { RecordDescription } from '../description.ts'
import type { RecordQuery } from '../schema.ts'
import { embed } from './embed.ts'
import type { BareRecord } from './embed.ts'
import { findRecords, isOfBin } from './find.ts'
import { oneRecord } from './select.ts'

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
    const lines = await findRecords(reader, actor, base, description, query, seek)
    const isBin = isOfBin(query)
    return isBin ? lines : embed(reader, actor, base, description, wanted, lines)
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

async function readRecord(
  reader: Reader,
  actor: Actor,
  base: string,
  description: RecordDescription,
  id: number,
  names: string[] | undefined,
) {
  const wanted = description.with.wanted(names)
  const line = await reader.row<BareRecord | (BareRecord & { json: null })>(
    oneRecord(description, actor, base, id, wanted),
  )
  if (!line?.json) return line
  return (await embed(reader, actor, base, description, wanted, [line]))[0]
}
