-- A deleted tag is one of the things that are taken off records in the background.

alter table cleanups add column tag_id bigint;
