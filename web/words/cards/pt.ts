// The texts of cards, which come with the first card (words.tsx).
import card from '../pt/card.json' with { type: 'json' }
import changes from '../pt/changes.json' with { type: 'json' }
import feed from '../pt/feed.json' with { type: 'json' }
import links from '../pt/links.json' with { type: 'json' }
import merges from '../pt/merges.json' with { type: 'json' }
import purchases from '../pt/purchases.json' with { type: 'json' }

export default {
  card,
  changes,
  feed,
  links,
  merges,
  purchases,
}
