import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { signedIn } from '../access/admission.ts'
import { sessionCookie } from '../access/sessions.ts'
import { readBootstrap } from '../features/application/bootstrap/bootstrap.ts'
import { readPreferences } from '../features/people/profile/profile.ts'
import { readSession } from '../features/people/sessions/sessions.ts'
import { readCookie } from '../http/cookies.ts'
import { sendJson, json } from '../http/hal.ts'
import { notFound } from '../http/problem.ts'
import { Type } from '../http/type.ts'
import type { App, Kontor } from '../kontor.ts'
import { findAssets, readAsset } from './assets.ts'
import { ensureBuild } from './build.ts'
import { pageMaker } from './page.ts'
import { addresses, addressOfStart, linksMaker } from './preloads.ts'
import type { Manifest } from './preloads.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** The route stands in no description of the interface. */
    hide?: boolean
  }
}

/** Names with a digest never change their contents. */
const forGood = 'public, max-age=31536000, immutable'
const oneHour = 'public, max-age=3600'

/** The built web application as the server answers it. */
export interface Web {
  /** Names the build; open tabs compare it with their own. */
  id: string
  /** Whether `/developers/ui` shows every component. */
  hasGallery: boolean
  sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
  sendAsset(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    keep: string,
  ): Promise<FastifyReply>
}

/** Reads the build, and makes it first where there is none. */
export async function openWeb(app: App, kontor: Kontor): Promise<Web> {
  const { data, hasGallery } = kontor.config
  const { folder, id } = await ensureBuild({ data, hasGallery, say: (line) => app.log.info(line) })
  const assets = await findAssets(folder)
  const make = pageMaker(await readFile(path.join(folder, 'index.html'), 'utf8'))
  const manifest = await readFile(path.join(folder, '.vite/manifest.json'), 'utf8')
  const linksOf = linksMaker(JSON.parse(manifest) as Manifest)
  return {
    id,
    hasGallery,

    async sendPage(request, reply) {
      const actor = await signedIn(app, request)
      if (!actor) return reply.redirect(signInFor(request), 303)
      const { database } = kontor
      const token = readCookie(request.headers.cookie, sessionCookie)
      const [session, preferences, { json }] = await Promise.all([
        readSession(database, actor, token),
        readPreferences(database, actor),
        readBootstrap(database, actor),
      ])
      const { language } = session.user
      const { page: settings } = request.params as { page?: string }
      const address = request.routeOptions.url ?? ''
      const { theme, density, reduced_motion, start_page } = preferences
      const screen = address === '/' ? addressOfStart(start_page) : address
      const start = `{"session":${JSON.stringify(session)},"preferences":${JSON.stringify(preferences)},"bootstrap":${json}}`
      const page = make({
        language,
        links: linksOf({ language, address: screen, ...(settings && { page: settings }) }),
        theme: theme === 'system' ? undefined : theme,
        density,
        hasReducedMotion: reduced_motion,
        build: id,
        start,
      })
      return reply.headers(page.headers).send(page.text)
    },

    async sendAsset({ headers }, reply, name, keep) {
      const asset = assets.get(name)
      if (!asset) throw notFound('There is nothing at this address')
      const accepted = headers['accept-encoding'] ?? ''
      const found = await readAsset(folder, name, asset, accepted)
      if (!found) throw notFound('There is nothing at this address')
      const { body, encoding } = found
      reply.headers({ 'cache-control': keep, 'content-type': asset.type, vary: 'accept-encoding' })
      if (encoding) reply.header('content-encoding', encoding)
      return reply.send(body)
    },
  }
}

/**
 * Shows a browser at an unknown address the page, which then says that nothing is there. Precedes
 * `refuseUnknownPaths`, which answers programs.
 */
export function answerBrowsers(app: App, web: Web): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 && isNavigation(request)) return web.sendPage(request, reply.code(404))
  })
}

/** The page of the web application at its addresses, and its files. */
export function webRoutes(app: App, web: Web): void {
  const config = { access: 'public' as const }
  // Pages are no methods, so no description of the interface has them.
  const page = { config, schema: { hide: true } }

  for (const address of addresses) app.get(address, page, web.sendPage)
  if (web.hasGallery) app.get('/developers/ui', page, web.sendPage)

  app.get(
    '/web/v1/build',
    {
      config,
      schema: {
        summary: 'Read which build is served',
        response: { 200: json('The build', Type.Object({ id: Type.String() })) },
      },
    },
    async (_request, reply) => sendJson(reply, { id: web.id }),
  )

  app.get('/assets/:file', page, async (request, reply) => {
    const { file } = request.params as { file: string }
    return web.sendAsset(request, reply, `assets/${file}`, forGood)
  })

  app.get('/mark.svg', page, async (request, reply) =>
    web.sendAsset(request, reply, 'mark.svg', oneHour),
  )
}

/** The sign-in, which returns to the requested address. */
function signInFor({ url }: FastifyRequest): string {
  return url === '/' ? '/login' : `/login?next=${encodeURIComponent(url)}`
}

/** Whether a browser asks for a page to show, not a program for data. */
function isNavigation({ method, url, headers: { accept = '' } }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    accept.includes('text/html') &&
    !/^\/(?:api|web\/v1|oauth2?|assets|developers)(?:\/|$|\?)/.test(url)
  )
}
