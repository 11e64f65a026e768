// Templates of messages, which all users of an account share. Like other settings, they stand in no
// journal.
import { lockAccount } from '../../../../access/account.ts'
import type { Actor } from '../../../../access/actor.ts'
import type { Reader, Tx } from '../../../../database/connect.ts'
import { notFound, Problem } from '../../../../http/problem.ts'
import * as queries from './queries.ts'
import type { TemplateRow } from './queries.ts'
import type { ChatTemplateChange, NewChatTemplate } from './schema.ts'

/** Templates of an account at most. */
const most = 500

/** The templates of the account by name. */
export function listTemplates(reader: Reader, actor: Actor): Promise<TemplateRow[]> {
  return reader.rows<TemplateRow>(queries.templateList(actor))
}

/** Makes a template. The 501st: 422. */
export async function createTemplate(
  tx: Tx,
  actor: Actor,
  draft: NewChatTemplate,
): Promise<TemplateRow> {
  // No other transaction adds templates until this one ends, so the count stays true.
  await tx.rows(lockAccount(actor))
  const { total } = (await tx.row<{ total: number }>(queries.countTemplates(actor)))!
  if (total >= most) throw new Problem(422, `An account has at most ${most} templates`)
  return (await tx.row<TemplateRow>(queries.insertTemplate(actor, draft)))!
}

/** Changes a template. Unknown: 404. */
export async function changeTemplate(
  tx: Tx,
  actor: Actor,
  id: number,
  change: ChatTemplateChange,
): Promise<TemplateRow> {
  const changed = await tx.row<TemplateRow>(queries.updateTemplate(actor, id, change))
  if (!changed) throw notFound()
  return changed
}

/** Deletes a template. Unknown: 404. */
export async function deleteTemplate(tx: Tx, actor: Actor, id: number): Promise<void> {
  if (!(await tx.row(queries.removeTemplate(actor, id)))) throw notFound()
}
