-- Calls find their contact or company by the last ten digits of a phone, and a repeated call finds its first note.

-- Phones stand in field_texts by all their digits. The few other texts of contacts and companies that are digits only are here too.
-- The value is included for scans of the index alone: otherwise that of the key would look cheaper, and read all phones of an account.
create index field_texts_by_last_digits on field_texts (account_id, field_id, entity_type, "right"(value, 10), entity_id) include (value)
  where entity_type in ('contacts', 'companies') and value ~ '^[0-9]+$';

create index notes_of_calls on notes (account_id, note_type, ((params ->> 'uniq') collate "C"), id)
  where note_type in ('call_in', 'call_out');
