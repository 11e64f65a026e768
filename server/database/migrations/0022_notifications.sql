-- Notices of the server to people. Times are Unix seconds.

create sequence notifications_id start 1001;
create table notifications (
  account_id bigint not null,
  id bigint not null default nextval('notifications_id'),
  user_id bigint not null, -- 0: every administrator
  kind text not null, -- such as webhook_disabled
  values json not null,
  created_at bigint not null,
  primary key (account_id, id)
);
create index notifications_of_user on notifications (account_id, user_id, id);
create index notifications_old on notifications (created_at);

create table notification_reads (
  account_id bigint not null,
  user_id bigint not null,
  notification_id bigint not null,
  primary key (account_id, user_id, notification_id)
);
