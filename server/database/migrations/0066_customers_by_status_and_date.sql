-- The board of customers shows each status in the order of the next purchase.
create index customers_by_status_and_date on customers (account_id, status_id, next_date, id) where not is_deleted;
