// /developers/filters: the cookbook as a page, rendered once. It has no script and shows no user
// input.
import { assetOf, askFirst } from './assets.ts'
import type { Asset } from './assets.ts'
import { cookbook, refused } from './cookbook.ts'
import type { Chapter, Recipe } from './cookbook.ts'

let page: Promise<Asset> | undefined

export function filtersPage(): Promise<Asset> {
  return (page ??= assetOf(Buffer.from(whole()), 'text/html; charset=utf-8', askFirst))
}

const whole = () => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Kontor filter cookbook</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/developers/page.css" />
  </head>
  <body>
    <nav><a href="/developers">Reference</a> <a href="/developers/filters" aria-current="page">Filter cookbook</a></nav>
    <main class="cookbook">
      <h1>Filter cookbook</h1>
      <p>
        Every filter of leads, contacts, companies and customers, by example. Replace each name that begins with <code>$</code> with an id or a
        time of your own. Encode a space as <code>%20</code> and a plus as <code>%2B</code>. Call <code>curl</code> with
        <code>-g</code> so that it leaves the brackets alone:
      </p>
      <pre><code>curl -sg -H "Authorization: Bearer $TOKEN" "$KONTOR/api/v4/leads?filter[price][from]=1000"</code></pre>
      <ul class="contents">${cookbook.map(({ title }) => `<li><a href="#${nameOf(title)}">${escape(title)}</a></li>`).join('')}</ul>
      ${cookbook.map(section).join('\n')}
      <section id="refused">
        <h2>Rejected filters</h2>
        <p>An unknown filter or an invalid value is answered with 400 and a description of what the filter takes. Nothing is listed:</p>
        <pre><code>${breakable(refused)}</code></pre>
        <pre><code>${escape(JSON.stringify(refused.answer, null, 2))}</code></pre>
      </section>
    </main>
  </body>
</html>
`

const section = ({ title, hint, recipes }: Chapter) => `<section id="${nameOf(title)}">
        <h2>${escape(title)}</h2>
        <p>${escape(hint).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
        <dl>${recipes.map((recipe) => `<dt>${escape(recipe.finds)}</dt><dd><code>${breakable(recipe)}</code></dd>`).join('')}</dl>
      </section>`

/** An address that may wrap before each parameter. */
const breakable = ({ list, query }: Pick<Recipe, 'query'> & { list: string }) =>
  `GET /api/v4/${list}?${query.split('&').map(escape).join('<wbr />&amp;')}`

const nameOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z]+/g, '-')

const escape = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
