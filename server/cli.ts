// The commands of bin/kontor, one block each. They run beside a server. Errors are one line with
// the remedy. Each command imports what it does when it runs: to load everything took a second, and
// a server keeps all that it has imported.
import { Command, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { answer, explain, mutter, oneLine, open, say } from './commands/say.ts'
import type { Json } from './commands/say.ts'
import { readConfig } from './config.ts'

const accounts = () => import('./commands/account.ts')
const apiKeys = () => import('./commands/api-keys.ts')
const channels = () => import('./commands/channels.ts')
const deliveries = () => import('./commands/deliveries.ts')
const followers = () => import('./commands/followers.ts')
const integrations = () => import('./commands/integrations.ts')
const people = () => import('./commands/people.ts')
const users = () => import('./commands/users.ts')
const webhooks = () => import('./commands/webhooks.ts')

// The reader of the output may be gone (a closed terminal, `| head`). The command finishes all the
// same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const program = new Command('kontor')
  .description(
    'Kontor, a self-hosted CRM. Settings are environment variables; "kontor doctor" shows them.',
  )
  .version(manifest.version)
  .configureOutput({
    outputError: (text, write) =>
      write(`${oneLine(text)}. Say "kontor --help" for what there is.\n`),
  })

program
  .command('start')
  .description('start the server, its database too unless DATABASE_URL is set')
  .action(async () => (await import('./commands/start.ts')).start(readConfig(), say))

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
      const { introduction, makeDemo } = await import('./commands/demo.ts')
      const demo = await makeDemo(kontor)
      say(json ? JSON.stringify(demo) : introduction(kontor, demo))
    }),
  )

withUser(
  program.command('code').description('issue a fresh authorization code for the first integration'),
).action((settings) =>
  answer('kontor code', settings, async (kontor) => (await people()).code(kontor, settings)),
)

withUser(program.command('token').description('issue a long-lived access token'))
  .option('--days <days>', 'how long it is good, 1 to 1826', '365')
  .action((settings) =>
    answer('kontor token', settings, async (kontor) => (await people()).token(kontor, settings)),
  )

const apiKey = program
  .command('api-key')
  .description('keys of users, for programs that send login and api_key to version-2 methods')
withUser(apiKey.command('create').description('make a key, which is shown this once'))
  .option('--name <name>', 'the program that will use it')
  .action((settings) =>
    answer('kontor api-key', settings, async (kontor) =>
      (await apiKeys()).apiKeyCreate(kontor, settings),
    ),
  )
inAccount(apiKey.command('list').description('which there are, with their last use'))
  .option('--user <e-mail>', 'only those of this user')
  .action((settings) =>
    answer('kontor api-key', settings, async (kontor) =>
      (await apiKeys()).apiKeyList(kontor, settings),
    ),
  )
inAccount(apiKey.command('delete <id>').description('end a key at once')).action((id, settings) =>
  answer('kontor api-key', settings, async (kontor) =>
    (await apiKeys()).apiKeyDelete(kontor, id, settings),
  ),
)

const channel = program
  .command('channel')
  .description('channels of online chats, whose programs sign their requests')
inAccount(
  channel.command('create').description('register a channel; its secret is shown this once'),
)
  .requiredOption('--name <name>', 'what it is called: Latin, the first character is a letter')
  .option('--hook-v1 <address>', 'where callbacks of version 1 go; :scope_id stands for the scope')
  .option('--hook-v2 <address>', 'where callbacks of version 2 go')
  .option('--bot <name>', 'the sender of messages of no user (the name of the channel)')
  .option('--client-id <id>', 'its integration; accounts are connected where it is enabled')
  .option('--allow <list>', 'other accounts that may be connected: subdomains, commas between')
  .option('--no-avatar', 'senders may come without an avatar')
  .action((settings) =>
    answer('kontor channel', settings, async (kontor) =>
      (await channels()).channelCreate(kontor, settings),
    ),
  )
inAccount(channel.command('list').description('which there are')).action((settings) =>
  answer('kontor channel', settings, async (kontor) =>
    (await channels()).channelListCommand(kontor, settings),
  ),
)
for (const [name, about, work] of [
  ['rotate', 'give it a new secret; the old one stops at once', 'channelRotate'],
  ['delete', 'end it in all accounts', 'channelDelete'],
] as const)
  inAccount(channel.command(`${name} <id>`).description(about)).action((id, settings) =>
    answer('kontor channel', settings, async (kontor) =>
      (await channels())[work](kontor, id, settings),
    ),
  )

inAccount(
  program
    .command('message')
    .description('messages of chats')
    .command('send')
    .description('write a message into a chat, as the bot of its channel or as a user'),
)
  .requiredOption('--chat <id>', 'the chat')
  .option('--user <e-mail>', 'who writes (the bot of the channel)')
  .requiredOption('--text <text>', 'what it says')
  .action((settings) =>
    answer('kontor message', settings, async (kontor) =>
      (await import('./commands/messages.ts')).messageSend(kontor, settings),
    ),
  )

const account = program.command('account').description('accounts of this server')
account
  .command('create <subdomain>')
  .description('open an account')
  .option('--name <name>', 'what it is called (the subdomain)')
  .option('--json', 'answer as JSON')
  .action((subdomain, settings) =>
    answer('kontor account', settings, async (kontor) =>
      (await accounts()).accountCreate(kontor, subdomain, settings),
    ),
  )
account
  .command('set <subdomain>')
  .description('change an account')
  .option('--name <name>', 'what it is called')
  .addOption(new Option('--unpaid', 'writes and events answer 402').conflicts('paid'))
  .option('--paid', 'all is well again')
  .option('--json', 'answer as JSON')
  .action((subdomain, settings) =>
    answer('kontor account', settings, async (kontor) =>
      (await accounts()).accountSet(kontor, subdomain, settings),
    ),
  )

const user = program.command('user').description('users of an account')
inAccount(user.command('list').description('who there is')).action((settings) =>
  answer('kontor user', settings, async (kontor) =>
    (await users()).listUsersCommand(kontor, settings),
  ),
)
inAccount(
  user.command('create <email>').description('add a user; without --rights everything is allowed'),
)
  .option('--name <name>', 'full name (the e-mail)')
  .option('--password <password>', 'a random one is made and shown when this is left out')
  .option('--admin', 'an administrator')
  .option(
    '--rights <json>',
    'what the user may do, like {"leads":{"view":"M","edit":"M","add":"A"}}',
  )
  .option('--group <id>', 'the group (the built-in one, 0)')
  .option('--role <id>', 'the role, whose rights the user has')
  .action((email, settings) =>
    answer('kontor user', settings, async (kontor) =>
      (await users()).userCreate(kontor, email, settings),
    ),
  )
inAccount(user.command('set <email>').description('change a user'))
  .option('--name <name>', 'full name')
  .option('--password <password>', 'a new password; sessions end')
  .option('--admin', 'an administrator')
  .option('--no-admin', 'no administrator any more')
  .option('--rights <json>', 'what the user may do; kinds that are not said stay as they are')
  .option('--group <id>', 'the group, 0: the built-in one')
  .option('--role <id>', 'the role, whose rights the user has, or "none"')
  .option('--active', 'may come in again')
  .option('--no-active', 'all tokens and sessions stop at once')
  .action((email, settings) =>
    answer('kontor user', settings, async (kontor) =>
      (await users()).userSet(kontor, email, settings),
    ),
  )

const role = program.command('role').description('roles of an account: rights that users share')
inAccount(role.command('list').description('which there are')).action((settings) =>
  answer('kontor role', settings, async (kontor) =>
    (await users()).listRolesCommand(kontor, settings),
  ),
)
inAccount(
  role.command('create <name>').description('make a role; what --rights does not say is denied'),
)
  .option(
    '--rights <json>',
    'what its users may do, like {"leads":{"view":"M","edit":"M","add":"A"}}',
  )
  .action((name, settings) =>
    answer('kontor role', settings, async (kontor) =>
      (await users()).roleCreate(kontor, name, settings),
    ),
  )

const group = program.command('group').description('groups of users of an account')
inAccount(group.command('list').description('which there are')).action((settings) =>
  answer('kontor group', settings, async (kontor) =>
    (await users()).listGroupsCommand(kontor, settings),
  ),
)
inAccount(group.command('create <name>').description('make a group')).action((name, settings) =>
  answer('kontor group', settings, async (kontor) =>
    (await users()).groupCreate(kontor, name, settings),
  ),
)

const integration = program.command('integration').description('integrations of an account')
withUser(integration.command('list').description('those that the account made or let in')).action(
  (settings) =>
    answer('kontor integration', settings, async (kontor) =>
      (await integrations()).listIntegrationsCommand(kontor, settings),
    ),
)
settable(integration.command('create <name>').description('make an integration and install it'))
  .requiredOption('--redirect-uri <address>', 'where authorization results go')
  .action((name, settings) =>
    answer('kontor integration', settings, async (kontor) =>
      (await integrations()).integrationCreate(kontor, name, settings),
    ),
  )
settable(
  integration.command('set <client_id>').description('change an integration that the account made'),
)
  .option('--name <name>', 'what it is called')
  .option('--redirect-uri <address>', 'where authorization results go')
  .option(
    '--duplicate-pipelines <ids>',
    'where complex creation looks for duplicates, with commas between; "": nowhere',
  )
  .action((id, settings) =>
    answer('kontor integration', settings, async (kontor) =>
      (await integrations()).integrationSet(kontor, id, settings),
    ),
  )
for (const [name, about, work] of [
  ['rotate', 'give it a new secret; the old one stops at once', 'integrationRotate'],
  ['enable', 'let it into the account', 'integrationEnable'],
  ['disable', 'end it in the account, with all its tokens', 'integrationDisable'],
  ['grants', 'list the permissions it has in the account', 'integrationGrants'],
] as const)
  withUser(integration.command(`${name} <client_id>`).description(about)).action((id, settings) =>
    answer('kontor integration', settings, async (kontor) =>
      (await integrations())[work](kontor, id, settings),
    ),
  )
withUser(
  integration
    .command('revoke <client_id> <grant>')
    .description('take a permission back, with all its tokens'),
).action((id, grant, settings) =>
  answer('kontor integration', settings, async (kontor) =>
    (await integrations()).integrationRevoke(kontor, id, grant, settings),
  ),
)

const withJson = (command: Command) => command.option('--json', 'answer as JSON')

const webhook = program.command('webhook').description('webhooks of an account')
const ofAccount = (command: Command) =>
  withJson(command.option('--account <subdomain>', 'the account; the first one by default'))
ofAccount(webhook.command('list').description('with their states and events')).action((settings) =>
  answer('kontor webhook', settings, async (kontor) =>
    (await webhooks()).webhookListCommand(kontor, settings),
  ),
)
ofAccount(
  webhook.command('enable <id>').description('send to one again that failed too often'),
).action((id, settings) =>
  answer('kontor webhook', settings, async (kontor) =>
    (await webhooks()).webhookEnable(kontor, id, settings),
  ),
)

ofAccount(
  webhook
    .command('replay [id] [delivery]')
    .description('send one delivery once more, or those of a webhook that never arrived'),
)
  .option('--since <time>', 'the earliest, like 2026-01-31T09:30Z or in Unix seconds')
  .option('--until <time>', 'the latest')
  .option('--state <list>', 'delivered, failed, ended, held; with commas between')
  .option('--unbuilt', 'build and send the notices of the account that could not be built')
  .action((id, delivery, settings) =>
    answer('kontor webhook', settings, async (kontor) =>
      (await deliveries()).webhookReplay(kontor, id, delivery, settings),
    ),
  )
ofAccount(
  webhook.command('test <id>').description('send a test notice, and say how it was answered'),
).action((id, settings) =>
  answer('kontor webhook', settings, async (kontor) => {
    const outcome = await (await deliveries()).webhookTest(kontor, id, settings)
    if (outcome.state !== 'delivered') process.exitCode = 1
    return outcome
  }),
)
ofAccount(
  webhook.command('unbuilt').description('the latest changes whose notices could not be built'),
).action((settings) =>
  answer('kontor webhook', settings, async (kontor) =>
    (await deliveries()).webhookUnbuilt(kontor, settings),
  ),
)

const follower = program.command('follower').description('readers of the journal of changes')
withJson(follower.command('list').description('with the changes that each has not read')).action(
  (settings) =>
    answer('kontor follower', settings, async (kontor) => (await followers()).followerList(kontor)),
)
withJson(
  follower
    .command('forget <name>')
    .description('remove one that is no longer there, and keeps the journal from being dropped'),
).action((name, settings) =>
  answer('kontor follower', settings, async (kontor) =>
    (await followers()).followerForget(kontor, name),
  ),
)

program
  .command('doctor')
  .description('check Node.js, database, webhooks, port, disk and clock, and say how to mend them')
  .action(async () => {
    const { doctor } = await import('./commands/doctor.ts')
    if (!(await doctor(readConfig(), say))) process.exitCode = 1
  })

await program.parseAsync().catch(async (error: Error) => {
  mutter(
    `kontor: ${process.env['KONTOR_DEBUG'] === undefined ? await explain(error) : error.stack}`,
  )
  process.exitCode = 1
})

function inAccount(command: Command): Command {
  return command
    .option('--account <subdomain>', 'the account (the first one)')
    .option('--json', 'answer as JSON')
}

function withUser(command: Command): Command {
  return inAccount(command).option('--user <e-mail>', 'the user (the first administrator)')
}

function settable(command: Command): Command {
  return withUser(command)
    .option('--description <text>', 'what it is for')
    .option('--scopes <list>', 'what it may do, with commas between: crm,notifications')
    .option('--public', 'other accounts may install it too')
    .option('--no-public', 'only this account may install it')
    .addOption(
      new Option('--empty-list <status>', 'what empty lists answer to it').choices([
        '200',
        '204',
        'server',
      ]),
    )
    .option('--forgiving-refresh', 'a repeated refresh within a minute gets a new pair')
    .option('--no-forgiving-refresh', 'a repeated refresh is refused')
    .option('--uninstall-hook <address>', 'what is told when an account ends it, or "none"')
    .option(
      '--origins <list>',
      'origins of its pages in browsers, with commas between; "" for none',
    )
}
