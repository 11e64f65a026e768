-- The characters and pairs of characters in the search texts of eight ids each, by which words of one and two characters are found
-- (docs/decisions/0064-short-words.md). Written in the background. Only the index reads the arrays, so they lie outside the rows.
create table text_blocks (
  account_id bigint not null,
  entity_type text not null,
  block bigint not null, -- an id divided by 8
  pairs int[] not null,
  primary key (account_id, entity_type, block)
) partition by list (entity_type);
create table text_blocks_of_leads partition of text_blocks for values in ('leads') with (toast_tuple_target = 128);
create table text_blocks_of_contacts partition of text_blocks for values in ('contacts') with (toast_tuple_target = 128);
create table text_blocks_of_companies partition of text_blocks for values in ('companies') with (toast_tuple_target = 128);
create table text_blocks_of_customers partition of text_blocks for values in ('customers') with (toast_tuple_target = 128);
alter table text_blocks_of_leads alter column pairs set storage external;
alter table text_blocks_of_contacts alter column pairs set storage external;
alter table text_blocks_of_companies alter column pairs set storage external;
alter table text_blocks_of_customers alter column pairs set storage external;
create index text_blocks_pairs on text_blocks using gin (account_id, pairs);

-- The texts that have blocks. These hold all that was written up to the journal's row journal_id.
create table blocked_texts (
  account_id bigint not null,
  entity_type text not null,
  journal_id bigint not null,
  primary key (account_id, entity_type)
);
