// Kontor needs Node.js 24.7 (argon2 in node:crypto), but many machines still have 20. This file
// runs on any Node.js since 18, in plain JavaScript. It continues here if the running Node.js is
// new enough, else it starts the Node.js 24 that npm installed beside Kontor (an optional package
// per platform, no install script), else it stops with one line.
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

const wanted = '24.7'

/**
 * Runs `script` (a path, absolute or relative to the working directory) with `args` on a Node.js
 * that is new enough.
 */
function launch(script, args) {
  const file = path.resolve(script)
  if (isNewEnough(process.versions.node)) {
    process.argv = [process.argv[0], file, ...args]
    return import(pathToFileURL(file).href).catch((error) => {
      console.error(error)
      process.exit(1)
    })
  }
  const node = bundledNode()
  if (!node) {
    console.error(
      `kontor: Node.js ${wanted} or later is needed, this is ${process.version}, and no bundled one is installed for ${process.platform}-${process.arch}. Install Node.js ${wanted}, or run "npm ci" without --omit=optional.`,
    )
    process.exit(1)
  }
  // The channel shows the child that this process has died, even by kill -9, so that no server
  // stays behind without its launcher. The child runs the same command with the same flags and
  // reaches this function on a Node.js that is new enough.
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // Ctrl-C in a terminal reaches both processes, so the child may get it twice. That happens below
  // npm in any case.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`kontor: ${node} does not start: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code === null ? 1 : code)
    // The parent of this process sees which signal ended the child. The exit code is for signals
    // without effect (SIGPIPE, or process 1 of a container).
    process.exitCode = 128 + constants.signals[signal]
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  const [least, leastMinor] = wanted.split('.').map(Number)
  return major > least || (major === least && minor >= leastMinor)
}

/** The path of the Node.js binary that npm installed as an optional package, or undefined. */
function bundledNode() {
  const platform = { linux: 'linux', darwin: 'darwin', win32: 'win' }[process.platform]
  try {
    const manifest = require.resolve(`node-${platform}-${process.arch}/package.json`)
    return path.join(path.dirname(manifest), require(manifest).bin.node)
  } catch {
    return undefined
  }
}

module.exports = { launch }

if (require.main === module) {
  const [script, ...args] = process.argv.slice(2)
  if (script) void launch(script, args)
  else {
    console.error('usage: node bin/launch.cjs <script> [arguments]')
    process.exitCode = 64
  }
}
