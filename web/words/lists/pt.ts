// The texts of tables of records, which come with the first one (words.tsx).
import rows from '../pt/rows.json' with { type: 'json' }

export default {
  rows,
}
