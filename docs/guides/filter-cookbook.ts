// docs/guides/filter-cookbook.md, written from the examples in server/features/programs/developers/cookbook.ts.
import { readFileSync } from 'node:fs'
import { cookbook, refused } from '../../server/features/programs/developers/cookbook.ts'
import type { Chapter } from '../../server/features/programs/developers/cookbook.ts'

/** The first block. Its fields have no code, so that it can be pasted again: a code may be used only once. */
const preparation = readFileSync(new URL('prepare-filters.sh', import.meta.url), 'utf8')

/** Each chapter has one shell block; the test that pastes documents expects every line of it to find a record. */
export const filterCookbookPage = (): string => `# Filter cookbook

<!-- Written by \`npm run docs\` from filter-cookbook.ts and prepare-filters.sh beside it, and from
     server/features/programs/developers/cookbook.ts. Edit those files. -->

This page is for programmers who read lists over the interface. It shows every filter by an example that you can paste
and change, and takes ten minutes to paste from top to bottom. [Filters and search](filters.md) explains the rules
behind the examples. On your own server, the same examples are at \`/developers/filters\`.

## Prepare the examples

Start Kontor with its demo account (\`npm start\`), open a second terminal (bash or zsh) in the same folder, and paste
the block. It needs \`curl\` and Node.js. It defines three functions and creates the records that the examples find:

- \`call\` sends a request with a token. Its option \`-g\` lets curl accept square brackets in an address.
- \`field\` prints one field of the JSON that it reads, such as \`field .name\`.
- \`names\` prints the number of records on a page and the first three of them: their names, the texts of tasks, the
  prices of purchases.

\`\`\`sh
${preparation.trim()}
\`\`\`

${cookbook.map(chapterInMarkdown).join('\n')}
## Rejected filters

Kontor answers an unknown filter or an invalid value with 400, says what the filter takes, and lists nothing:

\`\`\`sh
call "$KONTOR/api/v4/${refused.list}?${refused.query}"
\`\`\`

\`\`\`json
${JSON.stringify(refused.answer, null, 2)}
\`\`\`
`

/** A chapter as the page shows it: a paragraph and one shell block. */
export function chapterInMarkdown({ title, hint, recipes }: Chapter): string {
  const lines = recipes.map(
    ({ finds, list, query }) => `# ${finds}\ncall "$KONTOR/api/v4/${list}?${query}" | names`,
  )
  return `## ${title}\n\n${wrap(hint)}\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`
}

/** Breaks a paragraph into lines of at most 120 characters. */
function wrap(paragraph: string): string {
  const lines = ['']
  for (const word of paragraph.split(' ')) {
    const line = `${lines.at(-1)!} ${word}`.trimStart()
    if (line.length > 120) lines.push(word)
    else lines[lines.length - 1] = line
  }
  return lines.join('\n')
}
