// These routes are private to the web application, whose players use them as addresses of sound.
import { forbidIntegrations } from '../../../access/actor.ts'
import { IdParams } from '../../../http/hal.ts'
import { notFound } from '../../../http/problem.ts'
import { Type } from '../../../http/type.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { addressOf, filesByIds } from '../../activity/files/files.ts'
import { isWebAddress, readFileOfNote } from '../../activity/notes/notes.ts'
import { UidParams } from '../../records/unsorted/schema.ts'
import { readRecordingOfItem } from '../../records/unsorted/unsorted.ts'
import { openPlayer } from './recordings.ts'

const path = '/web/v1/recordings'

const answers = {
  200: { description: 'The sound', content: { 'audio/*': { schema: Type.String() } } },
  206: {
    description: 'The part that Range asks for',
    content: { 'audio/*': { schema: Type.String() } },
  },
}

export function recordingRoutes(app: App, kontor: Kontor): void {
  const { database } = kontor
  const people = { config: { access: 'user' }, onRequest: forbidIntegrations } as const
  const player = openPlayer(kontor)
  app.addHook('preClose', async () => player.close())

  app.get(
    `${path}/notes/:id`,
    {
      ...people,
      schema: {
        summary: 'Play the recording of a call of a record',
        params: IdParams,
        response: { ...answers, 302: Type.Null({ description: 'Kontor has a copy: its address' }) },
      },
    },
    async (request, reply) => {
      const { actor, base, params } = request
      const { note_type, file_id, link, role } = await readFileOfNote(database, actor, params.id)
      const isCall = note_type === 'call_in' || note_type === 'call_out'
      const [kept] = await filesByIds(database, actor, isCall && file_id !== null ? [file_id] : [])
      if (kept?.state === 'stored')
        return reply.redirect(addressOf(kontor, actor.accountId, kept, { base }), 302)
      return player.play(request, reply, recordingAt(isCall ? link : null), role)
    },
  )

  app.get(
    `${path}/unsorted/:uid`,
    {
      ...people,
      schema: {
        summary: 'Play the recording of a call that waits',
        params: UidParams,
        response: answers,
      },
    },
    async (request, reply) => {
      const { link, role } = await readRecordingOfItem(database, request.actor, request.params.uid)
      return player.play(request, reply, recordingAt(link), role)
    },
  )
}

function recordingAt(link: string | null): string {
  if (link === null || !isWebAddress(link)) throw notFound('This call has no recording')
  return link
}
