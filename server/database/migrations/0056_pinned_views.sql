-- The saved views that a user has pinned to the navigation.

create table pinned_views (
  account_id bigint not null,
  user_id bigint not null,
  view_id bigint not null,
  pinned_at bigint not null,
  primary key (account_id, user_id, view_id),
  constraint pinned_views_user foreign key (account_id, user_id) references users (account_id, id),
  constraint pinned_views_view foreign key (account_id, view_id) references views (account_id, id) on delete cascade
);
create index pinned_views_of_view on pinned_views (account_id, view_id);
-- As of every table (0053_autovacuum.sql).
alter table pinned_views set (
  autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05
);
