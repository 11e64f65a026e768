-- Saved views: the filter and order of a screen under a name, of one user or shared with all users of the account.

create sequence views_id start 1001;
create table views (
  account_id bigint not null,
  id bigint not null default nextval('views_id'),
  user_id bigint not null, -- the author
  name text not null,
  screen text not null, -- such as board
  pipeline_id bigint, -- null: of every pipeline
  search text not null, -- the query string of the screen, without ?
  is_shared boolean not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  constraint views_user foreign key (account_id, user_id) references users (account_id, id),
  constraint views_pipeline foreign key (account_id, pipeline_id) references pipelines (account_id, id) on delete cascade
);
create index views_of_user on views (account_id, user_id);
create index views_shared on views (account_id, id) where is_shared;
create index views_of_pipeline on views (account_id, pipeline_id) where pipeline_id is not null;
