// Attachments of messages. Kontor keeps a copy of the media of channels, and the files that
// users send: their address is signed when a page is made. Until a copy is stored, and where its
// fetch failed, the address is that of the channel.
import type { Actor } from '../../../../access/actor.ts'
import { compactJson } from '../../../../http/compact.ts'
import type { Kontor } from '../../../../kontor.ts'
import { attachmentOf, filesByIds } from '../../../activity/files/files.ts'
import type { Attachment } from '../../../activity/files/files.ts'

/** A message as JSON text without its attachment, and what is known of that. */
export interface BareMessage extends Attachment {
  json: string
  file_id: number | null
}

/** The messages with `media`, `file_name` and `file_size`, in their order. */
export async function withAttachments<Row extends BareMessage>(
  kontor: Kontor,
  actor: Actor,
  base: string,
  rows: Row[],
): Promise<Row[]> {
  const ids = rows.flatMap(({ file_id }) => file_id ?? [])
  const found = await filesByIds(kontor.database, actor, [...new Set(ids)])
  const files = new Map(found.map((file) => [file.id, file]))
  return rows.map((row) => {
    const file = files.get(row.file_id ?? 0)
    const attachment = JSON.stringify(attachmentOf(kontor, actor.accountId, base, file, row))
    return { ...row, json: `${attachment.slice(0, -1)},${compactJson(row.json).slice(1)}` }
  })
}
