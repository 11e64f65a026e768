-- Customers are found by the segments that they are in. New entries go into the index at once: a search reads all that
-- wait to be put there.
create index customers_by_segment on customers using gin (segment_ids) with (fastupdate = off) where not is_deleted;
