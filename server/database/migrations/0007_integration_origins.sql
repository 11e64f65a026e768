-- The origins of an integration's browser programs, which may call the interface from their pages.

alter table integrations add column origins text[] not null default '{}';
create index integrations_with_origins on integrations (client_id) where origins <> '{}' and deleted_at is null;
