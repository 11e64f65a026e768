import { singular } from '../../../entity-types.ts'
import { Type } from '../../../http/type.ts'
import { recordTypes } from '../../../records/description.ts'
import type { RecordType } from '../../../records/description.ts'
import { writeHandler } from '../../../access/write-handler.ts'
import { requireRight } from '../../../access/record-rights.ts'
import type { Batch } from '../../../http/batch.ts'
import { batch, batchSize, change } from '../../../http/body.ts'
import type { Body } from '../../../http/body.ts'
import {
  hal,
  halAnswer,
  IdParams,
  noContent,
  nothing,
  Page,
  sendHal,
  sendRecord,
} from '../../../http/hal.ts'
import type { Answer } from '../../../http/hal.ts'
import { sendPage } from '../../../http/paging.ts'
import { notFound } from '../../../http/problem.ts'
import { Id } from '../../../http/types.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { filesByIds } from '../files/files.ts'
import {
  changeNotes,
  checkParent,
  createNotes,
  deleteNote,
  keepingFiles,
  pinNote,
  readFileOfNote,
  shownFile,
} from './notes.ts'
import type { AddedNote, NoteScope } from './notes.ts'
import { readingParams } from './params.ts'
import { findNotes } from './find.ts'
import { oneNote } from './queries.ts'
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
  file(app, kontor)
}

interface At {
  path: string
  named: { entity_id?: typeof Id }
  query: typeof shapes.NoteQuery | typeof shapes.NoteQueryOfOne
  draft: typeof shapes.NewNote | typeof shapes.NewNoteOfOne
}

function notesAt(
  app: App,
  kontor: Kontor,
  type: RecordType,
  { path, named, query, draft }: At,
): void {
  const { config, database } = kontor
  const means = { readParams: readingParams(config), keepFiles: keepingFiles(kontor) }
  const drafts = batch(draft, batchSize, { shown: shapes.described(draft) })
  const one = singular[type]
  const many = named.entity_id ? `one ${one}` : type
  const any = named.entity_id ? `one ${one}` : `any ${one}`
  const about = (summary: string) => ({ summary, tags: ['notes'] })
  const access = { access: 'user' } as const
  const editing = { ...access, right: { type, action: 'edit' } } as const
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
        const lines = await findNotes(database, actor, base, type, query, seek, entityId)
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
      config: editing,
      schema: {
        ...about(`Add notes to ${many}`),
        params: ofRecord,
        body: drafts as Body<Batch<shapes.NewNote>>,
        response: { 200: hal('The added notes, in request order', shapes.AddedNotes) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params }) => {
      const record = { type, entityId: (params as Named).entity_id }
      return notesAnswer(base, record, await createNotes(tx, actor, record, body, means))
    }),
  )

  app.patch(
    path,
    {
      config: editing,
      schema: {
        ...about(`Change notes of ${many}`),
        params: ofRecord,
        body: batch(shapes.NoteChange),
        response: { 200: hal('The changed notes, in request order', shapes.ChangedNotes) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params }) => {
      const record = { type, entityId: (params as Named).entity_id }
      return notesAnswer(base, record, await changeNotes(tx, actor, record, body, means))
    }),
  )

  app.patch(
    `${path}/:id`,
    {
      config: editing,
      schema: {
        ...about(`Change a note of ${any}`),
        params: ofNote,
        body: change(shapes.NoteChange, { shown: shapes.OneNoteChange }),
        response: { 200: hal('The note', shapes.ChangedNoteAnswer) },
      },
    },
    writeHandler(database, async (tx, { actor, base, body, params }) => {
      const scope = { type, entityId: (params as Named).entity_id }
      const [changed] = await changeNotes(tx, actor, scope, body, means, 'notFound')
      const { request_id: _, ...note } = changed!
      return halAnswer(linked(base, type, note))
    }),
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
      writeHandler(database, async (tx, { actor, params: { id } }) => {
        await pinNote(tx, actor, type, id, isPinned)
        return noContent
      }),
    )
  }
}

/** The file of a note of any type of record, by the right to view the record. */
function file(app: App, kontor: Kontor): void {
  const path = '/web/v1/notes/:id/file'
  app.get(
    path,
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read the file of a note',
        params: IdParams,
        response: { 200: hal('The attached file, or the recording of the call', shapes.NoteFile) },
      },
    },
    async ({ actor, base, params: { id } }, reply) => {
      const { file_id, link } = await readFileOfNote(kontor.database, actor, id)
      const [kept] = await filesByIds(kontor.database, actor, file_id === null ? [] : [file_id])
      const shown = shownFile(kontor, actor, base, { id, link }, kept)
      if (!shown) throw notFound('This note has no file')
      return sendHal(reply, shown)
    },
  )
}

/** A batch of added or changed notes, each with its link, in request order. */
function notesAnswer(base: string, { type, entityId }: NoteScope, notes: AddedNote[]): Answer {
  const path = entityId === undefined ? `${type}/notes` : `${type}/${entityId}/notes`
  return halAnswer({
    _links: { self: { href: `${base}/api/v4/${path}` } },
    _embedded: { notes: notes.map((note) => linked(base, type, note)) },
  })
}

function linked<Note extends Pick<AddedNote, 'id' | 'entity_id'>>(
  base: string,
  type: RecordType,
  note: Note,
) {
  const href = `${base}/api/v4/${type}/${note.entity_id}/notes/${note.id}`
  return { ...note, _links: { self: { href } } }
}
