-- Records created in a range of times, in the order of ids and in that of changes: each index begins with a block of 4,096 ids, or
-- of 18 hours of changes, so that a list passes over the blocks that hold none of them (docs/decisions/0059-blocks.md).
create index leads_by_creation_in_ids on leads (account_id, (id >> 12), created_at, id) include (unsorted_id) where not is_deleted;
create index contacts_by_creation_in_ids on contacts (account_id, (id >> 12), created_at, id) where not is_deleted;
create index companies_by_creation_in_ids on companies (account_id, (id >> 12), created_at, id) where not is_deleted;
create index customers_by_creation_in_ids on customers (account_id, (id >> 12), created_at, id) where not is_deleted;
create index leads_by_creation_in_changes on leads (account_id, (updated_at >> 16), created_at, updated_at, id) include (unsorted_id)
  where not is_deleted;
create index contacts_by_creation_in_changes on contacts (account_id, (updated_at >> 16), created_at, updated_at, id) where not is_deleted;
create index companies_by_creation_in_changes on companies (account_id, (updated_at >> 16), created_at, updated_at, id) where not is_deleted;
create index customers_by_creation_in_changes on customers (account_id, (updated_at >> 16), created_at, updated_at, id) where not is_deleted;
-- Leads closed in a range of times, in the order of ids.
create index leads_by_closing_in_ids on leads (account_id, (id >> 12), closed_at, id) include (unsorted_id)
  where not is_deleted and closed_at is not null;
