import sql from 'sql-template-tag'
import type { Tx } from '../../database/connect.ts'
import { accessChanged } from '../../http/access.ts'
import type { Rights } from '../../http/access.ts'
import { hashPassword } from '../../secrets.ts'

/** Everything allowed. */
export const fullRights: Rights = {
  leads: { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' },
  contacts: { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' },
  companies: { view: 'A', edit: 'A', add: 'A', delete: 'A', export: 'A' },
  tasks: { edit: 'A', delete: 'A' },
  mail_access: true,
  catalog_access: true,
}

export interface NewUser {
  name: string
  email: string
  /** Undefined: the user cannot sign in, only use tokens. */
  password?: string | undefined
  is_admin?: boolean
  /** What is not said is denied; everything is allowed when nothing is said. */
  rights?: Partial<Rights>
  group_id?: number
  language?: string
}

/** Adds a user to an account and answers the id. An e-mail that the account has already: 400. */
export async function createUser(tx: Tx, accountId: number, at: number, draft: NewUser): Promise<number> {
  const created = await tx.row<{ id: number }>(sql`
    insert into users (account_id, name, email, password_hash, language, group_id, is_admin, rights, created_at, updated_at)
    values (${accountId}, ${draft.name.trim()}, ${draft.email.trim().toLowerCase()},
            ${draft.password === undefined ? null : await hashPassword(draft.password)}, ${draft.language ?? 'en'},
            ${draft.group_id ?? 0}, ${draft.is_admin ?? false}, ${JSON.stringify(wholeRights(draft.rights))}::jsonb, ${at}, ${at})
    returning id`)
  return created!.id
}

const nothing = { view: 'D', edit: 'D', add: 'D', delete: 'D', export: 'D' } as const

function wholeRights(rights: Partial<Rights> | undefined): Rights {
  if (!rights) return fullRights
  return {
    leads: { ...nothing, ...rights.leads },
    contacts: { ...nothing, ...rights.contacts },
    companies: { ...nothing, ...rights.companies },
    tasks: { edit: 'D', delete: 'D', ...rights.tasks },
    mail_access: rights.mail_access ?? false,
    catalog_access: rights.catalog_access ?? false,
  }
}

export interface UserSettings {
  password?: string | undefined
  isActive?: boolean | undefined
}

/** Changes a user; all tokens of a deactivated one stop at once. Answers whether there is such a user. */
export async function setUser(tx: Tx, accountId: number, at: number, email: string, settings: UserSettings): Promise<boolean> {
  const password_hash = settings.password === undefined ? null : await hashPassword(settings.password)
  const changed = await tx.row(sql`
    update users
       set password_hash = coalesce(${password_hash}, password_hash), is_active = coalesce(${settings.isActive ?? null}, is_active),
           updated_at = ${at}
     where account_id = ${accountId} and email = ${email.trim().toLowerCase()} returning id`)
  await accessChanged(tx)
  return changed !== undefined
}
