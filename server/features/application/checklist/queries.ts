import sql from 'sql-template-tag'
import type { Actor } from '../../../access/actor.ts'
import { firstPipeline, lost, won } from '../../definitions/pipelines/pipelines.ts'
import { partnerPipeline } from '../demo/demo.ts'
import { readyStages } from '../setup/setup.ts'

/** The stages that an account is given, a line for each. An account that has others has shaped its pipeline. */
const ready = [
  ...readyStages(),
  ...[firstPipeline, partnerPipeline].map(({ statuses }) => statuses.map(({ name }) => name)),
].map((names) => names.join('\n'))

/** Each step from what is there, so that a step that is undone is open again. */
export const checklistOf = ({ accountId, userId, at }: Actor) => sql`
  select exists (select from pipelines pipeline
                  where account_id = ${accountId}
                    and (select string_agg(name, ${'\n'} order by sort, status.id) from statuses status
                          where status.account_id = pipeline.account_id and pipeline_id = pipeline.id
                            and type = 0 and status.id not in (${won}, ${lost})) <> all(${ready})) as pipeline,
         exists (select from custom_fields
                  where account_id = ${accountId} and not is_predefined
                    and entity_type in ('leads', 'contacts', 'companies', 'customers', 'segments')) as fields,
         (exists (select from users where account_id = ${accountId} and id <> ${userId})
          or exists (select from invitations where account_id = ${accountId} and expires_at > ${at})) as invite,
         exists (select from roles where account_id = ${accountId}) as role,
         exists (select from second_factors
                  where account_id = ${accountId} and user_id = ${userId} and confirmed_at is not null) as factor,
         (exists (select from integrations where account_id = ${accountId} and deleted_at is null)
          or exists (select from api_keys where account_id = ${accountId})) as program,
         exists (select from webhooks where account_id = ${accountId}) as webhook`
