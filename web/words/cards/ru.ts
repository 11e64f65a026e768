// The texts of cards, which come with the first card (words.tsx).
import card from '../ru/card.json' with { type: 'json' }
import changes from '../ru/changes.json' with { type: 'json' }
import feed from '../ru/feed.json' with { type: 'json' }
import links from '../ru/links.json' with { type: 'json' }
import merges from '../ru/merges.json' with { type: 'json' }
import purchases from '../ru/purchases.json' with { type: 'json' }

export default {
  card,
  changes,
  feed,
  links,
  merges,
  purchases,
}
