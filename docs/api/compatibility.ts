// docs/compatibility.md, written from the methods of the interface (methods.ts) and the routes that there are. An untrue row stops the writer.
import { readdirSync } from 'node:fs'
import { chapters, forgiven, ownPaths, refused } from './methods.ts'
import type { Chapter, Method, Status } from './methods.ts'
import { withoutEffect } from './without-effect.ts'
import type { WithoutEffect } from './without-effect.ts'

const verbs = ['get', 'post', 'patch', 'put', 'delete']

/** The routes of an OpenAPI document, as `GET /api/v4/leads`. */
export function routesOf(document: object): Set<string> {
  const { paths } = document as { paths: Record<string, object> }
  return new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((verb) =>
        verbs.includes(verb) ? [`${verb.toUpperCase()} ${path}`] : [],
      ),
    ),
  )
}

const namesOf = ({ methods, path }: Method) => methods.split(' ').map((verb) => `${verb} ${path}`)

/** Sentences about rows that are not true of the routes, and routes without a row. */
export function untruthsOf(
  routes: ReadonlySet<string>,
  listed: readonly Chapter[] = chapters,
): string[] {
  const rows = listed.flatMap(({ methods }) => methods)
  const names = rows.flatMap(namesOf)
  const known = new Set(names)
  return [
    ...rows.flatMap((row) =>
      namesOf(row).flatMap((name) => {
        const isServed = routes.has(name)
        if (isServed && row.status === 'not yet')
          return [`${name} is served, and stands there as not yet`]
        if (!isServed && row.status !== 'not yet')
          return [`${name} is not served, and stands there as ${row.status}`]
        return []
      }),
    ),
    ...rows.flatMap((row) =>
      row.status === 'differs' && row.note === undefined
        ? [`${row.path} differs, and nothing says how`]
        : [],
    ),
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `${name} stands there twice`),
    ...[...routes]
      .filter(
        (name) =>
          !known.has(name) && !ownPaths.some(({ path }) => isBelow(name.split(' ')[1]!, path)),
      )
      .map((name) => `${name} is served, and stands in no list`),
  ]
}

/** The bare address is a page of its own, not the beginning of all. */
const isBelow = (route: string, path: string): boolean =>
  path === '/' ? route === path : route.startsWith(path)

/** The page. Throws for rows that are not true. */
export function compatibilityPage(routes: ReadonlySet<string>): string {
  const untruths = untruthsOf(routes)
  if (untruths.length > 0)
    throw new Error(`docs/api/methods.ts does not fit the routes:\n  ${untruths.join('\n  ')}`)
  const rows = chapters.flatMap(({ methods }) => methods)
  const count = (status: Status) =>
    rows.filter((each) => each.status === status).flatMap(namesOf).length
  return `# Will my program run?

<!-- Written by \`npm run docs\` from docs/api/methods.ts and without-effect.ts. Edit those files. -->

This page compares Kontor, method by method, with the interface that it implements: OAuth 2.0, JSON under \`/api/v4\`, the older \`/api/v2\`
methods, and chat channels. A program that uses only methods marked **works** should run unchanged. Read the sentence beside each method
marked **differs**. The [OpenAPI document](api/openapi.json) has every parameter and every answer.

| | Methods |
|---|---|
| works | ${count('works')} |
| differs: works, and differs on purpose | ${count('differs')} |
| not yet: answers 404, or 401 without a valid token | ${count('not yet')} |
| Kontor only: not part of the interface | ${count('addition')} |

## Methods that are not built

These methods of the interface answer 404, or 401 without a valid token:

${rows
  .filter(({ status }) => status === 'not yet')
  .map(({ methods, path }) => `- ${methods.replaceAll(' ', ', ')} \`${path}\``)
  .join('\n')}

## All methods

Kontor forgives where it harms nobody:

${forgiven.map(item).join('\n')}

It is strict, or differs, here:

${refused.map(item).join('\n')}

## Members without effect

Every member of a body has an effect, or the body is refused with 400 and a sentence about it. The exceptions are the members that the
[OpenAPI document](api/openapi.json) marks as \`readOnly\`, which Kontor computes, and these, which programs send:

| Member | Requests | Why |
|---|---|---|
${withoutEffect.map(exception).join('\n')}

${chapters.map(section).join('\n\n')}

## Paths of Kontor itself

${ownPaths.map(({ path, use }) => `- \`${path}\`: ${use}`).join('\n')}
`
}

const item = ([sentence, decision]: [sentence: string, decision?: number]) =>
  `- ${sentence}${decision === undefined ? '' : ` (${linkTo(decision)})`}`

function exception({ member, beside, requests, why }: WithoutEffect): string {
  const label = beside === undefined ? `\`${member}\`` : `\`${member}\` beside \`${beside}\``
  return `| ${label} | ${requests.map((request) => `\`${request.replace(/^\*\* /, '')}\``).join(', ')} | ${why} |`
}

const marks: Record<Status, string> = {
  works: 'works',
  differs: '**differs**',
  'not yet': 'not yet',
  addition: 'Kontor only',
}

const section = ({ title, methods }: Chapter) => `## ${title}

| Method | Path | | |
|---|---|---|---|
${methods.map(line).join('\n')}`

function line({ methods, path, status, note = '', decision }: Method): string {
  const more = [note, decision === undefined ? '' : `(${linkTo(decision)})`]
    .filter(Boolean)
    .join(' ')
  return `| ${methods.replaceAll(' ', ', ')} | \`${path}\` | ${marks[status]} | ${more} |`.replace(
    / {2}\|$/,
    ' |',
  )
}

const pages = readdirSync(new URL('../decisions', import.meta.url))

function linkTo(decision: number): string {
  const page = pages.find((name) => name.startsWith(String(decision).padStart(4, '0')))
  if (page === undefined) throw new Error(`there is no decision page ${decision}`)
  return `[decision ${decision}](decisions/${page})`
}
