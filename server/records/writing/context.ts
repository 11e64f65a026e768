// The data from which the rows of a batch are computed, for every entity type; read once for the
// whole batch.
import type { Actor } from '../../access/actor.ts'
import type { Tx } from '../../database/connect.ts'
import { together } from '../../database/together.ts'
import type { Batch, Faults, Item } from '../../http/batch.ts'
import type { UnknownKeys } from '../../http/validate.ts'
import type { RecordRow, RecordType } from '../description.ts'
import { fieldsOf, fieldsOfDrafts, keepChoices, noFields } from '../fields/definitions.ts'
import type { Fields } from '../fields/definitions.ts'
import { noVersions, versionsFor, withVersions } from '../fields/files.ts'
import type { Versions } from '../fields/files.ts'
import { readValues } from '../fields/sent.ts'
import { mergeValues, tooHeavy } from '../fields/values.ts'
import type { KeptValues } from '../fields/values.ts'
import { groupsOfActiveUsers } from '../people.ts'
import type { SentRecord } from '../schema.ts'
import type { TagsOfBatch } from '../tags.ts'

export interface WritingContext {
  faults: Faults
  /** Whether a key that does not fit the type of a custom field is a fault. */
  unknownKeys: UnknownKeys
  tags: TagsOfBatch
  /** The groups of the active users that the batch names, and of the actor. */
  groups: ReadonlyMap<number, number>
  /** The custom fields of the type; none where no value is sent or stored. */
  fields: Fields
  /** Of the files that the batch names without one. */
  versions: Versions
}

/** The parts by which the values of custom fields are read. */
export type ValuesContext = Pick<WritingContext, 'faults' | 'unknownKeys' | 'fields' | 'versions'>

/** `stored` are the locked rows that the batch changes. */
export async function loadContext(
  tx: Tx,
  actor: Actor,
  type: RecordType,
  { items, faults, unknownKeys = 'reject', isDeferred }: Batch<SentRecord>,
  tags: TagsOfBatch,
  stored: readonly RecordRow[] = [],
): Promise<WritingContext> {
  const sent = items.map(({ value }) => value)
  const users = sent.flatMap(({ responsible_user_id, created_by, updated_by }) =>
    [responsible_user_id, created_by, updated_by].flatMap((id) => id ?? []),
  )
  const hasValues = [...stored, ...sent].some(({ custom_fields_values }) => custom_fields_values)
  const storesValues = sent.some(({ custom_fields_values }) => custom_fields_values?.length)
  const [, groups, fields, versions] = await together([
    storesValues ? tx.rows(keepChoices(actor.accountId, type)) : undefined,
    groupsOfActiveUsers(tx, actor, [...new Set([actor.userId, ...users])]),
    hasValues ? fieldsOf(tx, actor.accountId, type) : noFields,
    isDeferred ? noVersions : versionsFor(tx, actor, sent),
  ])
  return {
    faults,
    unknownKeys,
    tags,
    groups,
    fields: isDeferred ? fieldsOfDrafts(fields) : fields,
    versions,
  }
}

/**
 * The values of custom fields after an item is applied to the stored ones; faults go to the item.
 */
export function valuesAfter(
  { fields, faults, unknownKeys, versions }: ValuesContext,
  item: Item<Pick<SentRecord, 'custom_fields_values'>>,
  before: KeptValues,
): KeptValues {
  const { custom_fields_values } = item.value
  const sent = faults.spending(() =>
    readValues(fields, faults, item, custom_fields_values, unknownKeys),
  )
  const after = mergeValues(fields, before, withVersions(fields, sent, versions, before))
  const fault = after === before ? undefined : tooHeavy(after)
  if (fault) faults.add(item, fault)
  return after
}
