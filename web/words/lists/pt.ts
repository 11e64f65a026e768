// The texts of tables and of changes of many records, which come with the first of them (words.tsx).
import customerBoard from '../pt/customer-board.json' with { type: 'json' }
import events from '../pt/events.json' with { type: 'json' }
import jobs from '../pt/jobs.json' with { type: 'json' }
import products from '../pt/products.json' with { type: 'json' }
import rows from '../pt/rows.json' with { type: 'json' }

export default {
  customerBoard,
  events,
  jobs,
  products,
  rows,
}
