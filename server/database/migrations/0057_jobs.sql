-- Jobs change contacts and companies too, and a long one is worked on in two lanes at once (docs/decisions/0074-jobs.md).

alter table jobs
  add column entity_type text not null default 'leads', -- whose records: leads, contacts, companies
  add column left_out bigint[] not null default '{}', -- records that the filter finds and that stay as they are
  add column found bigint not null default 0, -- records that have been found
  add column split_at bigint, -- the first record of the second lane; null: the first lane has all
  add column lanes bigint[]; -- the last record of each lane that is done or skipped; null: all of the lane are
alter table jobs alter column entity_type drop default;
update jobs set found = coalesce(total, (select count(*) from job_records
                                          where job_records.account_id = jobs.account_id and job_id = jobs.id)),
                lanes = array[done_to, null]
 where finished_at is null;
update jobs set lanes = '{null,null}' where lanes is null;
alter table jobs alter column lanes set not null;
alter table jobs drop column done_to;
