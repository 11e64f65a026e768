// How the web application is built and, in development, served. The server gives each answer of the
// page a nonce of its own in place of `__NONCE__` (server/web/page.ts).
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import compileText from 'icu-minify/compile'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'

/** Where Kontor listens while Vite serves the application (npm run dev). */
const kontor = process.env['KONTOR_BEHIND'] ?? 'http://127.0.0.1:8080'
export default defineConfig(({ command, mode }) => {
  // The surroundings do not decide which React is built: the slower one, which finds faults, is for tests.
  if (command === 'build')
    process.env['NODE_ENV'] = mode === 'production' ? 'production' : 'development'
  return {
    root: import.meta.dirname,
    plugins: [react(), compiledTexts(), compressed()],
    // Browsers get compiled texts, and no parser (docs/decisions/0106-compiled-texts.md).
    resolve: {
      alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' },
    },
    html: { cspNonce: command === 'build' ? '__NONCE__' : '' },
    // The component gallery is in development and in builds for tests only.
    define: { hasGallery: JSON.stringify(mode !== 'production') },
    worker: { format: 'es' as const },
    build: {
      target: ['chrome123', 'firefox120', 'safari17.5'],
      manifest: true,
      // A file in the page itself would need a wider policy.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
    },
    server: {
      proxy: Object.fromEntries(
        ['/api', '/web/v1', '/oauth', '/oauth2', '/login', '/reset', '/invite', '/setup'].map(
          (path) => [`^${path}(/|$|\\?)`, { target: kontor }],
        ),
      ),
    },
  }
})

/** Compiles the messages of `words/<language>/<area>.json` as they are read. */
function compiledTexts(): Plugin {
  return {
    name: 'kontor-compiled-texts',
    enforce: 'pre',
    transform: {
      filter: { id: /\/words\/\w+\/[\w-]+\.json$/ },
      handler: (code) =>
        JSON.stringify(JSON.parse(code), (_key, value: unknown) =>
          typeof value === 'string' ? compileText(value) : value,
        ),
    },
  }
}

/** Compresses the texts of the build beside them, so that the server only picks a form. */
function compressed(): Plugin {
  let folder = ''
  return {
    name: 'kontor-compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = path.resolve(root, build.outDir)
    },
    // Not after a build that failed, whose reason a missing folder would hide.
    async writeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = entries
        .filter((entry) => entry.isFile() && /\.(?:js|css|svg)$/.test(entry.name))
        .map((entry) => path.join(entry.parentPath, entry.name))
      await Promise.all(
        files.map(async (file) => {
          const text = await readFile(file)
          await writeFile(`${file}.br`, await promisify(brotliCompress)(text))
          await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }))
        }),
      )
    },
  }
}
