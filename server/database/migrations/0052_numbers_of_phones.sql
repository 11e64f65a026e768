-- Phones whose rows of field_texts and lines of record_texts are still those of all digits of a value. Now each number of a value has its
-- own, without its extension (records/fields/phones.ts). A process indexes them again in the background: `done_value` and `done_to` name the
-- last row of field_texts that it has looked at.
create table phones_to_index (
  account_id bigint not null references accounts,
  entity_type text not null,
  field_id bigint not null,
  done_value text collate "C" not null default '',
  done_to bigint not null default 0,
  primary key (account_id, entity_type)
);
insert into phones_to_index (account_id, entity_type, field_id)
select account_id, entity_type, id from custom_fields where code = 'PHONE' and type = 'multitext';
