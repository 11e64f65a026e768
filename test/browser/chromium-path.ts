import { existsSync } from 'node:fs'

const shell = '/usr/bin/chromium-headless-shell'

/**
 * The Chromium that opens the pages: the one that the variable CHROMIUM names, else Debian's shell without windows, else
 * Debian's browser. The shell draws the same pages with half the processor time.
 */
export const chromiumPath =
  process.env['CHROMIUM'] ?? (existsSync(shell) ? shell : '/usr/bin/chromium')
