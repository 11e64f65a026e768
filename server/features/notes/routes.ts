import { Type } from 'typebox'
import type { FastifyReply } from 'fastify'
import { singular } from '../../entity-types.ts'
import { recordTypes } from '../../records/description.ts'
import type { RecordType } from '../../records/description.ts'
import { requireRight } from '../../access/record-rights.ts'
import type { Batch } from '../../http/batch.ts'
import { batch, batchSize, change } from '../../http/body.ts'
import type { Body } from '../../http/body.ts'
import { hal, IdParams, nothing, Page, sendHal, sendRecord } from '../../http/hal.ts'
import { sendPage } from '../../http/paging.ts'
import { Id } from '../../http/types.ts'
import type { App, Kontor } from '../../kontor.ts'
import { changeNotes, checkParent, createNotes, deleteNote, pinNote } from './notes.ts'
import type { AddedNote, NoteScope } from './notes.ts'
import { readingParams } from './params.ts'
import { noteList, oneNote } from './queries.ts'
import * as shapes from './schema.ts'
import { noteText } from './show.ts'
import type { NoteLine } from './show.ts'

/**
 * The ids in the paths of notes: of all notes of one type of record, and of the notes of one
 * record.
 */
interface Named {
  entity_id?: number
  id: number
}

export function noteRoutes(app: App, kontor: Kontor): void {
  for (const type of recordTypes) {
    const { NewNote, NewNoteOfOne, NoteQuery, NoteQueryOfOne } = shapes
    // Static paths are registered before those with parameters: `/leads/notes` is not a lead.
    notesAt(app, kontor, type, {
      path: `/api/v4/${type}/notes`,
      named: {},
      query: NoteQuery,
      draft: NewNote,
    })
    const path = `/api/v4/${type}/:entity_id/notes`
    notesAt(app, kontor, type, {
      path,
      named: { entity_id: Id },
      query: NoteQueryOfOne,
      draft: NewNoteOfOne,
    })
    pins(app, kontor, type)
  }
}

interface At {
  path: string
  named: { entity_id?: typeof Id }
  query: typeof shapes.NoteQuery | typeof shapes.NoteQueryOfOne
  draft: typeof shapes.NewNote | typeof shapes.NewNoteOfOne
}

function notesAt(
  app: App,
  { config, database }: Kontor,
  type: RecordType,
  { path, named, query, draft }: At,
): void {
  const readParams = readingParams(config)
  const drafts = batch(draft, batchSize, { shown: shapes.described(draft) })
  const one = singular[type]
  const many = named.entity_id ? `one ${one}` : type
  const any = named.entity_id ? `one ${one}` : `any ${one}`
  const about = (summary: string) => ({ summary, tags: ['notes'] })
  const access = { access: 'user' as const }
  const ofRecord = Type.Object(named)
  const ofNote = Type.Object({ ...named, id: Id })

  app.get(
    path,
    {
      config: access,
      schema: {
        ...about(`List notes of ${many}`),
        params: ofRecord,
        querystring: query,
        response: { 200: hal('A page of notes', Page('notes', shapes.Note)), 204: nothing },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      const { entity_id: entityId } = params as Named
      await checkParent(database, actor, { type, entityId }, 'view')
      return sendPage(reply, { collection: 'notes' }, async (seek) => {
        const lines = await database.list<NoteLine>(
          noteList(actor, base, type, query, seek, entityId),
        )
        return lines.map((line) => ({ id: line.id, key: line.key, json: noteText(line) }))
      })
    },
  )

  app.get(
    `${path}/:id`,
    {
      config: access,
      schema: {
        ...about(`Read a note of ${any}`),
        params: ofNote,
        querystring: shapes.OneNoteQuery,
        response: { 200: hal('The note', shapes.Note) },
      },
    },
    async ({ actor, base, params, query }, reply) => {
      requireRight(actor, type, 'view')
      const { entity_id, id } = params as Named
      const line = await database.row<NoteLine | (NoteLine & { json: null })>(
        oneNote(actor, base, type, id, entity_id, query.with),
      )
      return sendRecord(reply, line?.json ? { json: noteText(line) } : line, 'always 404')
    },
  )

  app.post(
    path,
    {
      config: access,
      schema: {
        ...about(`Add notes to ${many}`),
        params: ofRecord,
        body: drafts as Body<Batch<shapes.NewNote>>,
        response: { 200: hal('The added notes, in request order', shapes.AddedNotes) },
      },
    },
    async ({ actor, body, params }, reply) => {
      const place = { type, entityId: (params as Named).entity_id }
      const added = await database.transaction((tx) =>
        createNotes(tx, actor, place, body, readParams),
      )
      return sendNotes(reply, place, added)
    },
  )

  app.patch(
    path,
    {
      config: access,
      schema: {
        ...about(`Change notes of ${many}`),
        params: ofRecord,
        body: batch(shapes.NoteChange),
        response: { 200: hal('The changed notes, in request order', shapes.ChangedNotes) },
      },
    },
    async ({ actor, body, params }, reply) => {
      const place = { type, entityId: (params as Named).entity_id }
      const changed = await database.transaction((tx) =>
        changeNotes(tx, actor, place, body, readParams),
      )
      return sendNotes(reply, place, changed)
    },
  )

  app.patch(
    `${path}/:id`,
    {
      config: access,
      schema: {
        ...about(`Change a note of ${any}`),
        params: ofNote,
        body: change(shapes.NoteChange, { shown: shapes.OneNoteChange }),
        response: { 200: hal('The note', shapes.ChangedNoteAnswer) },
      },
    },
    async ({ actor, body, params }, reply) => {
      const { entity_id: entityId } = params as Named
      const [changed] = await database.transaction((tx) =>
        changeNotes(tx, actor, { type, entityId }, body, readParams, 'notFound'),
      )
      const { request_id: _, ...note } = changed!
      return sendHal(reply, linked(reply, type, note))
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: access,
      schema: {
        ...about(`Delete a note of ${any}`),
        params: ofNote,
        response: { 204: Type.Null({ description: 'The note is deleted' }) },
      },
    },
    async ({ actor, params }, reply) => {
      const { entity_id: entityId, id } = params as Named
      await database.transaction((tx) => deleteNote(tx, actor, { type, entityId }, id))
      return reply.code(204).send()
    },
  )
}

function pins(app: App, { database }: Kontor, type: RecordType): void {
  for (const [word, isPinned, done] of [
    ['pin', true, 'The note is pinned'],
    ['unpin', false, 'The note is no longer pinned'],
  ] as const) {
    app.post(
      `/api/v4/${type}/notes/:id/${word}`,
      {
        config: { access: 'user' },
        schema: {
          summary: `${isPinned ? 'Pin' : 'Unpin'} a note of a ${singular[type]}`,
          tags: ['notes'],
          params: IdParams,
          response: { 204: Type.Null({ description: done }) },
        },
      },
      async ({ actor, params: { id } }, reply) => {
        await database.transaction((tx) => pinNote(tx, actor, type, id, isPinned))
        return reply.code(204).send()
      },
    )
  }
}

/** Answers a batch of added or changed notes, each with its link, in request order. */
function sendNotes(
  reply: FastifyReply,
  { type, entityId }: NoteScope,
  notes: AddedNote[],
): FastifyReply {
  const path = entityId === undefined ? `${type}/notes` : `${type}/${entityId}/notes`
  const href = `${reply.request.base}/api/v4/${path}`
  return sendHal(reply, {
    _links: { self: { href } },
    _embedded: { notes: notes.map((note) => linked(reply, type, note)) },
  })
}

function linked<Note extends Pick<AddedNote, 'id' | 'entity_id'>>(
  { request }: FastifyReply,
  type: RecordType,
  note: Note,
) {
  const href = `${request.base}/api/v4/${type}/${note.entity_id}/notes/${note.id}`
  return { ...note, _links: { self: { href } } }
}
