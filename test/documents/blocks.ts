// The shell blocks of a document, and the commands that it names.
import type { Command } from 'commander'

export interface Block {
  text: string
  /** The line of the document on which the block begins. */
  line: number
  /** Whether the document shows a refusal below it: an answer in JSON with a status from 400 to 499. */
  isRefused: boolean
}

/** The blocks of a shell, in their order, those in lists too. */
export function blocksOf(document: string): Block[] {
  const fences = /^( *)```(?:sh|bash|shell|console)\n(.*?)^\1```/gms
  return [...document.matchAll(fences)].map((match) => ({
    text: match[2]!.replaceAll(new RegExp(`^${match[1]}`, 'gm'), ''),
    line: document.slice(0, match.index).split('\n').length,
    isRefused: /^\s*```json\n[^`]*"status": 4\d\d\b/.test(
      document.slice(match.index + match[0].length),
    ),
  }))
}

/** Sentences about command lines of `kontor` in code that name a command or an option that there is not. */
export function commandFaults(document: string, program: Command): string[] {
  return commandLinesOf(document).flatMap((line) => faultsOf(line, program))
}

/**
 * The words after `bin/kontor` anywhere, and after `kontor` at the beginning of a line or of a piece of code; elsewhere it
 * is the name of a user or a folder.
 */
function commandLinesOf(document: string): string[] {
  const blocks = [...document.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, text]) => text!)
  const prose = document.replaceAll(/^```\w*\n.*?^```/gms, '')
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, text]) => text!.replaceAll('\n', ' '))
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n/g, ' ').split('\n'))
  return [...spans, ...lines].flatMap((line) =>
    [...line.matchAll(/(?:bin\/|^\s*)kontor ([^|;)]*)/g)].map(([, words]) => words!),
  )
}

function faultsOf(line: string, program: Command): string[] {
  const words = line
    .replaceAll(/'[^']*'|"[^"]*"/g, '…')
    .split(/\s+/)
    .filter(Boolean)
  let command = program
  while (command.commands.length > 0 && /^[a-z]/.test(words[0] ?? '')) {
    const name = words.shift()!
    const found = command.commands.find((each) => each.name() === name)
    if (!found) return [`"kontor ${line.trim()}": there is no command "${name}"`]
    command = found
  }
  const known = command.options.flatMap(({ long }) => (long ? [long] : []))
  return words.flatMap((word) => {
    const [name = ''] = /^--[\w-]+/.exec(word) ?? []
    return name === '' || ['--help', '--version', ...known].includes(name)
      ? []
      : [`"kontor ${line.trim()}": there is no option ${name}`]
  })
}
