// The texts of cards, which come with the first card (words.tsx).
import card from '../en/card.json' with { type: 'json' }
import changes from '../en/changes.json' with { type: 'json' }
import feed from '../en/feed.json' with { type: 'json' }
import links from '../en/links.json' with { type: 'json' }
import merges from '../en/merges.json' with { type: 'json' }
import purchases from '../en/purchases.json' with { type: 'json' }

export default {
  card,
  changes,
  feed,
  links,
  merges,
  purchases,
}
