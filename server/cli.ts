// bin/kontor: runs one command. Commands run beside a server. Errors are one line with the remedy.
import { program } from './commands/program.ts'
import { explain, mutter } from './commands/say.ts'

// The reader of the output may be gone (a closed terminal, `| head`). The command finishes all the
// same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

await program.parseAsync().catch(async (error: Error) => {
  mutter(
    `kontor: ${process.env['KONTOR_DEBUG'] === undefined ? await explain(error) : error.stack}`,
  )
  process.exitCode = 1
})
