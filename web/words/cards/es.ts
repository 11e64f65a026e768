// The texts of cards, which come with the first card (words.tsx).
import card from '../es/card.json' with { type: 'json' }
import changes from '../es/changes.json' with { type: 'json' }
import feed from '../es/feed.json' with { type: 'json' }
import links from '../es/links.json' with { type: 'json' }
import merges from '../es/merges.json' with { type: 'json' }
import purchases from '../es/purchases.json' with { type: 'json' }

export default {
  card,
  changes,
  feed,
  links,
  merges,
  purchases,
}
