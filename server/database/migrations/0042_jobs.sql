-- Changes of many records at once, which the background makes batch by batch (docs/decisions/0074-jobs.md).

create sequence jobs_id start 1001;
create table jobs (
  account_id bigint not null,
  id bigint not null default nextval('jobs_id'),
  user_id bigint not null, -- who asked, and whose rights count
  request_id uuid not null, -- of the request that asked; the news of the changes carry it
  kind text not null, -- move, assign, tag, task, delete, undo
  action json not null, -- as it was asked; of an undo: that of the job that it undoes
  undoes bigint, -- the job whose changes an undo takes back
  undone_by bigint, -- the last undo of this job
  filter text, -- the query string that finds the records; null: they were named
  last_id bigint not null default 0, -- no record beyond it existed when the job was asked for
  found_to bigint, -- records up to this id have been looked for; null: all have
  done_to bigint not null default 0, -- records up to this id are done or skipped
  state text not null default 'waiting', -- waiting, running, done, cancelled, failed
  is_cancelling boolean not null default false,
  detail text, -- why it failed
  total bigint, -- null until all records are found
  done bigint not null default 0,
  skipped bigint not null default 0,
  changed bigint not null default 0, -- of those done: how many can be taken back
  faults json not null default '[]', -- why the first records were skipped
  created_at bigint not null,
  finished_at bigint,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id)
);
create index jobs_unfinished on jobs (account_id, user_id, id) where finished_at is null;
create index jobs_of_user on jobs (account_id, user_id, id);
create index jobs_old on jobs (finished_at) where finished_at is not null;

-- The records of a job, and of those that it changed what they were before and what it made of them.
create table job_records (
  account_id bigint not null,
  job_id bigint not null,
  record_id bigint not null,
  before json,
  after json,
  primary key (account_id, job_id, record_id)
);
