// The floor for the intake of unsorted items: the statements of features/records/unsorted from a bare server,
// without framework, access check or validation.
import { startWriting } from '../server/access/actor.ts'
import { createHash, randomBytes } from 'node:crypto'
import { serverItself } from '../server/access/user-access.ts'
import { record } from '../server/changes/record.ts'
import { readConfig } from '../server/config.ts'
import { connect } from '../server/database/connect.ts'
import { leads } from '../server/features/records/leads/leads.ts'
import { lossReasonsAmong } from '../server/features/definitions/loss-reasons/loss-reasons.ts'
import {
  lockTargetPipelines,
  stagesAround,
} from '../server/features/definitions/pipelines/pipelines.ts'
import * as queries from '../server/features/records/unsorted/queries.ts'
import type { NewItemRow } from '../server/features/records/unsorted/queries.ts'
import { groupsOfActiveUsers } from '../server/records/people.ts'
import { insertRows } from '../server/records/writing/statements.ts'
import type { InsertedRow } from '../server/records/writing/statements.ts'
import { account, serve } from './bare.ts'
import type { BareRequest } from './bare.ts'

interface SentForm {
  source_name: string
  source_uid: string
  metadata: NewItemRow['metadata']
  _embedded: { leads: { name: string; price: number }[]; contacts: object[] }
}

const { userId } = account
const config = readConfig()
const database = connect(config.databaseUrl!, config.databasePool)
const actor = { ...serverItself(account.id, 0), userId }

serve(answer)

async function answer({ body }: BareRequest): Promise<string> {
  actor.at = Math.floor(Date.now() / 1000)
  const items = (await body()) as SentForm[]
  return database.transaction(async (tx) => {
    const names = items.map(({ source_uid }) => {
      return { category: 'forms' as const, source_uid }
    })
    await tx.rows(queries.lockRequests(actor, names))
    await tx.rows(queries.waitingBySource(actor, names))
    await lockTargetPipelines(tx, actor, [{}], 'create')
    await groupsOfActiveUsers(tx, actor, [userId])
    const drawn = await tx.row<{ unsorted_items: number[]; contacts: number[] }>(
      queries.drawIds(items.length, items.length, 0),
    )
    const groups = await groupsOfActiveUsers(tx, actor, [userId])
    const stages = await stagesAround(tx, actor, [], [])
    await lossReasonsAmong(tx, actor, [])
    const status_id = stages.unsorted(stages.main)!
    const rows = items.map(({ _embedded }, index) => ({
      ..._embedded.leads[0]!,
      responsible_user_id: userId,
      group_id: groups.get(userId)!,
      created_by: userId,
      updated_by: userId,
      created_at: actor.at,
      updated_at: actor.at,
      custom_fields_values: null,
      tag_ids: [],
      pipeline_id: stages.main,
      status_id,
      loss_reason_id: null,
      source_id: null,
      closed_at: null,
      unsorted_id: drawn!.unsorted_items[index]!,
      numbers: [],
      texts: [],
      isUntitled: false,
      text: _embedded.leads[0]!.name,
      grams: _embedded.leads[0]!.name,
    }))
    const inserted = await tx.rows<InsertedRow>(insertRows(leads, actor, rows))
    const added = items.map((item, index): NewItemRow => {
      const { source_name, source_uid, metadata, _embedded } = item
      return {
        id: drawn!.unsorted_items[index]!,
        uid: randomBytes(30).toString('hex'),
        category: 'forms',
        source_uid,
        source_name,
        pipeline_id: stages.main,
        status_id,
        lead_ids: [inserted[index]!.id],
        contact_ids: [drawn!.contacts[index]!],
        company_ids: [],
        metadata,
        data: { leads: _embedded.leads, contacts: _embedded.contacts, companies: [], notes: [] },
        content: createHash('sha256').update(JSON.stringify(item)).digest('base64'),
        client_id: null,
        created_by: userId,
        created_at: actor.at,
        at: actor.at,
      }
    })
    await tx.rows(queries.insertItems(actor, added))
    await record(
      tx,
      startWriting(tx, actor),
      added.map(({ id }) => ({
        type: 'unsorted_items',
        id,
        actions: ['add'],
        before: null,
        events: [],
      })),
    )
    return JSON.stringify({
      _embedded: { unsorted: added.map(({ uid, lead_ids }) => ({ uid, lead_ids })) },
    })
  })
}
