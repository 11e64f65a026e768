-- The feed of a card (docs/decisions/0079-timeline.md). It merges notes, completed tasks, changes and messages by time; each has an index
-- that begins with the record. Changes are in the order of events_by_entity, messages in that of messages_of_chat.
create index notes_by_time on notes (account_id, entity_type, entity_id, created_at, id) where note_type <> 'entity_added';
create index notes_pinned on notes (account_id, entity_type, entity_id, created_at, id) where is_pinned;

alter table tasks add column completed_at bigint; -- null: the task is open
update tasks task set completed_at = coalesce(
    (select max(event.created_at) from events event
      where event.account_id = task.account_id and event.entity_type = 'task' and event.entity_id = task.id and event.type = 'task_completed'),
    task.updated_at)
 where task.is_completed;
create index tasks_completed_of_record on tasks (account_id, entity_type, entity_id, completed_at, id)
  where completed_at is not null and not is_deleted;

-- A user is told once that a note or a task mentions the user.
create unique index notifications_of_mention on notifications (account_id, user_id, (values ->> 'about')) where kind = 'mention';
