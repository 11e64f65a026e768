-- The inbox of an account with very many open chats (docs/decisions/0053-chats.md).

-- Open chats by their latest message, and those of a channel in the order of the inbox.
create index chats_open_by_time on chats (account_id, last_at, id) where is_visible and talk_id is not null;
create index chats_unassigned_by_time on chats (account_id, last_at, id) where is_visible and talk_id is not null and item_id is not null;
create index chats_open_of_channel on chats (account_id, channel_id, place, id) where is_visible and talk_id is not null;
-- Chats on which the lead or the customer decides.
create index chats_without_contact on chats (account_id, entity_type, id) where contact_id is null and entity_id is not null;
