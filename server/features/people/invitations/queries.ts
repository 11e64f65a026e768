import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'

/** An invitation whose creator may still invite. */
const open = sql`
  from invitations invitation
  join accounts account on account.id = invitation.account_id
  join users creator on creator.account_id = invitation.account_id and creator.id = invitation.created_by
                    and creator.is_active and creator.is_admin`

export const openInvitations = (actor: Actor) => sql`
  select invitation.id, invitation.email, invitation.name, invitation.role_id,
         coalesce(invitation.group_id, 0) as group_id, invitation.is_admin, invitation.created_by,
         invitation.created_at, invitation.expires_at
  ${open}
   where invitation.account_id = ${actor.accountId} and invitation.expires_at > ${actor.at}
   order by invitation.id`

export const countInvitations = (actor: Actor) => sql`
  select count(*) as total from invitations
   where account_id = ${actor.accountId} and expires_at > ${actor.at}`

export const removeInvitationOf = (actor: Actor, email: string) => sql`
  delete from invitations where account_id = ${actor.accountId} and email = ${email}`

export const insertInvitation = (
  actor: Actor,
  row: {
    email: string
    name: string | null
    role_id: number | null
    group_id: number | null
    is_admin: boolean
    hash: Buffer
    expires_at: number
  },
) => sql`
  insert into invitations (account_id, email, name, role_id, group_id, is_admin, hash, created_by, created_at, expires_at)
  values (${actor.accountId}, ${row.email}, ${row.name}, ${row.role_id}, ${row.group_id}, ${row.is_admin}, ${row.hash},
          ${actor.userId}, ${actor.at}, ${row.expires_at})
  returning id`

export const replaceLink = (
  actor: Actor,
  id: number,
  { hash, expires_at }: { hash: Buffer; expires_at: number },
) => sql`
  update invitations set hash = ${hash}, expires_at = ${expires_at}, created_by = ${actor.userId}
   where account_id = ${actor.accountId} and id = ${id} and expires_at > ${actor.at}
  returning email`

export const removeInvitation = (actor: Actor, id: number) => sql`
  delete from invitations where account_id = ${actor.accountId} and id = ${id} returning id`

/** An invitation that somebody opens with its link. */
export interface OpenedRow {
  id: number
  account_id: number
  account_name: string
  language: string
  email: string
  name: string | null
  role_id: number | null
  group_id: number | null
  is_admin: boolean
  expires_at: number
}

/** The good invitation with a hash; at the address of an account, only one of that account. */
export const invitationByHash = (hash: Buffer, subdomain: string | undefined, at: number) => sql`
  select invitation.id, invitation.account_id, account.name as account_name, account.language, invitation.email,
         invitation.name, invitation.role_id, invitation.group_id, invitation.is_admin, invitation.expires_at
  ${open}
   where invitation.hash = ${hash} and (${subdomain ?? null}::text is null or account.subdomain = ${subdomain ?? null})
     and invitation.expires_at > ${at}`
