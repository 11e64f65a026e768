-- Jobs that end with the deletion of a definition (docs/decisions/0102-jobs-of-definitions.md), and stages whose leads grow stale.

alter table jobs
  add column definition json; -- what is deleted at the end, and then all that brings it back

-- Descriptions of stages are shown to open pages as the stages themselves are (docs/decisions/0093-vocabulary.md).
create trigger told after insert or delete on status_descriptions for each row execute function tell_vocabulary('stages');
create trigger told_change after update on status_descriptions for each row when (old.* is distinct from new.*)
  execute function tell_vocabulary('stages');

-- Days after which an open lead of the stage is marked; null: never. The interface does not know it.
alter table statuses
  add column stale_after_days int check (stale_after_days between 1 and 1000);
