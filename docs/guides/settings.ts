// docs/guides/settings.md, written from the settings in server/config.ts.
import { settings } from '../../server/config.ts'

const groups = Map.groupBy(Object.values(settings), ({ group }) => group)

export const settingsPage = (): string => `# Settings

<!-- Written by \`npm run docs\` from server/config.ts and docs/guides/settings.ts. Edit those files. -->

This page is for operators. It lists every setting with its default and its values; finding one takes a minute. Kontor
needs none of them to start.

Settings are environment variables, which Kontor reads when it starts. With \`npm start\`, put them before the command:

\`\`\`sh
PORT=8081 LOG_LEVEL=warn npm start
\`\`\`

Under systemd, write them to \`/etc/kontor.env\`, one \`NAME=value\` a line, and restart the service
([Running Kontor as a service](service.md)). The commands of \`bin/kontor\` read the same variables: give them the same
\`KONTOR_DATA\`, \`DATABASE_URL\`, \`KONTOR_SECRET_KEY\`, \`PORT\` and \`KONTOR_URL\` as the server.

\`bin/kontor doctor\` prints the value of every setting and hides secrets. Kontor does not start with a value that a
setting does not take, and names the setting and its values. An empty variable counts as not set. Times are in seconds
and sizes in bytes, unless a setting says otherwise.

${[...groups].map(([group, rows]) => `## ${group}\n\n${table(rows)}`).join('\n\n')}
`

type Row = (typeof settings)[keyof typeof settings]

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, preset, takes, text }) =>
      `| \`${name}\` | ${preset === '' ? '' : `\`${preset}\``} | ${takes} | ${text} |`,
  )
  return ['| Setting | Default | Values | Meaning |', '|---|---|---|---|', ...lines].join('\n')
}
