// The texts of tables and of changes of many records, which come with the first of them (words.tsx).
import customerBoard from '../ru/customer-board.json' with { type: 'json' }
import events from '../ru/events.json' with { type: 'json' }
import jobs from '../ru/jobs.json' with { type: 'json' }
import products from '../ru/products.json' with { type: 'json' }
import rows from '../ru/rows.json' with { type: 'json' }

export default {
  customerBoard,
  events,
  jobs,
  products,
  rows,
}
