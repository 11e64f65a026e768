// Mentions: `@Full Name` in the text of a note or a task tells that user, if the user may view it. One
// notification for each text and user is written in the transaction of the text (decision 79).
import type { Actor } from '../../../access/actor.ts'
import { actorOnBehalf } from '../../../access/on-behalf.ts'
import type { Reader, Tx } from '../../../database/connect.ts'
import { together } from '../../../database/together.ts'
import type { EntityType } from '../../../entity-types.ts'
import { notifyMentioned } from '../notifications/notifications.ts'
import { seenTexts, usersNamed } from './queries.ts'
import type { MentionedUser, SeenText, WrittenText } from './queries.ts'

/** A text that was written; `before` is the one in its place until now. */
export interface MentioningText {
  of: 'note' | 'task'
  id: number
  /** The record; null for a task without one. */
  entity_type: EntityType | null
  entity_id: number | null
  text: string
  before?: string | undefined
  /** The author, who is not told. */
  created_by: number
}

/** The most users that one request tells. */
const mostMentioned = 50
/** The UTF-16 units of a text that a notification shows; PostgreSQL refuses half a surrogate pair. */
const shownLength = 200

/** Tells the users whom texts mention and did not mention before. A user who may not view a text is not told. */
export async function recordMentions(tx: Tx, actor: Actor, texts: MentioningText[]): Promise<void> {
  const calling = texts.filter(({ text, before }) => text.includes('@') && text !== before)
  if (calling.length === 0) return
  const users = await tx.rows<MentionedUser>(
    usersNamed(
      actor,
      calling.map(({ text }) => text),
    ),
  )
  const mentions = calling.flatMap((text) => {
    const former = mentionedIn(text.before ?? '', users)
    const named = mentionedIn(text.text, users).filter((id) => !former.includes(id))
    return named.filter((id) => id !== text.created_by).map((userId) => ({ userId, text }))
  })
  const ids = [...new Set(mentions.map(({ userId }) => userId))].slice(0, mostMentioned)
  const seen = await together(
    ids.map(async (userId) => {
      const mentioned = await actorOnBehalf(tx, { ...actor, userId })
      const its = mentions.filter((each) => each.userId === userId).map(({ text }) => text)
      if (!mentioned) return []
      const rows = await tx.rows<SeenText>(seenTexts(mentioned, its))
      return rows.map(({ place: index, name }) => ({ userId, text: its[index]!, name }))
    }),
  )
  await notifyMentioned(
    tx,
    actor,
    seen
      .flat()
      .map(({ userId, name, text: { of, id, entity_type, entity_id, text, created_by } }) => ({
        user_id: userId,
        values: {
          about: `${of} ${id}`,
          entity_type,
          entity_id,
          entity_name: name,
          text: text.slice(0, shownLength).toWellFormed(),
          by: created_by,
        },
      })),
  )
}

/** A text that a user may still view: the name of its record is null where that may not be viewed. */
type StillSeen = Omit<SeenText, 'place'>

/** What texts are about, those alone that the actor may view now; undefined in the place of the others. */
export async function stillSeen(
  reader: Reader,
  actor: Actor,
  texts: readonly WrittenText[],
): Promise<(StillSeen | undefined)[]> {
  if (texts.length === 0) return []
  const rows = await reader.rows<SeenText>(seenTexts(actor, texts))
  const byIndex = new Map(rows.map(({ place: index, ...its }) => [index, its]))
  return texts.map((_, index) => byIndex.get(index))
}

/**
 * The ids of the users whose name follows an @ that begins a word; of names that begin alike the longest.
 * A name ends where no letter or digit follows.
 */
export function mentionedIn(text: string, users: readonly MentionedUser[]): number[] {
  const found = new Set<number>()
  for (const { index } of text.matchAll(/(?<![\p{L}\p{N}])@/gu)) {
    const rest = text.slice(index + 1)
    const fitting = users.filter(
      ({ name }) => rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length)),
    )
    const longest = Math.max(...fitting.map(({ name }) => name.length))
    for (const { id, name } of fitting) if (name.length === longest) found.add(id)
  }
  return [...found]
}
