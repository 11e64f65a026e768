// A change becomes notices of webhooks: one for each of its actions that are told, and the body
// of one or more notices (interface: Webhook delivery; Webhook bodies).
import type { Entities, EntityDeclaration, JournalAction } from '../../../changes/entity.ts'
import type { JournalRow } from '../../../changes/position.ts'
import { payloadText, payloadFields } from '../../../changes/webhook-form.ts'
import type {
  Payload,
  PayloadValue,
  PayloadAccount,
  WebhookForm,
} from '../../../changes/webhook-form.ts'
import type { Reader } from '../../../database/connect.ts'
import type { JournaledType } from '../../../entity-types.ts'
import { formatNested } from '../../../http/nested.ts'

export interface Notice {
  entityType: JournaledType
  entityId: number
  action: JournalAction
  journalId: number
  /** The request that made the change. */
  requestId: string | null
  /** The top-level keys of the entity type. */
  keys: WebhookForm['keys']
  /** The key and the action under which the body tells the notice. */
  name: { items: string; action: JournalAction }
  /** The item of a list; of a deletion, its form in a list. */
  item: Payload
}

export interface BodyForm {
  format: 'form' | 'json'
  /** Whether a deletion is told by its id alone, or as a list of one item. */
  deletionForm: 'id' | 'list'
}

/** The order of the notices of one change. Actions that are not here are never told. */
const order: readonly JournalAction[] = [
  'add',
  'update',
  'status',
  'responsible',
  'delete',
  'restore',
  'note',
  'send',
]

/**
 * The notices of each change of one account, in the order of the changes; an Error stands for a
 * change whose notices cannot be built. Names, tags and links are those of the moment. The number
 * of statements does not grow with the number of changes.
 */
export async function buildNotices(
  reader: Reader,
  entities: Entities,
  account: PayloadAccount,
  changes: readonly JournalRow[],
): Promise<(Notice[] | Error)[]> {
  const builders = new Map<string, Builder>()
  for (const [type, ofType] of Map.groupBy(changes, ({ entity_type }) => entity_type)) {
    const declaration = entities.get(type)
    if (declaration) builders.set(type, await builderOf(reader, account, declaration, ofType))
  }
  return changes.map((change) => {
    try {
      const build = builders.get(change.entity_type)
      if (!build) throw new Error('this entity type is unknown')
      return build(change)
    } catch (error) {
      const { id, entity_type, entity_id } = change
      return new Error(
        `no notice of change ${id} (${entity_type} ${entity_id}): ${(error as Error).message}`,
        { cause: error },
      )
    }
  })
}

type Builder = (change: JournalRow) => Notice[]

async function builderOf(
  reader: Reader,
  account: PayloadAccount,
  { type, news, webhook: form }: EntityDeclaration,
  changes: readonly JournalRow[],
): Promise<Builder> {
  const actions = order.filter((action) => news.webhook.includes(action))
  if (!form || actions.length === 0) return () => []
  const having = (which: (action: JournalAction) => boolean) =>
    changes.filter((change) => noticeActions(actions, change).some(which))
  // Imported here, since a command that lists or repeats deliveries builds no notice.
  const { prepareNotes } = await import('../../activity/notes/notes.ts')
  const noteOf = await prepareNotes(
    reader,
    account,
    having((action) => action === 'note'),
  )
  const itemOf = await form.prepare(
    reader,
    account,
    having((action) => action !== 'note' && (action !== 'delete' || form.keys.deletion === null)),
  )
  const build = (change: JournalRow, action: JournalAction): Payload => {
    if (action === 'note') return { note: noteOf(change), ...form.beside }
    if (action === 'delete' && form.keys.deletion !== null) return deletionOf(form, change)
    return { ...itemOf(change, action), ...form.beside }
  }
  return (change) =>
    noticeActions(actions, change).map((action) => ({
      entityType: type,
      entityId: change.entity_id,
      action,
      journalId: change.id,
      requestId: change.request_id,
      keys: form.keys,
      name: form.renamed?.[action] ?? { items: form.keys.items, action },
      item: build(change, action),
    }))
}

const noticeActions = (actions: readonly JournalAction[], change: JournalRow) =>
  actions.filter((action) => change.actions.includes(action))

function deletionOf({ deletion, beside }: WebhookForm, { entity_id, after }: JournalRow): Payload {
  const fields = Object.fromEntries(deletion.map((name) => [name, name]))
  return { id: payloadText(entity_id), ...payloadFields(after ?? {}, fields), ...beside }
}

/**
 * The body that tells notices of one entity type and one action. A deletion told by its id is alone.
 */
export function bodyOf(
  account: PayloadAccount,
  notices: readonly Notice[],
  { format, deletionForm }: BodyForm,
): string {
  const [{ keys, action, name, entityId }] = notices as [Notice]
  const isById = action === 'delete' && deletionForm === 'id' && keys.deletion !== null
  if (isById && notices.length > 1) throw new Error('a deletion has a body of its own')
  return written(
    account,
    isById
      ? { [keys.deletion!]: { delete: payloadText(entityId) } }
      : { [name.items]: { [name.action]: notices.map(({ item }) => item) } },
    format,
  )
}

/** The body of a test notice: an account, and a word that no other notice has. */
export function testBodyOf(
  account: PayloadAccount,
  at: number,
  format: BodyForm['format'],
): string {
  return written(account, { test: { created_at: payloadText(at) } }, format)
}

function written(
  { id, subdomain, url }: Pick<PayloadAccount, 'id' | 'subdomain' | 'url'>,
  content: Payload,
  format: BodyForm['format'],
): string {
  const body = { account: { subdomain, id: payloadText(id), _links: { self: url } }, ...content }
  // PHP, and HTML forms, write a space as a plus sign.
  return format === 'json' ? JSON.stringify(body) : formatNested(body).replaceAll('%20', '+')
}

/** PHP, which many receivers are written in, drops what a form has beyond 1,000 values. */
const mostValues = 1000
/** The most characters of the values of several items. One item alone may have more. */
const mostCharacters = 131_072

/**
 * The notices of one account as the bodies that tell them, in order: notices of one request, entity
 * type and action share one, up to a size. A deletion is alone. The notices of one entity stay in
 * their order: none joins a body before one of its own.
 */
export function shareBodies(notices: readonly Notice[]): Notice[][] {
  const bodies: { notices: Notice[]; values: number; characters: number }[] = []
  const open = new Map<string, number>()
  const latest = new Map<string, number>()
  for (const notice of notices) {
    const { entityType, entityId, action, requestId, item } = notice
    const [kind, entity] = [`${requestId} ${entityType} ${action}`, `${entityType} ${entityId}`]
    const isShared = requestId !== null && action !== 'delete'
    const { values, characters } = sizeOf(item)
    const at = isShared ? open.get(kind) : undefined
    const body = at === undefined ? undefined : bodies[at]!
    const fits =
      body &&
      at! >= (latest.get(entity) ?? 0) &&
      body.values + values <= mostValues &&
      body.characters + characters <= mostCharacters
    if (fits) {
      body.notices.push(notice)
      body.values += values
      body.characters += characters
      latest.set(entity, at!)
    } else {
      // Each body has the three values of its account.
      bodies.push({ notices: [notice], values: values + 3, characters })
      open.set(kind, bodies.length - 1)
      latest.set(entity, bodies.length - 1)
    }
  }
  return bodies.map((body) => body.notices)
}

function sizeOf(value: PayloadValue): { values: number; characters: number } {
  if (typeof value === 'string') return { values: 1, characters: value.length }
  const size = { values: 0, characters: 0 }
  for (const inner of Object.values(value)) {
    const { values, characters } = sizeOf(inner)
    size.values += values
    size.characters += characters
  }
  return size
}
