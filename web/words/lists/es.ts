// The texts of tables and of changes of many records, which come with the first of them (words.tsx).
import customerBoard from '../es/customer-board.json' with { type: 'json' }
import events from '../es/events.json' with { type: 'json' }
import jobs from '../es/jobs.json' with { type: 'json' }
import products from '../es/products.json' with { type: 'json' }
import rows from '../es/rows.json' with { type: 'json' }

export default {
  customerBoard,
  events,
  jobs,
  products,
  rows,
}
