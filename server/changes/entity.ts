// What followers may see of an entity type. It is declared beside the verbs of the type; app.ts lists
// the declarations, and the server does not start where a type that the journal holds has none.
import type { Actor } from '../access/actor.ts'
import { journaledTypes } from '../entity-types.ts'
import type { EntityType } from '../entity-types.ts'

/**
 * What the journal says happened to an entity. `note`: a note was added to it; `update_note`: one of
 * its notes was changed, pinned or unpinned.
 */
export type JournalAction =
  | 'add'
  | 'update'
  | 'status'
  | 'responsible'
  | 'delete'
  | 'restore'
  | 'note'
  | 'update_note'

export interface EntityDeclaration {
  /** The plural, as paths and the journal name it. */
  type: EntityType
  news: {
    /** The actions that browsers hear of. A browser hears that they happened and asks for the rest. */
    browser: readonly JournalAction[]
    /** The actions that webhooks are sent for. */
    webhook: readonly JournalAction[]
    /** Whether a user may hear of a change, by the row as it was or as it became. */
    isHeardBy(actor: Actor, row: object): boolean
  }
}

/** The declarations by type. Throws an Error where a type that the journal holds has none, or two. */
export function declareEntities(
  declarations: readonly EntityDeclaration[],
): ReadonlyMap<string, EntityDeclaration> {
  const declared = new Map(declarations.map((each) => [each.type as string, each]))
  const missing = journaledTypes.find((type) => !declared.has(type))
  if (missing) throw new Error(`the entity type ${missing} does not declare its news`)
  if (declared.size < declarations.length) throw new Error('an entity type is declared twice')
  return declared
}
