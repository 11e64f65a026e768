-- Tasks of users, with or without a record.

create sequence tasks_id start 1001;
create table tasks (
  account_id bigint not null,
  id bigint not null default nextval('tasks_id'),
  text text not null,
  task_type_id bigint not null,
  responsible_user_id bigint not null,
  group_id bigint not null, -- of the responsible user
  entity_type text, -- leads, contacts, companies, customers; null: the task has no record
  entity_id bigint,
  complete_till bigint not null,
  duration bigint not null,
  is_completed boolean not null,
  result text,
  created_by bigint not null,
  updated_by bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  is_deleted boolean not null default false,
  primary key (account_id, id),
  check ((entity_type is null) = (entity_id is null))
);
create index tasks_by_creation on tasks (account_id, created_at, id) where not is_deleted;
create index tasks_by_deadline on tasks (account_id, complete_till, id) where not is_deleted;
create index tasks_by_update on tasks (account_id, updated_at, id) where not is_deleted;
create index tasks_by_type on tasks (account_id, task_type_id, id) where not is_deleted;
create index tasks_completed on tasks (account_id, id) where is_completed and not is_deleted;
create index tasks_open on tasks (account_id, complete_till, id) where not is_completed and not is_deleted;
-- What a user has to do, by time, and the counts of it.
create index tasks_open_of_user on tasks (account_id, responsible_user_id, complete_till, id) where not is_completed and not is_deleted;
-- The earliest of a record is its closest_task_at.
create index tasks_open_of_record on tasks (account_id, entity_type, entity_id, complete_till, id) where not is_completed and not is_deleted;
-- The lists of one user and of one record; a move between groups and a purge find deleted tasks too.
create index tasks_of_user on tasks (account_id, responsible_user_id, is_deleted, id);
create index tasks_of_record on tasks (account_id, entity_type, entity_id, is_deleted, id);
-- Tasks without a record, which are seen by those who may edit them.
create index tasks_of_group on tasks (account_id, group_id, id) where entity_type is null and not is_deleted;
