// The commands of bin/kontor, one block each. They work beside a running server. Errors are one line with the way out.
import { Command, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { accountCreate, accountSet } from './commands/account.ts'
import { createDemo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { code, integrationCreate, token, userCreate, userSet } from './commands/people.ts'
import { introduction, start } from './commands/start.ts'
import { readConfig } from './config.ts'
import { ConnectionLost } from './database/connect.ts'
import { asProblem } from './http/problem.ts'
import type { Kontor } from './kontor.ts'
import { openKontor, stopSignal } from './main.ts'

// Whoever reads may be gone (a closed terminal, `| head`); what was begun is finished all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const say = (line: string) => console.log(line)
/** Progress goes beside the answer, so that a program can read the answer. */
const mutter = (line: string) => console.error(line)

const program = new Command('kontor')
  .description('Kontor, a self-hosted CRM. Settings are environment variables; "kontor doctor" shows them.')
  .version(manifest.version)
  .configureOutput({ outputError: (text, write) => write(`${oneLine(text)}. Say "kontor --help" for what there is.\n`) })

program
  .command('start')
  .description('start the server, its database too unless DATABASE_URL is set')
  .action(() => start(readConfig(), say))

program
  .command('migrate')
  .description('bring the database up to this version')
  .action(() => open('kontor migrate', async () => say('The database is up to date.')))

program
  .command('demo')
  .description('make a demo account with sample data and a ready integration')
  .option('--json', 'answer as JSON')
  .action(({ json }: Json) =>
    open('kontor demo', async (kontor) => {
      const demo = await createDemo(kontor)
      say(json ? JSON.stringify(demo) : introduction(kontor, demo))
    }),
  )

whom(program.command('code').description('issue a fresh authorization code for the first integration')).action((settings) =>
  answer('kontor code', settings, (kontor) => code(kontor, settings)),
)

whom(program.command('token').description('issue a long-lived access token'))
  .option('--days <days>', 'how long it is good, 1 to 1826', '365')
  .action((settings) => answer('kontor token', settings, (kontor) => token(kontor, settings)))

const account = program.command('account').description('accounts of this server')
account
  .command('create <subdomain>')
  .description('open an account')
  .option('--name <name>', 'what it is called (the subdomain)')
  .option('--json', 'answer as JSON')
  .action((subdomain, settings) => answer('kontor account', settings, (kontor) => accountCreate(kontor, subdomain, settings)))
account
  .command('set <subdomain>')
  .description('change an account')
  .option('--name <name>', 'what it is called')
  .addOption(new Option('--unpaid', 'writes and events answer 402').conflicts('paid'))
  .option('--paid', 'all is well again')
  .option('--json', 'answer as JSON')
  .action((subdomain, settings) => answer('kontor account', settings, (kontor) => accountSet(kontor, subdomain, settings)))

const user = program.command('user').description('users of an account')
user
  .command('create <email>')
  .description('add a user; without --rights everything is allowed')
  .option('--account <subdomain>', 'the account (the first one)')
  .option('--name <name>', 'full name (the e-mail)')
  .option('--password <password>', 'a random one is made and shown when this is left out')
  .option('--admin', 'an administrator')
  .option('--rights <json>', 'what the user may do, like {"leads":{"view":"M","edit":"M","add":"A"}}')
  .option('--json', 'answer as JSON')
  .action((email, settings) => answer('kontor user', settings, (kontor) => userCreate(kontor, email, settings)))
user
  .command('set <email>')
  .description('change a user')
  .option('--account <subdomain>', 'the account (the first one)')
  .option('--password <password>', 'a new password')
  .option('--active', 'may come in again')
  .option('--no-active', 'all tokens stop at once')
  .option('--json', 'answer as JSON')
  .action((email, settings) => answer('kontor user', settings, (kontor) => userSet(kontor, email, settings)))

whom(program.command('integration').description('integrations of an account').command('create <name>'))
  .description('make an integration and install it')
  .requiredOption('--redirect-uri <address>', 'where authorization results go')
  .addOption(new Option('--empty-list <status>', 'what empty lists answer to it').choices(['200', '204']))
  .option('--forgiving-refresh', 'a repeated refresh within a minute gets a new pair')
  .action((name, settings) => answer('kontor integration', settings, (kontor) => integrationCreate(kontor, name, settings)))

program
  .command('doctor')
  .description('check Node.js, database, port, disk and clock, and say how to mend them')
  .action(async () => {
    if (!(await doctor(readConfig(), say))) process.exitCode = 1
  })

await program.parseAsync().catch((error: Error) => {
  mutter(`kontor: ${process.env['KONTOR_DEBUG'] === undefined ? explain(error) : error.stack}`)
  process.exitCode = 1
})

interface Json {
  json?: boolean
}

function whom(command: Command): Command {
  return command
    .option('--account <subdomain>', 'the account (the first one)')
    .option('--user <e-mail>', 'the user (the first administrator)')
    .option('--json', 'answer as JSON')
}

async function open(holder: string, work: (kontor: Kontor) => Promise<void>): Promise<void> {
  const config = readConfig()
  // As `kontor start`: a database that this command has started is stopped by it too, whatever comes.
  const stop = config.databaseUrl === undefined ? stopSignal() : undefined
  const { kontor, close } = await openKontor(config, holder, mutter)
  await work(kontor).finally(close)
  if (stop?.aborted) process.exitCode = 130
}

/** What went wrong, in one line: what a constraint of the database refuses is said as it is over HTTP. */
function explain(error: Error): string {
  if (error instanceof ConnectionLost)
    return `The database cannot be reached: ${error.message || 'nobody answers'}. Check DATABASE_URL`
  return asProblem(error)?.message ?? error.message
}

/** What commander complains about, in one line as all other complaints. */
function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error:/, 'kontor:')
    .replace(/\.$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
}

/** Says the fields of what was made, one a line, or as JSON. */
function answer(holder: string, { json }: Json, work: (kontor: Kontor) => Promise<object>): Promise<void> {
  return open(holder, async (kontor) => {
    const made = await work(kontor)
    const width = Math.max(...Object.keys(made).map((key) => key.length))
    say(
      json
        ? JSON.stringify(made)
        : Object.entries(made)
            .map(([key, value]) => `${key.padEnd(width)}  ${String(value)}`)
            .join('\n'),
    )
  })
}
