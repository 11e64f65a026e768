-- Types of tasks of an account, besides the two predefined ones.

create sequence task_types_id start 1001;
create table task_types (
  account_id bigint not null,
  id bigint not null default nextval('task_types_id'),
  name text not null,
  color text not null, -- six hexadecimal digits
  icon_id bigint,
  is_deleted boolean not null default false, -- tasks still have it, and nobody can choose it
  primary key (account_id, id)
);

create index tasks_by_creator on tasks (account_id, created_by, id) where not is_deleted;

-- The tasks of the leads in a status are found from the leads that have tasks: most leads of a large status have none.
alter table leads add column has_tasks boolean not null default false;
update leads set has_tasks = true
 where (account_id, id) in (select account_id, entity_id from tasks where entity_type = 'leads' and not is_deleted);
create index leads_with_tasks on leads (account_id, pipeline_id, status_id, id) where has_tasks and not is_deleted;
