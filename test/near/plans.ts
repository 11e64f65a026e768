// Which rows of test/plans judge the statements of which files. A row is a test, or an array that
// begins with the title of one: `['tasks of a user', { ask: () => taskList(…) }]`. It uses a file if
// it names something that is imported from there, itself or through the functions that it calls.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'
import { pathFrom } from '../imports.ts'
import { literally } from '../literally.ts'

export interface PlanRow {
  /** A pattern that the title of the test holds. */
  title: string
  /** The files of the server that it uses. */
  uses: readonly string[]
}

interface Node {
  type: string
  [key: string]: unknown
}

interface Source {
  file: string
  body: Node[]
  /** What stands under a name in the file, outside of all functions. */
  declared: Map<string, Node>
  /** Where a name is imported from, and its name there; none for all names of that file. */
  imported: Map<string, { from: string; name: string | undefined }>
}

export function readPlanRows(root: string, files: ReadonlySet<string>): PlanRow[] {
  const sources = new Map(
    [...files]
      .filter((file) => file.startsWith('test/plans') && file.endsWith('.ts'))
      .map((file) => [file, sourceOf(file, readFileSync(path.join(root, file), 'utf8'))]),
  )
  return planRows(sources)
}

export function planRows(sources: ReadonlyMap<string, Source>): PlanRow[] {
  return [...sources.values()].flatMap((source) =>
    source.body.flatMap(titledIn).map(({ title, node }) => ({ title, uses: usesOf(source, node) })),
  )

  function usesOf(source: Source, node: Node): string[] {
    const used = new Set<string>()
    const seen = new Set<Node>()
    follow(source, node)
    return [...used]

    function follow(within: Source, each: Node): void {
      if (seen.has(each)) return
      seen.add(each)
      for (const name of namesIn(each)) {
        const declaration = within.declared.get(name)
        if (declaration) follow(within, declaration)
        const imported = within.imported.get(name)
        if (imported?.from.startsWith('server/')) used.add(imported.from)
        const other = sources.get(imported?.from ?? '')
        for (const node of partsOf(other, imported?.name)) follow(other!, node)
      }
    }
  }
}

/** What stands under a name of a source, or all of it. */
function partsOf(source: Source | undefined, name: string | undefined): Node[] {
  return name === undefined ? (source?.body ?? []) : [source?.declared.get(name) ?? []].flat()
}

export function sourceOf(file: string, text: string): Source {
  const { program, module } = parseSync(file, text)
  const body = program.body as unknown as Node[]
  const imports = module.staticImports.flatMap(({ entries, moduleRequest }) =>
    entries
      .filter(({ isType }) => !isType && moduleRequest.value.startsWith('.'))
      .map(({ localName, importName }) => {
        const from = pathFrom(file, moduleRequest.value)
        return [localName.value, { from, name: importName.name ?? undefined }] as const
      }),
  )
  return { file, body, declared: new Map(body.flatMap(declarationsIn)), imported: new Map(imports) }
}

function declarationsIn(statement: Node): [string, Node][] {
  const { declaration } = statement as { declaration?: Node | null }
  if (declaration && statement.type.startsWith('Export')) return declarationsIn(declaration)
  if (statement.type === 'FunctionDeclaration')
    return [[(statement['id'] as { name: string }).name, statement]]
  if (statement.type !== 'VariableDeclaration') return []
  return (statement['declarations'] as Node[]).flatMap((each) =>
    namesIn(each['id'] as Node).map((name): [string, Node] => [name, each]),
  )
}

/** The outermost parts of a statement that have a title of their own. */
function titledIn(node: Node): { title: string; node: Node }[] {
  const title = titleOf(node)
  return title === undefined ? childrenOf(node).flatMap(titledIn) : [{ title, node }]
}

function titleOf(node: Node): string | undefined {
  if (node.type === 'ArrayExpression') {
    const [first, second] = node['elements'] as (Node | null)[]
    const pattern = second && patternOf(second) === undefined ? patternOf(first) : undefined
    // The title of the test ends with that of its row: `tasks: ${name}`.
    return pattern === undefined ? undefined : `\\b${pattern}$`
  }
  if (node.type !== 'CallExpression') return undefined
  if (!['test', 'describe'].includes(rootOf(node))) return undefined
  return patternOf((node['arguments'] as Node[])[0])
}

/** The name that a chain begins with: `test` of `test.each(rows)('title', …)`. */
function rootOf(node: Node): string {
  const { callee, object, name } = node as { callee?: Node; object?: Node; name?: string }
  const inner = callee ?? object
  return inner ? rootOf(inner) : (name ?? '')
}

/** The pattern of the titles that a text makes; undefined for all but texts, and for a text of placeholders alone. */
function patternOf(node: Node | null | undefined): string | undefined {
  const texts =
    node?.type === 'TemplateLiteral'
      ? (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
      : typeof node?.['value'] === 'string'
        ? [node['value']]
        : []
  const fixed = texts.flatMap((text) => text.split(/%[sdifjo]|\$[\w.]+/))
  return fixed.some((text) => /\w/.test(text))
    ? fixed.map((text) => literally(text)).join('.*')
    : undefined
}

/** The names that a part of a program mentions, without those of properties. */
function namesIn(node: Node): string[] {
  if (node.type === 'Identifier') return [node['name'] as string]
  return childrenOf(node).flatMap(namesIn)
}

function childrenOf(node: Node): Node[] {
  const isNamed =
    !node['computed'] && (node.type === 'MemberExpression' || node.type === 'Property')
  const { key, property, ...parts } = node
  const rest = isNamed ? parts : node
  return Object.values(rest).flat().filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
