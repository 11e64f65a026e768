// Loaded into the server before its own code: measures the longest delay of its event loop since the
// last SIGUSR2, and at each writes it to the file that DELAY_FILE names, in milliseconds.
const { renameSync, writeFileSync } = require('node:fs')
const { monitorEventLoopDelay } = require('node:perf_hooks')

const file = process.env['DELAY_FILE']
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('SIGUSR2', () => {
  writeFileSync(`${file}.part`, String(delay.max / 1e6))
  renameSync(`${file}.part`, file)
  delay.reset()
})
