-- Days of custom fields are stored as they begin in a zone that never changes (docs/decisions/0091-days-and-zones.md).
-- The accounts of before have stored them in their own; in UTC no day is skipped and no rule ever changes.
alter table accounts add column stored_timezone text not null default 'UTC';
update accounts set stored_timezone = timezone;
