// An entity type declares what followers may see of it, beside its verbs, and entities.ts
// lists the declarations. The server does not start if a journaled type has none.
import type { Actor } from '../access/actor.ts'
import type { ViewedRow } from '../access/record-rights.ts'
import { journaledTypes } from '../entity-types.ts'
import type { EntityType, JournaledType } from '../entity-types.ts'
import type { WebhookForm } from './webhook-form.ts'

/**
 * The action of a journal row. `note`: a note was added to the entity. `update_note`: one of its
 * notes was changed, pinned, unpinned or deleted. `send`: a message to the other side of a chat, where
 * `add` is one from there.
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
  | 'send'

/** A record that decides who may learn of the changes of another row. */
export interface DecidingRecord extends ViewedRow {
  entity_type: EntityType
}

export interface EntityDeclaration {
  /** The plural, as in paths and in the journal. */
  type: JournaledType
  news: {
    /** The actions sent to browsers. A browser learns that they happened and fetches the rest. */
    browser: readonly JournalAction[]
    /** The actions sent to webhooks, which need a form. */
    webhook: readonly JournalAction[]
    /**
     * The records of which one decides, with the row itself, who may learn of a change: the first
     * that is not in the bin. A task has one at most.
     */
    recordsBehind?(row: object): { type: EntityType; id: number }[]
    /**
     * Whether a user may learn of a change. Asked with the row before and after it, and with the
     * record that decides on each, as it is now; undefined where all are in the bin or gone.
     */
    isHeardBy(actor: Actor, row: object, behind?: DecidingRecord): boolean
    /** Members that browsers get besides the id: the chat of a message, the record of a task. */
    shown?(row: object, before: object | null): object
    /** Whether webhooks hear of changes of a row; of all rows, where this is left out. */
    isNotified?(row: object): boolean
  }
  /** The form of the entity in the bodies of webhooks. */
  webhook?: WebhookForm
}

/** The declarations by the type in the journal. */
export type Entities = ReadonlyMap<string, EntityDeclaration>

/**
 * The declarations by type. Throws an Error if a journaled type has none or two, or sends actions
 * to webhooks without a form.
 */
export function declareEntities(declarations: readonly EntityDeclaration[]): Entities {
  const declared = new Map(declarations.map((each) => [each.type as string, each]))
  const missing = Object.keys(journaledTypes).find((type) => !declared.has(type))
  if (missing) throw new Error(`the entity type ${missing} does not declare its news`)
  if (declared.size < declarations.length) throw new Error('an entity type is declared twice')
  const formless = declarations.find(({ news, webhook }) => news.webhook.length > 0 && !webhook)
  if (formless) throw new Error(`the entity type ${formless.type} has no form for webhooks`)
  return declared
}
