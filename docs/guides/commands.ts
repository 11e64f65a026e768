// docs/guides/commands.md, written from the help texts of server/commands/program.ts.
import { Help } from 'commander'
import type { Command, Option } from 'commander'
import { program } from '../../server/commands/program.ts'

export const commandsPage = (): string => `# Commands

<!-- Written by \`npm run docs\` from server/commands/program.ts and docs/guides/commands.ts. Edit those files. -->

This page is for operators. It lists every command of \`bin/kontor\` with its arguments and options. The introduction
takes two minutes; the rest is for looking things up. \`bin/kontor --help\` and \`bin/kontor <command> --help\` print
the same texts.

Run the commands in the folder of Kontor, as the user that runs the server. They work while the server runs, and read
the same [settings](settings.md).

\`\`\`sh
bin/kontor user create seller@example.com --name 'Seller' --rights '{"leads":{"view":"M","edit":"M","add":"A"}}'
bin/kontor user list
bin/kontor token --user seller@example.com --days 1 --json
\`\`\`

The result goes to standard output, progress and errors to standard error. A command that fails prints one line and ends
with the exit code 1. \`KONTOR_DEBUG=1\` before a command makes it print where the error came from.

Many commands take these options:

| Option | Meaning |
|---|---|
${[...common].map(([flags, text]) => `| \`${flags}\` | ${capital(text)} |`).join('\n')}

${program.commands.map((command) => section(command)).join('\n\n')}
`

const help = new Help()

/** A command, or a group of commands with each of them under a heading. */
function section(command: Command, group: readonly string[] = []): string {
  const names = [...group, command.name()]
  const options = optionsOf(command)
  const own = options.filter((option) => !isCommon(option))
  return [
    `${'#'.repeat(names.length + 1)} kontor ${names.join(' ')}`,
    sentence(command.description()),
    ...(command.commands.length > 0 ? [] : [usage(command, names, options)]),
    ...(own.length > 0 ? [table(own)] : []),
    ...command.commands.map((each) => section(each, names)),
  ].join('\n\n')
}

const optionsOf = (command: Command): Option[] =>
  help.visibleOptions(command).filter(({ long }) => long !== '--help')

/** The options that many commands take are explained once, with the text that most of them share. */
const isCommon = ({ flags, description }: Option): boolean => common.get(flags) === description

const common = new Map(
  optionsOf(program.commands.find((each) => each.name() === 'code')!).map((option) => [
    option.flags,
    option.description,
  ]),
)

function usage(command: Command, names: readonly string[], options: readonly Option[]): string {
  const words = [
    'bin/kontor',
    ...names,
    ...command.registeredArguments.map((each) =>
      each.required ? `<${each.name()}>` : `[${each.name()}]`,
    ),
    ...options.flatMap(({ flags, mandatory }) => (mandatory ? [flags] : [])),
    ...options.flatMap((option) => (isCommon(option) ? [`[${option.flags}]`] : [])),
    ...(options.some((option) => !option.mandatory && !isCommon(option)) ? ['[options]'] : []),
  ]
  return `\`\`\`text\n${words.join(' ')}\n\`\`\``
}

function table(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const text = help.optionDescription(option).replaceAll(/default: "([^"]*)"/g, 'default: $1')
    return `| \`${option.flags}\` | ${option.mandatory ? `Required: ${text}` : capital(text)} |`
  })
  return ['| Option | Meaning |', '|---|---|', ...rows].join('\n')
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
const sentence = (text: string) => `${capital(text)}.`
