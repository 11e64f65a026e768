// The texts of tables and of changes of many records, which come with the first of them (words.tsx).
import customerBoard from '../en/customer-board.json' with { type: 'json' }
import events from '../en/events.json' with { type: 'json' }
import jobs from '../en/jobs.json' with { type: 'json' }
import products from '../en/products.json' with { type: 'json' }
import rows from '../en/rows.json' with { type: 'json' }

export default {
  customerBoard,
  events,
  jobs,
  products,
  rows,
}
