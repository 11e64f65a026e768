// The texts of tables of records, which come with the first one (words.tsx).
import rows from '../ru/rows.json' with { type: 'json' }

export default {
  rows,
}
