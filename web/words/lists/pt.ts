// The texts of tables and of changes of many records, which come with the first of them (words.tsx).
import jobs from '../pt/jobs.json' with { type: 'json' }
import rows from '../pt/rows.json' with { type: 'json' }

export default {
  jobs,
  rows,
}
