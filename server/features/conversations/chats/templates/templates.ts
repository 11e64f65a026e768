// Templates of messages, which the users of an account share. Like other settings, they stand in no
// journal.
import { lockAccount } from '../../../../access/account.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { invalidValue, notFound, Problem } from '../../../../http/problem.ts'
import { placedBefore } from '../../../../records/placement.ts'
import { groupSummaries } from '../../../people/groups/groups.ts'
import * as queries from './queries.ts'
import type { TemplateRow } from './queries.ts'
import { templatePlaceholders } from './schema.ts'
import type { ChatTemplateChange, NewChatTemplate } from './schema.ts'

/** Templates of an account at most. */
const most = 500

/** The templates that the caller may use, in their order; administrators have all. */
export function listTemplates(reader: Reader, actor: Actor): Promise<TemplateRow[]> {
  return reader.rows<TemplateRow>(queries.templateList(actor))
}

/** Makes a template, the last one. The 501st: 422; an unknown placeholder or group: 400. */
export async function createTemplate(
  tx: Tx,
  actor: Actor,
  draft: NewChatTemplate,
): Promise<TemplateRow> {
  // No other transaction adds or moves templates until this one ends, so the count stays true.
  await tx.rows(lockAccount(actor))
  await checkTemplate(tx, actor, draft)
  const { total, last } = (await tx.row<{ total: number; last: number }>(
    queries.countTemplates(actor),
  ))!
  if (total >= most) throw new Problem(422, `An account has at most ${most} templates`)
  const { id } = (await tx.row<{ id: number }>(queries.insertTemplate(actor, draft, last + 1)))!
  return (await tx.row<TemplateRow>(queries.templateList(actor, id)))!
}

/** Changes a template. Unknown: 404; an unknown placeholder or group: 400. */
export async function changeTemplate(
  tx: Tx,
  actor: Actor,
  id: number,
  change: ChatTemplateChange,
): Promise<TemplateRow> {
  await checkTemplate(tx, actor, change)
  if (!(await tx.row(queries.updateTemplate(actor, id, change)))) throw notFound()
  return (await tx.row<TemplateRow>(queries.templateList(actor, id)))!
}

/** Moves a template before another one, or to the end. Unknown: 404; before none that there is: 400. */
export async function moveTemplate(
  tx: Tx,
  actor: Actor,
  id: number,
  before: number | null,
): Promise<void> {
  await tx.rows(lockAccount(actor))
  const known = await tx.rows<{ id: number }>(queries.templateOrder(actor))
  const ids = known.map((template) => template.id)
  await tx.rows(queries.sortTemplates(actor, placedBefore(ids, id, before)))
}

/** Deletes a template. Unknown: 404. */
export async function deleteTemplate(tx: Tx, actor: Actor, id: number): Promise<void> {
  if (!(await tx.row(queries.removeTemplate(actor, id)))) throw notFound()
}

/** A misspelled placeholder would be sent to clients as it stands. */
async function checkTemplate(
  tx: Tx,
  actor: Actor,
  { content = '', group_ids }: ChatTemplateChange,
): Promise<void> {
  for (const [text, name] of content.matchAll(/\{\{([^{}]*)\}\}/g))
    if (!templatePlaceholders.some((each) => each === name!.trim())) {
      const known = templatePlaceholders.map((each) => `{{${each}}}`).join(', ')
      throw invalidValue(
        'NotSupportedChoice',
        'content',
        `${text} is no placeholder. There are: ${known}.`,
      )
    }
  if (!group_ids) return
  const groups = await tx.rows<{ id: number }>(groupSummaries(actor))
  const unknown = group_ids.findIndex((id) => !groups.some((group) => group.id === id))
  if (unknown !== -1)
    throw invalidValue(
      'NotSupportedChoice',
      `group_ids.${unknown}`,
      `The account has no group ${group_ids[unknown]}.`,
    )
}
