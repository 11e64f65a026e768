-- The records that the demo made, so that they can be removed and nobody else's are.

create table demo_records (
  account_id bigint not null references accounts,
  entity_type text not null, -- leads, contacts, companies, customers, tasks (those without a record), unsorted_items
  id bigint not null,
  primary key (account_id, entity_type, id)
);
