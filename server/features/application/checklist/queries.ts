import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'

/** Each step from what is there, so that a step that is undone is open again. */
export const checklistOf = ({ accountId, userId, at }: Actor) => sql`
  select (exists (select from users where account_id = ${accountId} and id <> ${userId})
          or exists (select from invitations where account_id = ${accountId} and expires_at > ${at})) as invite,
         exists (select from roles where account_id = ${accountId}) as role,
         exists (select from second_factors
                  where account_id = ${accountId} and user_id = ${userId} and confirmed_at is not null) as factor,
         (exists (select from integrations where account_id = ${accountId} and deleted_at is null)
          or exists (select from api_keys where account_id = ${accountId})) as program,
         exists (select from webhooks where account_id = ${accountId}) as webhook`
