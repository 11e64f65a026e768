-- Whether an integration asks to manage people and roles, and whether the account lets it. Those that
-- are there may do so already and go on; new ones begin without.
alter table integrations add column manages_people boolean not null default true;
alter table integrations alter column manages_people set default false;
alter table installations add column manages_people boolean not null default true;
alter table installations alter column manages_people set default false;

-- The integration whose token made a user; null: people, commands, and users of older versions.
alter table users add column made_by uuid;
create index users_made_by on users (account_id, made_by) where made_by is not null;
